/**
 * Routes for answers stored by an upstream: retrieve, stream again, delete, cancel, and list input
 * items. They are free, but a request that finds a background answer finished settles it first.
 */

import { AppError } from '../../domain/errors/errors.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import { deleteResponseOrigin } from '../../services/channels/stored-responses.ts';
import { authenticate } from '../admission/authenticate.ts';
import { takeRateLimits } from '../admission/rate-limits.ts';
import type { Incoming, Outgoing } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import {
  brokenAttempt,
  type FailedAttempt,
  refusedAttempt,
} from '../failures/upstream-failures.ts';
import { finishBackground, isResponseRunning } from '../features/responses/background-responses.ts';
import {
  type StoredResponse,
  type StoredResponseCall,
  storedResponseOf,
  storedResponseRequest,
} from '../features/responses/remember-response.ts';
import { type Reply, readErrorReply, sendThrough } from '../http/channel-exchange.ts';
import { resumeStream } from './resume-stream.ts';

export type { StoredResponseCall };

/** Query parameters that are forwarded; all others are dropped. */
const QUERY = ['after', 'limit', 'order', 'include', 'include[]'] as const;

/**
 * @throws AppError response_unknown for an id that is not this user's, field_wrong for an invalid
 * stream position; UpstreamFailure for an error from the upstream.
 */
export async function storedCall(
  relay: Ports<'callers' | 'ctx' | 'inFlight' | 'pools' | 'prices' | 'routing'>,
  incoming: Incoming,
  call: StoredResponseCall,
): Promise<Outgoing> {
  const caller = await authenticate(relay, incoming, 'read');
  await takeRateLimits(relay, caller, incoming);
  const stored = await storedResponseOf(relay, caller, call.id);
  const failedAttempt = { route: { channel: stored.channel }, caller, incoming };
  const isShown = call.method === 'GET' && call.action === undefined;
  if (isShown && incoming.query.stream === 'true')
    return resumeStream(relay, failedAttempt, stored, {
      request: storedResponseRequest(relay.ctx, stored, call, streamQuery(incoming)),
      settle: () => settleStored(relay, failedAttempt, stored, call.id),
    });
  if (call.method === 'DELETE') await stop(relay, failedAttempt, stored, call.id);
  const reply = await replyTo(relay, failedAttempt, stored, call, queryOf(incoming));
  const json = objectOf(reply);
  await settleIfOver(relay, stored, json);
  if (call.method === 'DELETE') await deleteResponseOrigin(relay.ctx, caller.user.id, call.id);
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body:
      typeof json.model === 'string'
        ? JSON.stringify({ ...json, model: stored.model })
        : reply.text,
  };
}

async function settleStored(
  relay: Ports<'ctx' | 'pools' | 'prices'>,
  failedAttempt: FailedAttempt,
  stored: StoredResponse,
  id: string,
): Promise<void> {
  if (stored.row === undefined) return;
  await settleIfOver(
    relay,
    stored,
    objectOf(await replyTo(relay, failedAttempt, stored, { id, method: 'GET' })),
  );
}

/**
 * A running answer is cancelled and settled before it is deleted, because nothing of it remains
 * afterwards.
 */
async function stop(
  relay: Ports<'ctx' | 'pools' | 'prices'>,
  failedAttempt: FailedAttempt,
  stored: StoredResponse,
  id: string,
): Promise<void> {
  if (stored.row === undefined) return;
  const shown = objectOf(await replyTo(relay, failedAttempt, stored, { id, method: 'GET' }));
  const cancel = { id, method: 'POST', action: 'cancel' } as const;
  const last = isResponseRunning(shown)
    ? objectOf(await replyTo(relay, failedAttempt, stored, cancel))
    : shown;
  await settleIfOver(relay, stored, last);
}

async function settleIfOver(
  relay: Ports<'ctx' | 'prices'>,
  { row, channel }: StoredResponse,
  response: JsonObject,
): Promise<void> {
  if (row === undefined || response.object !== 'response' || isResponseRunning(response)) return;
  await finishBackground(relay, row, channel, { response });
}

/** @throws UpstreamFailure */
async function replyTo(
  relay: Ports<'ctx' | 'pools'>,
  failedAttempt: FailedAttempt,
  stored: StoredResponse,
  call: StoredResponseCall,
  query = '',
): Promise<Reply> {
  const { channel } = stored;
  const request = storedResponseRequest(relay.ctx, stored, call, query);
  const reply = await sendThrough(relay.pools, relay.ctx, channel, request).catch((error) => {
    throw brokenAttempt(relay, failedAttempt, error);
  });
  if (reply.status < 200 || reply.status >= 300)
    throw refusedAttempt(relay, failedAttempt, readErrorReply(relay.ctx, reply, channel.keys));
  return reply;
}

/** @throws AppError upstream_garbled */
function objectOf({ text }: Reply): JsonObject {
  const json = parseJson(text);
  if (!isObject(json)) throw new AppError('upstream_garbled');
  return json;
}

function queryOf({ query }: Incoming): string {
  const params = new URLSearchParams();
  for (const name of QUERY) {
    const value = query[name];
    if (value !== undefined) params.set(name, value);
  }
  return params.toString();
}

/** @throws AppError field_wrong */
function streamQuery(incoming: Incoming): string {
  const after = incoming.query.starting_after;
  const params = new URLSearchParams(queryOf(incoming));
  params.set('stream', 'true');
  if (after === undefined) return params.toString();
  if (!/^\d{1,9}$/.test(after)) {
    throw wrongField('starting_after', 'not_event_number');
  }
  params.set('starting_after', after);
  return params.toString();
}
