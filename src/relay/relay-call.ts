/**
 * Runs the stages of a model call in order, from authentication to billing. A stage refuses a call
 * by throwing; in every case the hold is released or settled exactly once.
 */
import type { Awaitable } from '../domain/awaitable.ts';
import { takeCallerPermit } from './admission/caps.ts';
import { type Admission, takeRateLimits } from './admission/rate-limits.ts';
import { refuseToolModels } from './billing/other-models.ts';
import { type Admitted, admitted } from './call/admitted.ts';
import { type Intent, readIntent } from './call/call-intent.ts';
import type { Caller } from './call/caller.ts';
import type { Incoming, Outgoing, Received } from './call/incoming-call.ts';
import type { Relay } from './call/relay-ports.ts';
import { type KnownCall, recordFailedCall } from './failures/failed-call.ts';
import type { ClientHooks } from './features/feature.ts';
import { type AdmittedCaller, admitCaller, admitModel } from './stages/admit.ts';
import { answerCall } from './stages/answer-call.ts';
import { pingMsOf } from './stages/deliver.ts';
import { startedEarly } from './stages/early-start.ts';
import { receive } from './stages/read.ts';

/** @throws AppError, UpstreamFailure, ClientLeft; `openAiErrorOf` renders them. */
export function relayCall(relay: Relay, incoming: Incoming): Promise<Outgoing> {
  return relayed(relay, incoming, (known) => admitCaller(relay, incoming, known));
}

/** A call whose body has been received. */
export interface ReceivedCall {
  readonly received: Received;
  readonly caller: Caller;
}

/**
 * Like `relayCall`, for a caller that is already authenticated; `enter` may change caller and call
 * once the body has arrived.
 */
export function relayAs(
  relay: Relay,
  incoming: Incoming,
  caller: Caller,
  enter: (received: Received) => Promise<ReceivedCall>,
): Promise<Outgoing> {
  const admitKnown = async (known: KnownCall): Promise<AdmittedCaller> => {
    known.caller = caller;
    return { caller, admission: await takeRateLimits(relay, caller, incoming) };
  };
  return relayed(relay, incoming, admitKnown, enter);
}

type AdmitCaller = (known: KnownCall) => Promise<AdmittedCaller>;
type Enter = (received: Received, caller: Caller) => Awaitable<ReceivedCall>;

async function relayed(
  relay: Relay,
  incoming: Incoming,
  admitting: AdmitCaller,
  enter: Enter = asReceived,
): Promise<Outgoing> {
  const { call, admission } = await admittedCall(relay, incoming, admitting, enter);
  const answering = answerCall(relay, call, admission);
  return pingMsOf(relay) === 0 ? answering : startedEarly(relay, call, answering);
}

function asReceived(received: Received, caller: Caller): ReceivedCall {
  return { received, caller };
}

interface AdmittedCall {
  readonly call: Admitted;
  readonly admission: Admission;
}

async function admittedCall(
  relay: Relay,
  incoming: Incoming,
  admitting: AdmitCaller,
  enter: Enter,
): Promise<AdmittedCall> {
  const known: KnownCall = { incoming };
  try {
    const { caller: presenter, admission } = await admitting(known);
    const entered = await enter(await receive(relay, presenter, incoming), presenter);
    const intent = await intentOf(relay, entered, known);
    const asked = { client: incoming, model: intent.model, body: intent.body };
    const caller = await admitModel(relay, entered.caller, asked, known);
    refuseToolModels(relay, caller, intent);
    const trace = relay.ctx.observer.traceOf({ incoming });
    const call = admitted({ incoming, caller, intent, trace });
    return { call: await takeCallerPermit(relay, call), admission };
  } catch (error) {
    recordFailedCall(relay, known, error);
    incoming.upload.free();
    relay.ctx.observer.callRefused(incoming);
    throw error;
  }
}

async function intentOf(
  relay: Relay,
  { received, caller }: ReceivedCall,
  known: KnownCall,
): Promise<Intent> {
  const hooks = relay.features.ofClient(received);
  let intent = await readBy(hooks, received);
  known.intent = intent;
  for (const alter of hooks.alter) intent = await alter(relay, caller, received, intent);
  known.intent = intent;
  return intent;
}

async function readBy({ read: hooks }: ClientHooks, received: Received): Promise<Intent> {
  for (const read of hooks) {
    const intent = await read(received);
    if (intent !== undefined) return intent;
  }
  return readIntent(received);
}
