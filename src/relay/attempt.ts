/**
 * One attempt: build the request for a channel, send it, wait for the first real frame or the whole
 * answer. What fails here has cost the client nothing yet and may be tried elsewhere.
 */

import type { Choice } from './choose.ts';
import { fetchMedia } from './dialect-request.ts';
import { brokenAttempt } from './failures.ts';
import { type Answer, type Exchange, firstAnswer } from './first-answer.ts';
import { Patience } from './patience.ts';
import { forgetProof, isStaleProof } from './prove.ts';
import type { CallRecord } from './record.ts';
import type { Relay } from './relay-context.ts';
import { isAskedAnew } from './responses/native.ts';
import { recallSignatures } from './signatures.ts';
import { uploadFiles } from './upload-files.ts';
import { UpstreamCall } from './upstream-call.ts';
import { UpstreamFailure } from './upstream-failure.ts';
import { upstreamRequest } from './upstream-request.ts';

/** @throws UpstreamFailure, ClientLeft, AppError (our own refusal: never retried). */
export async function attempt(relay: Relay, record: CallRecord, choice: Choice): Promise<Answer> {
  try {
    return await oneTry(relay, record, choice);
  } catch (error) {
    if (!isAskedAnew(record, choice.channel, error)) throw error;
    return attempt(relay, record, choice);
  }
}

async function oneTry(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  mayRenew = true,
): Promise<Answer> {
  let exchange: Exchange | undefined;
  try {
    await prepare(relay, record, choice);
    exchange = await open(relay, record, choice);
    return await firstAnswer(relay, record, exchange);
  } catch (error) {
    exchange?.call.abort();
    const isStale =
      error instanceof UpstreamFailure && isStaleProof(exchange?.proof, error.upstream.code);
    if (isStale || exchange?.call.status === 401)
      forgetProof(exchange?.proof, relay.ctx.config.googleTokenUrl);
    if (isStale && mayRenew) return oneTry(relay, record, choice, false);
    throw brokenAttempt(relay, record, error);
  }
}

/** Questions that some upstreams need answered before the call itself. */
async function prepare(relay: Relay, record: CallRecord, { key }: Choice): Promise<void> {
  await fetchMedia(relay, record);
  await recallSignatures(relay, record);
  await uploadFiles(relay, record, key.key);
}

async function open(relay: Relay, record: CallRecord, choice: Choice): Promise<Exchange> {
  const request = await upstreamRequest(relay, record, choice);
  const pool = relay.pools.poolFor(request.origin, choice.channel.setting.proxy);
  const call = new UpstreamCall(pool, request);
  const { clientGraceMs } = relay.ctx.config;
  const patience = new Patience(record.incoming.client, clientGraceMs, relay.ctx.now);
  patience.watch(call);
  return { call, patience, proof: request.proof, choice };
}
