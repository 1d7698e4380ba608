/**
 * Makes one attempt: builds the request for a channel, sends it, and waits for the first real frame
 * or the whole answer. Nothing was sent to the client yet, so a failed attempt may be retried
 * elsewhere.
 */

import type { CallRecord } from '../call/call-record.ts';
import { UpstreamFailure } from '../failures/failed-attempt.ts';
import { brokenAttempt } from '../failures/upstream-failures.ts';
import { Deadline } from '../http/deadline.ts';
import {
  forgetCredentials,
  isStaleCredentials,
  type SignableRequest,
} from '../http/sign-request.ts';
import { UpstreamCall } from '../http/upstream-call.ts';
import { needsOtherRequest } from '../responses/native-responses.ts';
import type { Choice } from '../routing/choice.ts';
import { fetchMedia } from '../translate/dialect-request.ts';
import { recallSignatures } from '../translate/thought-signatures.ts';
import { uploadFiles } from '../translate/upload-files.ts';
import { upstreamRequest } from '../translate/upstream-request.ts';
import type { Answer, Exchange } from './answer-types.ts';
import { firstAnswer } from './first-answer.ts';
import type { Relay } from './relay-context.ts';

/**
 * @throws UpstreamFailure, ClientLeft, AppError (a refusal by the gateway, which is never retried).
 */
export async function attempt(relay: Relay, record: CallRecord, choice: Choice): Promise<Answer> {
  try {
    return await attemptOnce(relay, record, choice);
  } catch (error) {
    if (!needsOtherRequest(record, choice.channel, error)) throw error;
    return attempt(relay, record, choice);
  }
}

async function attemptOnce(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  mayRenew = true,
): Promise<Answer> {
  let exchange: Exchange | undefined;
  try {
    for (const prepare of PREPARATIONS) {
      const preparing = prepare(relay, record, choice);
      if (preparing !== undefined) await preparing;
    }
    const building = upstreamRequest(relay, record, choice);
    const request = building instanceof Promise ? await building : building;
    exchange = open(relay, record, choice, request);
    return await firstAnswer(relay, record, exchange);
  } catch (error) {
    exchange?.call.abort();
    const isStale =
      error instanceof UpstreamFailure &&
      isStaleCredentials(exchange?.credentials, error.upstream.code);
    if (isStale || exchange?.call.status === 401)
      forgetCredentials(exchange?.credentials, relay.ctx.config.googleTokenUrl);
    if (isStale && mayRenew) return attemptOnce(relay, record, choice, false);
    throw brokenAttempt(relay, record, error);
  }
}

/** Requests that some upstreams need before the call itself, in this order. */
const PREPARATIONS = [fetchMedia, recallSignatures, uploadFiles] as const;

function open(
  relay: Relay,
  record: CallRecord,
  choice: Choice,
  request: SignableRequest,
): Exchange {
  const pool = relay.pools.poolFor(request.origin, choice.channel.setting.proxy);
  const call = new UpstreamCall(pool, request);
  const { clientGraceMs } = relay.ctx.config;
  const deadline = new Deadline(record.incoming.client, clientGraceMs, relay.ctx.now);
  deadline.watch(call);
  return { call, deadline, credentials: request.credentials, choice };
}
