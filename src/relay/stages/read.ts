/**
 * Stage 3: reads the body after the caller is authenticated and admitted, and only for an account
 * that has funds. A body that is large or of unknown length also counts as a running call while it
 * is read.
 */

import type { Awaitable } from '../../domain/awaitable.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { groupRatioOf } from '../../domain/pricing/find-price.ts';
import { isFree } from '../../domain/pricing/price.ts';
import { quotaShort } from '../../services/billing/quota-short.ts';
import { groupsOf } from '../admission/caller-group.ts';
import { takeCallPermits } from '../admission/caps.ts';
import { knownPrice } from '../billing/call-price.ts';
import { SMALL_BODY_BYTES } from '../body/body-budget.ts';
import { turnOf } from '../body/event-loop-slices.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming, Received } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { modelNamesAt } from './route.ts';

/** How long an account without quota is refused without asking the database again. */
const SHORT_MS = 250;

/**
 * Reads and decompresses the body of a call. The caller must release it with
 * `incoming.upload.free()`.
 * @throws AppError quota_short, *_calls_capped, body_too_large, body_share_full, body_budget_full,
 * body_too_slow, body_encoding_*; ClientLeft.
 */
export function receive(
  relay: Ports<'bodies' | 'credit' | 'ctx' | 'permits' | 'prices' | 'routing'>,
  caller: Caller,
  incoming: Incoming,
  maxBytes = relay.bodies.largestBytes,
): Promise<Received> {
  const isSmall = incoming.upload.announcedBytes <= SMALL_BODY_BYTES;
  if (isSmall && caller.user.freeView > 0) return read(incoming, caller.user.id, maxBytes);
  return receiveWithMeans(relay, caller, incoming, { maxBytes, isSmall });
}

async function receiveWithMeans(
  relay: Ports<'bodies' | 'credit' | 'ctx' | 'permits' | 'prices' | 'routing'>,
  caller: Caller,
  incoming: Incoming,
  { maxBytes, isSmall }: { readonly maxBytes: number; readonly isSmall: boolean },
): Promise<Received> {
  await requireMeans(relay, caller);
  if (isSmall) return read(incoming, caller.user.id, maxBytes);
  const freePlaces = await takeCallPermits(relay, caller, incoming);
  try {
    return await read(incoming, caller.user.id, maxBytes);
  } finally {
    await freePlaces();
  }
}

/** Runs `work` and releases the body afterwards. @throws as `receive`. */
export async function whileReceived<T>(
  received: Promise<Received>,
  { upload }: Pick<Incoming, 'upload'>,
  work: (received: Received) => Awaitable<T>,
): Promise<T> {
  try {
    return await work(await received);
  } finally {
    upload.free();
  }
}

/** Reads the body on behalf of an account that needs no funds, or of no account (0). */
export function read(incoming: Incoming, account: number, maxBytes: number): Promise<Received> {
  return incoming.upload.read(account, maxBytes).then((body) => withBody(incoming, account, body));
}

function withBody(incoming: Incoming, account: number, body: Buffer): Received {
  const { headers } = incoming;
  // Every field by name: a field before a spread costs a microsecond (docs/performance.md).
  return {
    body,
    account,
    requestId: incoming.requestId,
    endpoint: incoming.endpoint,
    dialect: incoming.dialect,
    pathAsks: incoming.pathAsks,
    method: incoming.method,
    path: incoming.path,
    pathTail: incoming.pathTail,
    pathModel: incoming.pathModel,
    query: incoming.query,
    headers: headers['content-encoding'] === undefined ? headers : withoutEncoding(headers),
    upload: incoming.upload,
    address: incoming.address,
    client: incoming.client,
    receivedAtMs: incoming.receivedAtMs,
    sessionId: incoming.sessionId,
  } satisfies Record<keyof Required<Received>, unknown>;
}

/** The body is decompressed by now. */
function withoutEncoding({ 'content-encoding': _, ...headers }: Incoming['headers']) {
  return headers;
}

/**
 * @throws AppError quota_short: the account has no quota left and no free model is available to it.
 */
async function requireMeans(
  relay: Ports<'credit' | 'ctx' | 'prices' | 'routing'>,
  caller: Caller,
): Promise<void> {
  const { user } = caller;
  throwKnownShort(relay, caller);
  const free = await relay.credit.pending.freeOfUser(user.id);
  // Many calls may have waited for the same answer of the database.
  await turnOf(user.id);
  user.freeView = free;
  if (free > 0) return;
  throwKnownShort(relay, caller);
  if (hasFreeModel(relay, caller)) return;
  const error = quotaShort(relay.ctx, 'quota_short', { needed: 1, left: free });
  user.short = { untilMs: relay.ctx.now() + SHORT_MS, group: caller.group, error };
  throw error;
}

/** @throws AppError quota_short, the same object for all calls that it refuses. */
function throwKnownShort({ ctx }: Ports<'ctx'>, { user: { short }, group }: Caller): void {
  if (short !== undefined && short.group === group && ctx.now() < short.untilMs) throw short.error;
}

/** The requested model is in the body, which is not read yet, so any free model counts. */
function hasFreeModel(relay: Ports<'ctx' | 'prices' | 'routing'>, caller: Caller): boolean {
  const tables = relay.prices();
  return groupsOf(relay, caller).some((group) => {
    const ratio = groupRatioOf(tables, group);
    return relay.routing.models(group).some((model) =>
      relay.routing.candidates(group, model).some((channel) => {
        const { bare, upstreamModel = bare } = modelNamesAt(channel, model);
        const price = knownPrice(relay, caller, {
          requested: lookupName(bare),
          upstream: upstreamModel,
          channel,
        });
        return price !== undefined && isFree(price, ratio);
      }),
    );
  });
}
