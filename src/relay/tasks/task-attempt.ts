/** Makes one attempt to submit a task. */

import { AppError } from '../../domain/errors/errors.ts';
import { parseJson } from '../../json/read-json.ts';
import type { AcceptedTask, RefusedTask } from '../../providers/tasks/task-provider.ts';
import { disableChannel } from '../../services/channels/channel-health.ts';
import { refusalReason } from '../../services/channels/channel-reasons.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { Admitted } from '../call/admitted.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import { NOTHING_RESERVED } from '../call/reservation.ts';
import { attemptRecord, recordFailure, recordSuccess } from '../failures/attempt-outcome.ts';
import { UpstreamFailure } from '../failures/failed-attempt.ts';
import { brokenAttempt, refusedAttempt } from '../failures/upstream-failures.ts';
import { sendThrough } from '../http/channel-exchange.ts';
import type { AttemptFailed, Sent } from '../stages/retry-loop.ts';
import { holdAtChannel } from './task-billing.ts';
import type { Submission } from './task-call.ts';
import { callbackUrl, taskRequestOf } from './task-upstream.ts';

const TIMEOUT_MS = 60_000;

/** The upstream answers that it does not accept the task. */
export class TaskRefused extends UpstreamFailure {
  readonly answer: RefusedTask;

  constructor(answer: RefusedTask) {
    const { status, code, reason: message, elsewhere: retryable } = answer;
    const upstream = { status, message, type: '', code, param: '', retryable, disablesKey: false };
    super({ upstream, shown: { ...upstream, param: null }, retryable });
    this.answer = answer;
  }
}

type AttemptPorts = Ports<
  | 'affinity'
  | 'breakers'
  | 'budgets'
  | 'chooser'
  | 'credit'
  | 'ctx'
  | 'inFlight'
  | 'pools'
  | 'prices'
>;

export async function attemptTask(
  relay: AttemptPorts,
  task: Submission,
  before: Admitted,
  choice: Choice,
): Promise<Sent<AcceptedTask, Admitted> | AttemptFailed> {
  const { channel, key } = choice;
  const upstreamModel = task.plan.model;
  const route = { ...before.route, channel, keyId: key.id, upstreamModel };
  let call: Admitted;
  try {
    call = await holdAtChannel(relay, task, { ...before, route });
  } catch (error) {
    const unreserved = { ...before, reservation: NOTHING_RESERVED };
    return { call: unreserved, error, hasOtherKey: false };
  }
  return attemptHeld(relay, task, call, choice);
}

/** With the hold of the chosen channel. */
async function attemptHeld(
  relay: AttemptPorts,
  task: Submission,
  call: Admitted,
  choice: Choice,
): Promise<Sent<AcceptedTask, Admitted> | AttemptFailed> {
  const { channel } = choice;
  const { model } = task.plan;
  const startedAtMs = relay.ctx.now();
  relay.breakers.begin(channel.id, model);
  try {
    const answer = await submit(relay, task, call, choice);
    relay.breakers.succeeded(channel.id, model);
    const attempt = recordSuccess(relay, call, choice, startedAtMs);
    return { call: { ...call, attempts: [...call.attempts, attempt] }, answer };
  } catch (thrown) {
    const error = brokenAttempt(relay, call, thrown);
    const attempt =
      error instanceof TaskRefused
        ? recordRefusal(relay, call, choice, startedAtMs, error.answer)
        : recordFailure(relay, call, choice, startedAtMs, error).attempt;
    const attempts = attempt === undefined ? call.attempts : [...call.attempts, attempt];
    return { call: { ...call, attempts }, error: finalIfSent(error), hasOtherKey: false };
  }
}

async function submit(
  { ctx, pools }: Ports<'ctx' | 'pools'>,
  { provider, plan, originUpstreamId }: Submission,
  call: Admitted,
  { channel, key }: Choice,
): Promise<AcceptedTask> {
  const isCalledBack = provider.callbacks?.isWanted(ctx.options()) === true;
  const submission = provider.buildSubmit(plan, {
    originUpstreamId,
    callbackUrl: isCalledBack ? callbackUrl(ctx, provider, channel.id) : undefined,
  });
  const { relayTimeoutMs } = ctx.config;
  const { status, headers, text } = await sendThrough(pools, ctx, channel, {
    ...taskRequestOf(ctx, provider, { channel, key: key.key }, submission),
    timeoutMs: relayTimeoutMs > 0 ? Math.min(TIMEOUT_MS, relayTimeoutMs) : TIMEOUT_MS,
  });
  const answer = provider.readSubmit(plan, { status, json: parseJson(text) }, ctx.now());
  if (answer?.kind === 'accepted') return answer;
  if (answer !== undefined) throw new TaskRefused(answer);
  if (status >= 200 && status < 300) throw new AppError('upstream_garbled');
  const error = readUpstreamError({ status, headers, bodyText: text, nowMs: ctx.now() });
  throw refusedAttempt({ ctx }, call, error);
}

const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Another channel may be tried only if this one has certainly not accepted the task. An upstream
 * that did not answer may have started it already.
 */
function finalIfSent(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure) || !error.retryable) return error;
  const { upstream, shown, cause } = error;
  if (!(cause instanceof AppError) || cause.code === 'channel_unusable') return error;
  const { cause: broken } = cause;
  const code = broken instanceof Error && 'code' in broken ? String(broken.code) : '';
  if (NEVER_SENT.has(code)) return error;
  return new UpstreamFailure({ upstream, shown, retryable: false, cause });
}

/** The channel works: it has answered. */
function recordRefusal(
  relay: Ports<'breakers' | 'ctx' | 'inFlight'>,
  call: Admitted,
  choice: Choice,
  startedAtMs: number,
  answer: RefusedTask,
) {
  const { status, code, reason } = answer;
  relay.breakers.succeeded(choice.channel.id, call.intent.model);
  if (answer.channelIsOut) disableInBackground(relay, choice, answer);
  const result = { status, code, message: reason.slice(0, 1_000) };
  return attemptRecord(relay, call, choice, startedAtMs, result);
}

/**
 * Disables a channel whose upstream account cannot accept tasks. Runs in the background, because no
 * caller waits for it.
 */
function disableInBackground(
  { ctx, inFlight }: Ports<'ctx' | 'inFlight'>,
  { channel }: Choice,
  refusal: { readonly status: number; readonly reason: string },
): void {
  if (!ctx.options().get('AutomaticDisableChannelEnabled') || !channel.autoBan) return;
  const reason = refusalReason({ status: refusal.status, message: refusal.reason });
  const work = disableChannel(ctx, { channelId: channel.id, reason }).catch((error: Error) =>
    ctx.log.error({ err: error, channelId: channel.id }, 'a channel could not be disabled'),
  );
  void inFlight.track(work);
}
