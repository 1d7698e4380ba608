/**
 * GET /v1/realtime: authenticates, admits and connects to an upstream, before the client's
 * connection is upgraded.
 */
import { admit } from '../admission/admit.ts';
import { authenticate } from '../admission/authenticate.ts';
import { inServingGroup } from '../admission/caller-group.ts';
import { detachCallPermits, releasePermits, takeCallerPermit } from '../admission/caps.ts';
import { settle, settleWithin, trackInFlight } from '../billing/settle.ts';
import type { Intent } from '../call/call-intent.ts';
import { CallRecord } from '../call/call-record.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming } from '../call/incoming-call.ts';
import { recordFailedCall, recordingFailure } from '../failures/failed-call.ts';
import { checkModel, refuseExtensions } from '../pipeline/relay-call.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { firstGoodAttempt } from '../pipeline/retry-loop.ts';
import { type Dialled, dial } from './dial-upstream.ts';
import { readPresented } from './realtime-caller.ts';
import { RealtimeSession } from './realtime-session.ts';

/** @throws AppError, UpstreamFailure, ClientLeft; `openAiErrorOf` renders them. */
export async function openSession(relay: Relay, incoming: Incoming): Promise<RealtimeSession> {
  const { record, presented, countSuccess } = await admitted(relay, incoming).catch(
    (error: unknown) => {
      relay.ctx.observer.callRefused(incoming);
      throw error;
    },
  );
  try {
    const dialled = await trackInFlight(relay, dialSomeone(relay, record));
    const releaseCallPermits = await detachCallPermits(relay, record);
    return new RealtimeSession(relay, {
      record,
      presented,
      dialled,
      countSuccess,
      releaseCallPermits,
    });
  } catch (error) {
    await releasePermits(relay, record);
    throw error;
  }
}

async function admitted(relay: Relay, incoming: Incoming) {
  refuseExtensions(relay, incoming);
  const presented = readPresented(relay, incoming);
  const { call, model } = presented;
  const intent = intentOf(model);
  let caller: Caller | undefined;
  const known = () => ({ incoming: call, caller, intent });
  return recordingFailure(relay, known, async () => {
    const presenter = await authenticate(relay, call);
    caller = presenter;
    const { countSuccess } = await admit(relay, presenter, call);
    caller = await inServingGroup(relay, presenter, model);
    checkModel(caller, intent);
    const record = new CallRecord(call, caller, intent);
    await takeCallerPermit(relay, record);
    return { record, presented, countSuccess };
  });
}

async function dialSomeone(relay: Relay, record: CallRecord): Promise<Dialled> {
  try {
    const dialled = await firstGoodAttempt(relay, record, (choice) => dial(relay, record, choice));
    if (record.channel !== undefined)
      relay.breakers.succeeded(record.channel.id, record.intent.model);
    return dialled;
  } catch (error) {
    record.ending = 'failed';
    recordFailedCall(relay, record, error);
    await settleWithin(relay, settle(relay, record));
    throw error;
  }
}

/** An intent with the model only, because a session sends its settings in events. */
function intentOf(model: string): Intent {
  return {
    body: { model },
    sent: {},
    source: '',
    raw: Buffer.alloc(0),
    model,
    stream: true,
    wantsUsage: true,
    maxTokens: undefined,
  };
}
