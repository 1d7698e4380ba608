/**
 * GET /v1/realtime: authenticates, admits and connects to an upstream, before the client's
 * connection is upgraded.
 */

import { keepCallPermits, takeCallerPermit } from '../admission/caps.ts';
import { settle, settleWithin } from '../billing/settle.ts';
import { type Admitted, admitted, type Routed } from '../call/admitted.ts';
import { ended } from '../call/call-end.ts';
import { emptyMemo, type Intent } from '../call/call-intent.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports, Relay } from '../call/relay-ports.ts';
import { type KnownCall, recordFailedCall, recordingFailure } from '../failures/failed-call.ts';
import { admitCaller, admitModel } from '../stages/admit.ts';
import { firstGoodAttempt, type Sent } from '../stages/retry-loop.ts';
import { type Dialled, dial } from './dial-upstream.ts';
import { limitedSession } from './limited-session.ts';
import { readPresented } from './realtime-caller.ts';
import { RealtimeSession } from './realtime-session.ts';

/** @throws AppError, UpstreamFailure, ClientLeft; `openAiErrorOf` renders them. */
export async function openSession(relay: Relay, incoming: Incoming): Promise<RealtimeSession> {
  const { call, presented, countSuccess } = await admittedSession(relay, incoming).catch(
    (error: unknown) => {
      relay.ctx.observer.callRefused(incoming);
      throw error;
    },
  );
  const dialled = await relay.inFlight.track(dialSomeone(relay, call));
  const releaseCallPermits = await keepCallPermits(relay, dialled.call);
  return new RealtimeSession(relay, {
    call: withoutPermits(dialled.call),
    presented,
    dialled: dialled.answer,
    countSuccess,
    releaseCallPermits,
  });
}

function withoutPermits(call: Routed): Routed {
  return { ...call, callerPermit: undefined, route: { ...call.route, channelPermit: undefined } };
}

async function admittedSession(
  relay: Ports<'callers' | 'ctx' | 'failedCalls' | 'features' | 'permits' | 'routing'>,
  incoming: Incoming,
) {
  const presented = readPresented(relay, incoming);
  const { call: opening, model } = presented;
  const intent = intentOf(model);
  const known: KnownCall = { incoming: opening, intent };
  return recordingFailure(relay, known, async () => {
    const { caller: presenter, admission } = await admitCaller(relay, opening, known);
    const asked = { client: opening, model: intent.model, body: intent.body };
    const caller = await admitModel(relay, presenter, asked, known);
    const call = admitted({ incoming: opening, caller, intent });
    return { call: await takeCallerPermit(relay, call), presented, ...admission };
  });
}

/** Settles and records a call that no upstream accepts, or that cannot be paid. */
async function dialSomeone(relay: Relay, admittedCall: Admitted): Promise<Sent<Dialled>> {
  const outcome = await firstGoodAttempt(relay, admittedCall, async (call, choice) => ({
    call,
    answer: await dial(relay, call, choice),
  }));
  const { call } = outcome;
  if ('answer' in outcome) {
    relay.breakers.succeeded(outcome.call.route.channel.id, call.intent.model);
    return limitedSession(relay, outcome);
  }
  recordFailedCall(relay, call, outcome.error);
  await settleWithin(relay, settle(relay, ended(call, { ending: 'failed' })));
  throw outcome.error;
}

/** An intent with the model only, because a session sends its settings in events. */
function intentOf(model: string): Intent {
  return {
    body: { model },
    sent: {},
    source: '',
    raw: Buffer.alloc(0),
    memo: emptyMemo(),
    model,
    stream: true,
    wantsUsage: true,
    maxTokens: undefined,
  };
}
