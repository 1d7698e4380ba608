/**
 * Handles a task submission from authentication to billing. The row is created before the upstream
 * is called, and the upstream's answer is charged and stored in one transaction, so that a task is
 * charged exactly when it was accepted.
 */
import { AppError, asAppError } from '../../domain/errors/errors.ts';
import { groupRatioOf } from '../../domain/pricing/find-price.ts';
import { storedError } from '../../locales/event-text.ts';
import type { AcceptedTask, TaskProvider } from '../../providers/tasks/task-provider.ts';
import { randomText } from '../../services/random/random-text.ts';
import { takeCallPermits } from '../admission/caps.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { settleWithin } from '../billing/settle.ts';
import { readAll } from '../body/read-fields.ts';
import { type Admitted, admitted } from '../call/admitted.ts';
import { emptyMemo, readSent } from '../call/call-intent.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Relay } from '../call/relay-ports.ts';
import { NO_ROUTE } from '../call/route.ts';
import { UpstreamFailure } from '../failures/failed-attempt.ts';
import {
  type FailedCallFacts,
  type KnownCall,
  recordFailedCall,
  recordingFailure,
} from '../failures/failed-call.ts';
import type { Candidates } from '../features/feature.ts';
import { admitCaller, admitModel } from '../stages/admit.ts';
import { choose } from '../stages/pick-channel.ts';
import { receive } from '../stages/read.ts';
import { firstGood, type RetryOutcome } from '../stages/retry-loop.ts';
import { attemptTask, TaskRefused } from './task-attempt.ts';
import { holdTask, openRow, priceOf, settleAccepted, settleFailed } from './task-billing.ts';
import type { Submission } from './task-call.ts';
import { taskCandidatesFor } from './task-channels.ts';

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
  const json = await readSent(await receive(relay, presenter, incoming), readAll);
  const plan = provider.plan({ name, body: json.sent, options: relay.ctx.options() });
  known.intent = plan;
  const { model } = plan;
  const asked = { client: incoming, model, body: { prompt: plan.texts } };
  const caller = await admitModel(relay, presenter, asked, known);
  const candidates = await taskCandidatesFor(relay, { provider, plan, caller });
  const { originUpstreamId } = candidates;
  const publicId = randomText(relay.ctx.random, ID_LENGTH);
  const price = priceOf(relay, plan);
  const intent = {
    ...json,
    memo: emptyMemo(),
    body: json.sent,
    model,
    stream: false,
    wantsUsage: false,
    maxTokens: undefined,
  };
  const groupRatio = groupRatioOf(relay.prices(), caller.group);
  const { calls = 1 } = plan;
  const call = admitted({
    incoming,
    caller,
    intent,
    route: { ...NO_ROUTE, price, groupRatio },
    calls,
  });
  const task = { provider, plan, price, publicId, originUpstreamId };
  const releaseCallPermits = await takeCallPermits(relay, caller, incoming);
  return relay.inFlight.track(
    submitAndSettle(relay, task, call, { candidates, known, ...admission }).finally(
      releaseCallPermits,
    ),
  );
}

interface Way {
  readonly candidates: Candidates;
  readonly countSuccess: CountSuccess;
  readonly known: KnownCall;
}

async function submitAndSettle(
  relay: Relay,
  task: Submission,
  planned: Admitted,
  { candidates, countSuccess, known }: Way,
): Promise<TaskAnswer> {
  const { rowId, outcome } = await submitted(relay, task, planned, candidates);
  const { call } = outcome;
  if ('answer' in outcome) {
    const { answer } = outcome;
    await settleAccepted(relay, task, call, { rowId, answer });
    await countSuccess();
    const site = { options: relay.ctx.options(), nowMs: relay.ctx.now() };
    return { status: 200, body: answer.answer(task.publicId, site) };
  }
  const { error } = outcome;
  known.attempts = call.attempts;
  const refused = error instanceof TaskRefused ? error.answer : undefined;
  const reason = refused?.reason ?? reasonOf(error);
  const failure = { rowId, reason, columns: refused?.columns };
  await settleWithin(relay, settleFailed(relay, task, call, failure));
  if (refused === undefined) throw error;
  recordFailedCall(relay, known, error);
  return { status: refused.status, body: refused.body };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof UpstreamFailure)) return storedError(asAppError(error));
  const own = error.shown.instead ?? error.cause;
  return own instanceof AppError ? storedError(own) : error.shown.message;
}

interface Submitted {
  /** 0 if no row was inserted. */
  readonly rowId: number;
  readonly outcome: RetryOutcome<AcceptedTask, Admitted>;
}

async function submitted(
  relay: Relay,
  task: Submission,
  planned: Admitted,
  { channels, required }: Candidates,
): Promise<Submitted> {
  let call = planned;
  let rowId: number;
  try {
    call = await holdTask(relay, task, call);
    rowId = await openRow(relay, task, call);
  } catch (error) {
    return { rowId: 0, outcome: { call, error } };
  }
  const outcome = await firstGood(relay, call, {
    most: required === undefined ? 1 + relay.ctx.options().get('RetryTimes') : 1,
    channels,
    // Caps of channels do not count tasks.
    pick: (before, situation) => {
      if (required !== undefined && situation.full !== undefined) throw situation.full;
      return { choice: required ?? choose(relay, before, channels, situation), permit: undefined };
    },
    make: (before, { choice }) => attemptTask(relay, task, before, choice),
  });
  return { rowId, outcome };
}
