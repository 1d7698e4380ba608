/**
 * Stage 3: the body, once its caller is known and admitted. What is large, or of unknown length, is
 * read only of an account that could pay for it, and counts as a call that runs.
 */

import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { groupRatioOf, isFree } from '../../domain/pricing/pricing.ts';
import { groupsOf } from '../admission/caller-group.ts';
import { takePlaces } from '../admission/caps.ts';
import { knownPrice } from '../billing/hold.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming, Received } from '../call/incoming-call.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { namesAt } from '../pipeline/retry-loop.ts';
import { SMALL_BODY_BYTES } from './body-budget.ts';

/**
 * The call with its body, unpacked. Whoever has it must see to `incoming.upload.free()`.
 * @throws AppError quota_short, *_calls_capped, body_too_large, body_share_full, body_budget_full,
 * body_too_slow, body_encoding_*; ClientLeft.
 */
export async function receive(
  relay: Relay,
  caller: Caller,
  incoming: Incoming,
  maxBytes = relay.bodies.largestBytes,
): Promise<Received> {
  if (incoming.upload.announcedBytes <= SMALL_BODY_BYTES)
    return read(incoming, caller.user.id, maxBytes);
  await requireMeans(relay, caller);
  const freePlaces = await takePlaces(relay, caller, incoming);
  try {
    return await read(incoming, caller.user.id, maxBytes);
  } finally {
    await freePlaces();
  }
}

/** For work that is over when `work` is: the body is not needed after it. @throws as `receive`. */
export async function whileReceived<T>(
  received: Promise<Received>,
  { upload }: Pick<Incoming, 'upload'>,
  work: (received: Received) => Promise<T>,
): Promise<T> {
  try {
    return await work(await received);
  } finally {
    upload.free();
  }
}

/** Of an account that may read without paying, or of nobody's: 0. */
export async function read(
  incoming: Incoming,
  account: number,
  maxBytes: number,
): Promise<Received> {
  const body = await incoming.upload.read(account, maxBytes);
  if (incoming.headers['content-encoding'] === undefined) return { ...incoming, body };
  const { 'content-encoding': _, ...headers } = incoming.headers;
  return { ...incoming, headers, body };
}

/** @throws AppError quota_short: the account has nothing left, and no model that costs nothing. */
async function requireMeans(relay: Relay, caller: Caller): Promise<void> {
  if (await relay.credit.hasSome(caller.user.id)) return;
  if (!hasFreeModel(relay, caller)) throw new AppError('quota_short', { needed: 1 });
}

/** What is asked for stands in the body, so any model will do. */
function hasFreeModel(relay: Relay, caller: Caller): boolean {
  const tables = relay.prices();
  return groupsOf(relay, caller).some((group) => {
    const ratio = groupRatioOf(tables, group);
    return relay.routing.models(group).some((model) =>
      relay.routing.candidates(group, model).some((channel) => {
        const { bare, upstreamModel = bare } = namesAt(channel, model);
        const price = knownPrice(relay, caller, lookupName(bare), upstreamModel);
        return price !== undefined && isFree(price, ratio);
      }),
    );
  });
}
