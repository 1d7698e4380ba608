/**
 * Channel tests: one small call to the upstream with one of its keys. Nothing is charged; the
 * outcome is stored on the channel and in its history, and a test writes a log entry.
 */
import type * as z from 'zod/mini';
import type { Actor, Service } from '../api/call.ts';
import type { channelProbeCalls, ProbeResult } from '../api/channels/channel-probe.ts';
import { type Context, nowSec } from '../context.ts';
import { AppError } from '../domain/errors/errors.ts';
import { LOG_TYPE } from '../domain/logs/log-types.ts';
import { storableText } from '../domain/text/storable-text.ts';
import { storedEvent, storedText } from '../locales/event-text.ts';
import { offersEndpoint } from '../providers/requests/openai-request.ts';
import { type ProviderRow, retiredType } from '../providers/rows/provider-row.ts';
import { providerFor } from '../relay/call/channel-provider.ts';
import { type ChannelEntry, requireChannelEntry } from '../services/cache/routing-cache.ts';
import { attemptErrorClass, saveTestOutcome } from '../services/channels/channel-outcomes.ts';
import { limitUpstreamQueries } from '../services/channels/upstream-query-limit.ts';
import { type TxContext, writing } from '../services/cluster/announced-write.ts';
import { eventAudience, recordAction } from '../services/logs/audit.ts';
import { recordTest } from '../store/tables/channels-table.ts';
import { applyTestOutcome } from './apply-test-outcome.ts';
import { sendTestRequest, type TestRequest } from './channel-test.ts';
import type { TestOutcome } from './test-outcome.ts';

type Calls = Service<typeof channelProbeCalls, Context>;
export type ChannelTestResult = z.output<typeof ProbeResult>;

/** The endpoint that a model's name indicates; the first match that is supported applies. */
const ENDPOINTS_BY_NAME: readonly (readonly [RegExp, TestRequest['endpoint']])[] = [
  [/rerank/i, 'rerank'],
  [/embed|(^|\/)bge-|^m3e/i, 'embeddings'],
  [/whisper|transcribe|sensevoice|paraformer/i, 'transcriptions'],
  [/\btts\b|^speech-|cosyvoice|melotts|\baura-/i, 'speech'],
  [
    /dall-e|\bimage\b|^imagen|cogview|seedream|kolors|flux|stable-diffusion|^wan(x|\d)|dreamshaper/i,
    'images',
  ],
];

/** Returns the outcome even if the upstream failed. @throws channel_missing, channel_untestable. */
export const test: Calls['test'] = async (ctx, actor, input, visit) => {
  const { id, model = '', stream, endpoint = '' } = input;
  await limitUpstreamQueries(ctx, actor);
  const channel = await requireChannelEntry(ctx, id);
  const trial = testRequestOf(channel, { model, stream, endpoint });
  const probed = await testKey(ctx, channel, trial);
  await saveTestResult(ctx, actor, channel, { probed, runId: 0 });
  await applyTestOutcome(ctx, channel, probed.outcome);
  const { shown } = probed;
  return { ...shown, message: storedText(shown.message, eventAudience(ctx, visit.language)) };
};

/** One test of a channel with one of its keys: the outcome as shown and as evaluated. */
export interface KeyTestResult {
  /** With the message for `storedText`. */
  readonly shown: ChannelTestResult;
  readonly outcome: TestOutcome;
}

export interface TestLimits {
  /** A slower answer counts as a failure and is not awaited. Absent: no limit. */
  readonly slowAfterMs?: number | undefined;
  /** Ends the test early; its outcome must then be ignored. */
  readonly signal?: AbortSignal;
}

/** Whether channels of this type can be tested. */
export function isTestable(channel: ChannelEntry): boolean {
  return isOffered(providerFor(channel), testEndpoint(channel, defaultModel(channel)));
}

/** @throws AppError `channel_untestable`. */
export function testRequestOf(
  channel: ChannelEntry,
  request: {
    readonly model: string;
    readonly stream: boolean;
    /** Empty: the one that the model's name indicates. */
    readonly endpoint?: TestRequest['endpoint'] | '';
  },
): TestRequest {
  const model = request.model || defaultModel(channel);
  const kind = testEndpoint(channel, model);
  const endpoint = kind === 'task' ? kind : request.endpoint || kind;
  const provider = providerFor(channel);
  if (!provider.supported) throw new AppError('provider_retired', retiredType(provider));
  if (!isOffered(provider, endpoint))
    throw new AppError('channel_untestable', { type: provider.name });
  return { endpoint, model, stream: request.stream && endpoint === 'chat' };
}

