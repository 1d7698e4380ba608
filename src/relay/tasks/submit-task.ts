/**
 * Handles a task submission from authentication to billing. The row is created before the upstream
 * is called, and the upstream's answer is charged and stored in one transaction, so that a task is
 * charged exactly when it was accepted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, asAppError } from '../../domain/errors/errors.ts';
import { storedError } from '../../locales/event-text.ts';
import type { SubmitAnswer, TaskProvider } from '../../providers/tasks/task-provider.ts';
import { randomText } from '../../services/random/random-text.ts';
import { takeCallPermits } from '../admission/caps.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { settleWithin } from '../billing/settle.ts';
import { readAll } from '../body/read-fields.ts';
import { readSent } from '../call/call-intent.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports, Relay } from '../call/relay-ports.ts';
import { UpstreamFailure } from '../failures/failed-attempt.ts';
import {
  type FailedCallFacts,
  type KnownCall,
  recordFailedCall,
  recordingFailure,
} from '../failures/failed-call.ts';
import { noChannel } from '../routing/no-channel.ts';
import { admitCaller, admitModel } from '../stages/admit.ts';
import { receive } from '../stages/read.ts';
import { backoffMs } from '../stages/retry-loop.ts';
import { attemptTask, mayTryOtherChannel } from './task-attempt.ts';
import { holdTask, openRow, priceOf, settleAccepted, settleFailed } from './task-billing.ts';
import { plannedTask, type TaskCall } from './task-call.ts';
import { type TaskCandidates, taskCandidatesFor } from './task-channels.ts';

/** Long enough not to be guessed, because the id gives access to the task's image. */
const ID_LENGTH = 24;

export interface TaskAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** @throws AppError, UpstreamFailure, ClientLeft. */
export function submitTask(
  relay: Relay,
  provider: TaskProvider,
  incoming: Incoming,
  name: string,
): Promise<TaskAnswer> {
  const known: KnownCall = { incoming: asTask(incoming) };
  return recordingFailure(relay, known, () =>
    admitAndSubmit(relay, provider, { incoming, name, known }),
  ).finally(() => incoming.upload.free());
}

/** The submission as the endpoint name used in metrics. */
function asTask({ requestId, receivedAtMs }: Incoming): FailedCallFacts['incoming'] {
  return { requestId, receivedAtMs, endpoint: 'tasks' };
}

async function admitAndSubmit(
  relay: Relay,
  provider: TaskProvider,
  { incoming, name, known }: { incoming: Incoming; name: string; known: KnownCall },
): Promise<TaskAnswer> {
  const { caller: presenter, admission } = await admitCaller(relay, incoming, known);
  const { sent } = await readSent(await receive(relay, presenter, incoming), readAll);
  const plan = provider.plan({ name, body: sent, options: relay.ctx.options() });
  known.intent = plan;
  const asked = { model: plan.model, body: { prompt: plan.texts } };
  const caller = await admitModel(relay, presenter, asked, known);
  const route = await taskCandidatesFor(relay, { provider, plan, caller });
  const publicId = randomText(relay.ctx.random, ID_LENGTH);
  const price = priceOf(relay, caller, plan);
  const call = plannedTask({ provider, plan, incoming, caller, publicId, price });
  const releaseCallPermits = await takeCallPermits(relay, caller, incoming);
  return relay.inFlight.track(
    submitAndSettle(relay, call, route, { ...admission, known }).finally(releaseCallPermits),
  );
}

async function submitAndSettle(
  relay: Relay,
  planned: TaskCall,
  route: TaskCandidates,
  { countSuccess, known }: { countSuccess: CountSuccess; known: KnownCall },
): Promise<TaskAnswer> {
  const outcome = await submitted(relay, planned, route);
  const { call } = outcome;
  if ('error' in outcome) {
    known.attempts = call.attempts;
    await settleWithin(relay, settleFailed(relay, call, reasonOf(outcome.error)));
    throw outcome.error;
  }
  const { answer } = outcome;
  if (answer.kind === 'refused') {
    recordFailedCall(relay, { ...call, intent: call.plan, incoming: asTask(call.incoming) });
    await settleFailed(relay, call, answer.reason, answer.columns);
    return { status: answer.status, body: answer.body };
  }
  await settleAccepted(relay, call, answer);
  await countSuccess();
  const site = { options: relay.ctx.options(), nowMs: relay.ctx.now() };
  return { status: 200, body: answer.answer(call.publicId, site) };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof UpstreamFailure)) return storedError(asAppError(error));
  const own = error.shown.instead ?? error.cause;
  return own instanceof AppError ? storedError(own) : error.shown.message;
}

/** The first acceptance, or the last failure, with what is known of the submission then. */
async function submitted(
  relay: Ports<
    'breakers' | 'budgets' | 'chooser' | 'credit' | 'ctx' | 'inFlight' | 'pools' | 'routing'
  >,
  planned: TaskCall,
  route: TaskCandidates,
): Promise<{ call: TaskCall } & ({ answer: SubmitAnswer } | { error: unknown })> {
  let call = planned;
  try {
    call = { ...call, hold: await holdTask(relay, call) };
    call = { ...call, rowId: await openRow(relay, call) };
    const tried = new Set<number>();
    let last: SubmitAnswer | UpstreamFailure | undefined;
    for (let number = 0; number < route.attempts; number += 1) {
      const choice = route.next(number, tried);
      if (choice === undefined) break;
      if (number > 0) await pause(backoffMs(number - 1));
      tried.add(choice.channel.id);
      call = { ...call, channel: choice.channel, keyId: choice.key.id };
      const { attempt, result } = await attemptTask(relay, call, choice, route.originUpstreamId);
      call = { ...call, attempts: [...call.attempts, attempt] };
      last = result;
      if (!maySearchOn(last)) break;
    }
    if (last instanceof UpstreamFailure) throw last;
    if (last !== undefined) return { call, answer: last };
    throw noChannel(relay, { group: call.caller.group, model: call.plan.model });
  } catch (error) {
    return { call, error };
  }
}

function maySearchOn(last: SubmitAnswer | UpstreamFailure): boolean {
  if (last instanceof UpstreamFailure) return mayTryOtherChannel(last);
  return last.kind === 'refused' && last.elsewhere;
}
