/**
 * Routes for answers stored by an upstream: retrieve, stream again, delete, cancel, and list input
 * items. They are free, but a request that finds a background answer finished settles it first.
 */

import { AppError } from '../../domain/errors/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import { forget } from '../../services/channels/stored-responses.ts';
import { admit } from '../admission/admit.ts';
import { authenticate } from '../admission/authenticate.ts';
import type { Incoming, Outgoing } from '../call/incoming-call.ts';
import { type Asking, brokenAttempt, refusedAttempt } from '../failures/upstream-failures.ts';
import { askThrough, type Reply, refusedReply } from '../http/channel-exchange.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { finishBackground, isRunning } from './background-responses.ts';
import { type Kept, keptFor, questionAbout, type StoredAsk } from './remember-response.ts';
import { streamAgain } from './resume-stream.ts';

export type { StoredAsk };

/** Query parameters that are forwarded; all others are dropped. */
const QUERY = ['after', 'limit', 'order', 'include', 'include[]'] as const;

/**
 * @throws AppError response_unknown for an id that is not this user's, field_wrong for an invalid
 * stream position; UpstreamFailure for an error from the upstream.
 */
export async function storedCall(
  relay: Relay,
  incoming: Incoming,
  asked: StoredAsk,
): Promise<Outgoing> {
  const caller = await authenticate(relay, incoming, 'read');
  await admit(relay, caller, incoming);
  const kept = await keptFor(relay, caller, asked.id);
  const asking = { channel: kept.channel, caller, incoming };
  const isShown = asked.method === 'GET' && asked.action === undefined;
  if (isShown && incoming.query.stream === 'true')
    return streamAgain(relay, asking, kept, {
      question: questionAbout(relay.ctx, kept, asked, streamQuery(incoming)),
      settle: () => settleBy(relay, asking, kept, asked.id),
    });
  if (asked.method === 'DELETE') await stop(relay, asking, kept, asked.id);
  const reply = await replyTo(relay, asking, kept, asked, queryOf(incoming));
  const json = objectOf(reply);
  await settleIfOver(relay, kept, json);
  if (asked.method === 'DELETE') await forget(relay.ctx, caller.user.id, asked.id);
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body:
      typeof json.model === 'string' ? JSON.stringify({ ...json, model: kept.model }) : reply.text,
  };
}

async function settleBy(relay: Relay, asking: Asking, kept: Kept, id: string): Promise<void> {
  if (kept.row === undefined) return;
  await settleIfOver(
    relay,
    kept,
    objectOf(await replyTo(relay, asking, kept, { id, method: 'GET' })),
  );
}

/**
 * A running answer is cancelled and settled before it is deleted, because nothing of it remains
 * afterwards.
 */
async function stop(relay: Relay, asking: Asking, kept: Kept, id: string): Promise<void> {
  if (kept.row === undefined) return;
  const shown = objectOf(await replyTo(relay, asking, kept, { id, method: 'GET' }));
  const cancel = { id, method: 'POST', action: 'cancel' } as const;
  const last = isRunning(shown) ? objectOf(await replyTo(relay, asking, kept, cancel)) : shown;
  await settleIfOver(relay, kept, last);
}

async function settleIfOver(
  relay: Relay,
  { row, channel }: Kept,
  response: JsonObject,
): Promise<void> {
  if (row === undefined || response.object !== 'response' || isRunning(response)) return;
  await finishBackground(relay, row, channel, { response });
}

/** @throws UpstreamFailure */
async function replyTo(
  relay: Relay,
  asking: Asking,
  kept: Kept,
  asked: StoredAsk,
  query = '',
): Promise<Reply> {
  const { channel } = kept;
  const question = questionAbout(relay.ctx, kept, asked, query);
  const reply = await askThrough(relay.pools, relay.ctx, channel, question).catch((error) => {
    throw brokenAttempt(relay, asking, error);
  });
  if (reply.status < 200 || reply.status >= 300)
    throw refusedAttempt(relay, asking, refusedReply(relay.ctx, reply, channel.keys));
  return reply;
}

/** @throws AppError upstream_garbled */
function objectOf({ text }: Reply): JsonObject {
  const json = parseJson(text);
  if (!isObject(json)) throw new AppError('upstream_garbled');
  return json;
}

function queryOf({ query }: Incoming): string {
  const said = new URLSearchParams();
  for (const name of QUERY) {
    const value = query[name];
    if (value !== undefined) said.set(name, value);
  }
  return said.toString();
}

/** @throws AppError field_wrong */
function streamQuery(incoming: Incoming): string {
  const after = incoming.query.starting_after;
  const said = new URLSearchParams(queryOf(incoming));
  said.set('stream', 'true');
  if (after === undefined) return said.toString();
  if (!/^\d{1,9}$/.test(after)) {
    const facts = { field: 'starting_after', problem: 'it must be the number of an event' };
    throw new AppError('field_wrong', facts, { param: 'starting_after' });
  }
  said.set('starting_after', after);
  return said.toString();
}
