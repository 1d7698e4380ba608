/** Makes one attempt to submit a task. */

import { AppError } from '../../domain/errors/errors.ts';
import { parseJson } from '../../json/read-json.ts';
import type { SubmitAnswer } from '../../providers/tasks/task-provider.ts';
import { disableChannel } from '../../services/channels/channel-health.ts';
import { refusalReason } from '../../services/channels/channel-reasons.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { AttemptRecord, AttemptResult } from '../call/call-stages.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import { attemptRecord, reportUpstream } from '../failures/attempt-outcome.ts';
import { failureResult } from '../failures/attempt-results.ts';
import { UpstreamFailure } from '../failures/failed-attempt.ts';
import { brokenAttempt, refusedAttempt } from '../failures/upstream-failures.ts';
import { sendThrough } from '../http/channel-exchange.ts';
import type { TaskCall } from './task-call.ts';
import { callbackUrl, taskRequestOf } from './task-upstream.ts';

const TIMEOUT_MS = 60_000;

interface Attempted {
  readonly attempt: AttemptRecord;
  readonly result: SubmitAnswer | UpstreamFailure;
}

/** @throws errors caused by neither the upstream nor its connection. */
export async function attemptTask(
  relay: Ports<'breakers' | 'chooser' | 'ctx' | 'inFlight' | 'pools'>,
  call: TaskCall,
  choice: Choice,
  originUpstreamId: string,
): Promise<Attempted> {
  relay.breakers.begin(choice.channel.id, call.plan.model);
  const startedAtMs = relay.ctx.now();
  try {
    const answer = await submit(relay, call, choice, originUpstreamId);
    const result = recordAnswer(relay, call, choice, answer);
    return { attempt: recordOf(relay, call, choice, startedAtMs, result), result: answer };
  } catch (thrown) {
    const failure = brokenAttempt(relay, call, thrown);
    if (!(failure instanceof UpstreamFailure)) {
      relay.breakers.released(choice.channel.id, call.plan.model);
      throw failure;
    }
    const attempt = recordOf(relay, call, choice, startedAtMs, failureResult(failure));
    const { plan, incoming } = call;
    const text = () => JSON.stringify([plan, incoming.path]);
    const fault = { model: plan.model, choice, error: failure };
    reportUpstream(relay, fault, { requestId: incoming.requestId, text });
    return { attempt, result: failure };
  }
}

async function submit(
  relay: Ports<'ctx' | 'pools'>,
  call: TaskCall,
  { channel, key }: Choice,
  originUpstreamId: string,
): Promise<SubmitAnswer> {
  const { ctx, pools } = relay;
  const { provider, plan } = call;
  const isCalledBack = provider.callbacks?.isWanted(ctx.options()) === true;
  const submission = provider.buildSubmit(plan, {
    originUpstreamId,
    callbackUrl: isCalledBack ? callbackUrl(ctx, provider, channel.id) : undefined,
  });
  const { relayTimeoutMs } = ctx.config;
  const timeoutMs = relayTimeoutMs > 0 ? Math.min(TIMEOUT_MS, relayTimeoutMs) : TIMEOUT_MS;
  const channelRequest = {
    ...taskRequestOf(ctx, provider, { channel, key: key.key }, submission),
    timeoutMs,
  };
  const reply = await sendThrough(pools, ctx, channel, channelRequest);
  const answer = provider.readSubmit(
    plan,
    { status: reply.status, json: parseJson(reply.text) },
    ctx.now(),
  );
  if (answer !== undefined) return answer;
  const { status, headers } = reply;
  if (status >= 200 && status < 300) throw new AppError('upstream_garbled');
  const upstreamError = readUpstreamError({
    status,
    headers,
    bodyText: reply.text,
    nowMs: ctx.now(),
  });
  throw refusedAttempt(relay, call, upstreamError);
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
 * Whether another channel may be tried: only if this one has certainly not accepted the task. An
 * upstream that did not answer may have started it already.
 */
export function mayTryOtherChannel({ retryable, cause }: UpstreamFailure): boolean {
  if (!retryable) return false;
  if (!(cause instanceof AppError)) return true;
  if (cause.code === 'channel_unusable') return true;
  const { cause: broken } = cause;
  const code = broken instanceof Error && 'code' in broken ? String(broken.code) : '';
  return NEVER_SENT.has(code);
}

function recordAnswer(
  relay: Ports<'breakers' | 'ctx' | 'inFlight'>,
  call: TaskCall,
  choice: Choice,
  answer: SubmitAnswer,
): AttemptResult {
  relay.breakers.succeeded(choice.channel.id, call.plan.model);
  if (answer.kind !== 'refused') return { status: 200, code: '', message: '' };
  if (answer.channelIsOut) disableInBackground(relay, choice, answer);
  const { status, code, reason } = answer;
  return { status, code, message: reason.slice(0, 1_000) };
}

/** The record of the attempt as that of any call; tasks have no affinity. */
function recordOf(
  relay: Ports<'ctx'>,
  { plan }: TaskCall,
  choice: Choice,
  startedAtMs: number,
  result: AttemptResult,
): AttemptRecord {
  const call = { upstreamModel: plan.model, sticky: undefined };
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