function isOffered(provider: ProviderRow, endpoint: TestRequest['endpoint']): boolean {
  return endpoint === 'task' || offersEndpoint(provider, endpoint);
}

function defaultModel(channel: ChannelEntry): string {
  return channel.testModel || [...channel.models][0] || 'gpt-4o-mini';
}

/** Without a match by name: chat, or what a provider without chat offers. */
function testEndpoint(channel: ChannelEntry, model: string): TestRequest['endpoint'] {
  const provider = providerFor(channel);
  if (provider.family === 'task') return 'task';
  const named = ENDPOINTS_BY_NAME.filter(([name]) => name.test(model)).map(
    ([, endpoint]) => endpoint,
  );
  const kinds = [...named, 'chat', 'embeddings', 'images'] as const;
  return kinds.find((endpoint) => isOffered(provider, endpoint)) ?? 'chat';
}

/** Tests with the entry's first key. */
export async function testKey(
  ctx: Context,
  channel: ChannelEntry,
  trial: TestRequest,
  { slowAfterMs, signal }: TestLimits = {},
): Promise<KeyTestResult> {
  const slowSignal = slowAfterMs === undefined ? undefined : AbortSignal.timeout(slowAfterMs);
  const ends = [slowSignal, signal].filter((one) => one !== undefined);
  const startedAtMs = ctx.now();
  const tried = await sendTestRequest(ctx, channel, { ...trial, signal: AbortSignal.any(ends) });
  const timeMs = ctx.now() - startedAtMs;
  const outcome = slowSignal?.aborted && slowAfterMs !== undefined ? tooSlow(slowAfterMs) : tried;
  const shown = {
    channel_id: channel.id,
    channel_name: channel.name,
    model: trial.model,
    success: outcome.message === '',
    message: outcome.message,
    status_code: outcome.status,
    time: timeMs / 1000,
    time_ms: timeMs,
    first_token_ms: outcome.firstTokenMs,
    prompt_tokens: outcome.promptTokens,
    completion_tokens: outcome.completionTokens,
    answer: outcome.answer,
  };
  return { shown, outcome };
}

function tooSlow(slowAfterMs: number): TestOutcome {
  const seconds = slowAfterMs / 1000;
  const slow = { event: 'channel_slow', params: { seconds } } as const;
  return {
    status: 0,
    code: 'slow',
    slow,
    message: storedEvent(slow),
    firstTokenMs: 0,
    promptTokens: 0,
    completionTokens: 0,
    answer: '',
  };
}

/** Stores response time, test time and history, and writes a log entry if the options enable it. */
export async function saveTestResult(
  ctx: Context,
  actor: Actor,
  channel: ChannelEntry,
  { probed, runId }: { readonly probed: KeyTestResult; readonly runId: number },
): Promise<void> {
  const { shown, outcome } = probed;
  await writing(ctx, async (ctx) => {
    const measured = {
      responseTimeMs: shown.time_ms,
      testedAtSec: nowSec(ctx),
      isOk: shown.success,
    };
    await recordTest(ctx.db, channel.id, measured);
    await logTest(ctx, actor, shown);
  });
  await saveTestOutcome(ctx, {
    channel_id: channel.id,
    test_run_id: runId,
    ok: shown.success,
    status: shown.status_code,
    latency_ms: shown.time_ms,
    first_token_ms: shown.first_token_ms,
    error_class: shown.success ? '' : attemptErrorClass(shown.status_code, outcome.code),
    model: shown.model,
    message: shown.message,
  });
}

/** Logged as a free call of the actor, or as an error. */
async function logTest(ctx: TxContext, actor: Actor, shown: ChannelTestResult): Promise<void> {
  const option = shown.success ? 'LogConsumeEnabled' : 'LogErrorEnabled';
  if (!ctx.options().get(option)) return;
  await recordAction(ctx, actor, {
    action: 'channel_test',
    type: shown.success ? LOG_TYPE.consume : LOG_TYPE.error,
    event: shown.success
      ? { event: 'channel_tested' }
      : { event: 'channel_test_failed', params: { reason: storableText(shown.message) } },
    facts: { status_code: shown.status_code, channel_name: shown.channel_name },
    columns: {
      model_name: shown.model,
      channel_id: shown.channel_id,
      prompt_tokens: shown.prompt_tokens,
      completion_tokens: shown.completion_tokens,
      use_time: Math.round(shown.time),
      use_time_ms: shown.time_ms,
      first_token_ms: shown.first_token_ms,
    },
  });
}
