/**
 * Makes one attempt: builds the request for a channel, sends it, and waits for the first real frame
 * or the whole answer. Nothing was sent to the client yet, so a failed attempt may be retried
 * elsewhere.
 */

import { turnOf } from '../body/event-loop-slices.ts';
import type { Routed } from '../call/admitted.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import { UpstreamFailure } from '../failures/failed-attempt.ts';
import { brokenAttempt } from '../failures/upstream-failures.ts';
import type { Answer, Exchange } from '../http/answer-types.ts';
import { Deadline } from '../http/deadline.ts';
import {
  forgetCredentials,
  isStaleCredentials,
  type SignableRequest,
} from '../http/sign-request.ts';
import { UpstreamCall } from '../http/upstream-call.ts';
import { upstreamRequest } from '../translate/upstream-request.ts';
import { firstAnswer } from './first-answer.ts';
import { preparedFor } from './prepare-attempt.ts';

/** An attempt that was answered; the call may differ from the one routed. */
export interface Attempted {
  readonly call: Routed;
  readonly answer: Answer;
}

/**
 * @throws UpstreamFailure, ClientLeft, AppError (a refusal by the gateway, which is never retried).
 */
export async function attempt(
  relay: Ports<'ctx' | 'features' | 'pools'>,
  routed: Routed,
  choice: Choice,
): Promise<Attempted> {
  let call = routed;
  let mayRenew = true;
  for (;;) {
    let exchange: Exchange | undefined;
    try {
      // Many calls may have waited for the same commit of their holds.
      await turnOf(call.caller.user.id);
      const request = await upstreamRequest(relay, call, choice);
      exchange = open(relay, call, choice, request);
      return { call, answer: await firstAnswer(relay, call, exchange) };
    } catch (error) {
      exchange?.call.abort();
      const isStale = forgetsCredentials(relay, exchange, error);
      if (isStale && mayRenew) {
        mayRenew = false;
        continue;
      }
      const broken = brokenAttempt(relay, call, error);
      const other = otherRequest(relay, call, broken);
      if (other === undefined) throw broken;
      call = await preparedFor(relay, other, choice);
      mayRenew = true;
    }
  }
}

/** Forgets credentials that the upstream refused; true if the attempt may succeed with new ones. */
function forgetsCredentials(
  relay: Ports<'ctx'>,
  exchange: Exchange | undefined,
  error: unknown,
): boolean {
  const isStale =
    error instanceof UpstreamFailure &&
    isStaleCredentials(exchange?.credentials, error.upstream.code);
  if (isStale || exchange?.call.status === 401)
    forgetCredentials(exchange?.credentials, relay.ctx.config.googleTokenUrl);
  return isStale;
}

function otherRequest(relay: Ports<'features'>, call: Routed, error: unknown): Routed | undefined {
  if (!(error instanceof UpstreamFailure)) return undefined;
  for (const otherRequest of relay.features.ofRoute(call.route.plan).otherRequest) {
    const other = otherRequest(call, error);
    if (other !== undefined) return other;
  }
}

function open(
  relay: Ports<'ctx' | 'pools'>,
  call: Routed,
  choice: Choice,
  request: SignableRequest,
): Exchange {
  const pool = relay.pools.poolFor(request.origin, choice.channel.setting.proxy);
  const upstream = new UpstreamCall(pool, request);
  const { clientGraceMs } = relay.ctx.config;
  const deadline = new Deadline(call.incoming.client, clientGraceMs, relay.ctx.now);
  deadline.watch(upstream);
  return { call: upstream, deadline, credentials: request.credentials, choice };
}
