/**
 * Runs the stages of a model call in order, from authentication to billing. A stage refuses a call
 * by throwing; in every case the hold is released or settled exactly once.
 */
import { type Admission, admit } from '../admission/admit.ts';
import { authenticate } from '../admission/authenticate.ts';
import { checkModel, checkWords, refuseExtensions } from '../admission/call-checks.ts';
import { inServingGroup } from '../admission/caller-group.ts';
import { takeCallerPermit } from '../admission/caps.ts';
import { refuseToolModels } from '../billing/other-models.ts';
import { type Intent, readIntent } from '../call/call-intent.ts';
import { type Admitted, admitted } from '../call/call-stages.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming, Outgoing, Received } from '../call/incoming-call.ts';
import type { Relay } from '../call/relay-ports.ts';
import { recordFailedCall } from '../failures/failed-call.ts';
import { answerCall } from './answer-call.ts';
import { pingMsOf } from './deliver.ts';
import { startedEarly } from './early-start.ts';
import { receive } from './receive-body.ts';

/** @throws AppError, UpstreamFailure, ClientLeft; `openAiErrorOf` renders them. */
export async function relayCall(relay: Relay, incoming: Incoming): Promise<Outgoing> {
  let caller: Caller;
  try {
    refuseExtensions(relay, incoming);
    caller = await authenticate(relay, incoming);
  } catch (error) {
    relay.ctx.observer.callRefused(incoming);
    recordFailedCall(relay, { incoming }, error);
    throw error;
  }
  return relayAs(relay, incoming, caller);
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
export async function relayAs(
  relay: Relay,
  incoming: Incoming,
  known: Caller,
  enter?: (received: Received) => Promise<ReceivedCall>,
): Promise<Outgoing> {
  let admission: Admission;
  let caller = known;
  let intent: Intent | undefined;
  let call: Admitted;
  try {
    const admitting = admit(relay, known, incoming);
    admission = admitting instanceof Promise ? await admitting : admitting;
    const received = await receive(relay, known, incoming);
    const receivedCall = enter === undefined ? { received, caller: known } : await enter(received);
    const reading = readIntent(receivedCall.received);
    intent = reading instanceof Promise ? await reading : reading;
    for (const { alter } of relay.features.ofClient(incoming))
      if (alter !== undefined)
        intent = await alter(relay, receivedCall.caller, receivedCall.received, intent);
    const finding = inServingGroup(relay, receivedCall.caller, intent.model);
    caller = finding instanceof Promise ? await finding : finding;
    checkModel(caller, intent);
    refuseToolModels(relay, caller, intent);
    const checking = checkWords(relay, caller, intent);
    if (checking !== undefined) await checking;
    const trace = relay.ctx.observer.traceOf({ incoming });
    const taking = takeCallerPermit(relay, admitted({ incoming, caller, intent, trace }));
    call = taking instanceof Promise ? await taking : taking;
  } catch (error) {
    incoming.upload.free();
    relay.ctx.observer.callRefused(incoming);
    recordFailedCall(relay, { incoming, caller, intent }, error);
    throw error;
  }
  const answering = answerCall(relay, call, admission);
  return pingMsOf(relay) === 0 ? answering : startedEarly(relay, call, answering);
}
