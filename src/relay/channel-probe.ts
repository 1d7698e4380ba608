/**
 * Asks a channel's upstream itself: one small call, or its list of models. Nothing is charged; the
 * outcome is kept on the channel, and a test leaves a line in the log.
 */

import type { Actor, Service } from '../api/call.ts';
import type { channelProbeCalls } from '../api/channel-probe.ts';
import { type Context, nowSec } from '../context.ts';
import { readModelList } from '../dialects/openai/model-list.ts';
import { readPlainAnswer } from '../dialects/openai/plain-answer.ts';
import { ChatStreamReader } from '../dialects/openai/stream-reader.ts';
import { AppError, asAppError } from '../domain/errors.ts';
import { mapModel } from '../domain/model-names.ts';
import { CHANNEL_STATUS } from '../domain/statuses.ts';
import { readOpenAiUsage, totalInput, totalOutput } from '../domain/usage.ts';
import { errorText } from '../locales/text.ts';
import { parseJson } from '../providers/json.ts';
import { offersEndpoint } from '../providers/openai-request.ts';
import { providerOf } from '../providers/rows.ts';
import { shapeBody } from '../providers/shape-body.ts';
import {
  readUpstreamError,
  shouldDisable,
  type UpstreamError,
} from '../providers/upstream-error.ts';
import { note } from '../services/audit.ts';
import { disableKey, enableChannel } from '../services/channel-health.ts';
import { type ChannelEntry, readChannel } from '../services/views/routing.ts';
import { writing } from '../services/writing.ts';
import { exchange, type Reply } from './channel-exchange.ts';
import { SseReader } from './sse.ts';

type Calls = Service<typeof channelProbeCalls, Context>;

const EMBEDDING_NAME = /embed|^bge-|^m3e/i;
const EMBEDDING_TYPE = 44;
/** Enough for a model that thinks before it speaks to say a word. */
const MAX_TOKENS = 50;

interface Outcome {
  readonly status: number;
  readonly message: string;
  readonly error?: UpstreamError;
  readonly firstTokenMs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The outcome is an answer, whether the upstream did well or not. @throws channel_missing, channel_untestable. */
export const test: Calls['test'] = async (ctx, actor, { id, model, stream }) => {
  const channel = await channelOf(ctx, id);
  const tested = model || channel.testModel || [...channel.models][0] || '';
  const endpoint = isEmbedding(channel, tested) ? 'embeddings' : 'chat';
  if (!offersEndpoint(providerOf(channel.type), endpoint))
    throw new AppError('channel_untestable', { type: providerOf(channel.type).name });
  const startedAtMs = ctx.now();
  const outcome = await tryChannel(ctx, channel, {
    endpoint,
    model: tested,
    stream: stream && endpoint === 'chat',
  });
  const timeMs = ctx.now() - startedAtMs;
  await keepOutcome(ctx, actor, channel, { tested, timeMs, outcome });
  return {
    channel_id: channel.id,
    channel_name: channel.name,
    model: tested,
    success: outcome.message === '',
    message: outcome.message,
    status_code: outcome.status,
    time_ms: timeMs,
    first_token_ms: outcome.firstTokenMs,
    prompt_tokens: outcome.promptTokens,
    completion_tokens: outcome.completionTokens,
  };
};

/** @throws channel_missing, channel_untestable, upstream_status with what the upstream said. */
export const models: Calls['models'] = async (ctx, _actor, { id }) => {
  const channel = await channelOf(ctx, id);
  if (!offersEndpoint(providerOf(channel.type), 'models'))
    throw new AppError('channel_untestable', { type: providerOf(channel.type).name });
  const { status, text, headers } = await exchange(ctx, channel, {
    endpoint: 'models',
    model: '',
    body: undefined,
  });
  if (status !== 200) {
    const error = readUpstreamError({ status, headers, bodyText: text, nowMs: ctx.now() });
    throw new AppError('upstream_status', { status, message: error.message });
  }
  const names = readModelList(parseJson(text));
  const offered = new Set(names);
  return {
    channel_id: channel.id,
    models: names,
    missing_upstream: [...channel.models].filter(
      (name) => !offered.has(mapModel(channel.mapping, name, name) ?? name),
    ),
    not_listed: names.filter((name) => !channel.models.has(name)),
  };
};

async function channelOf(ctx: Context, id: number): Promise<ChannelEntry> {
  const channel = await readChannel(ctx.reads, ctx.secrets, ctx.log, id);
  if (channel === undefined) throw new AppError('channel_missing', { channel: id });
  return channel;
}

function isEmbedding(channel: ChannelEntry, model: string): boolean {
  return channel.type === EMBEDDING_TYPE || EMBEDDING_NAME.test(model);
}

interface Trial {
  readonly endpoint: 'chat' | 'embeddings';
  readonly model: string;
  readonly stream: boolean;
}

async function tryChannel(ctx: Context, channel: ChannelEntry, trial: Trial): Promise<Outcome> {
  try {
    return await answered(ctx, channel, trial);
  } catch (thrown) {
    const error =
      thrown instanceof AppError ? thrown : new AppError('upstream_failed', {}, { cause: thrown });
    ctx.log.debug({ err: error.cause ?? error, channelId: channel.id }, 'a channel test failed');
    return {
      status: 0,
      message: errorText(asAppError(error), 'en'),
      firstTokenMs: 0,
      promptTokens: 0,
      completionTokens: 0,
    };
  }
}

async function answered(ctx: Context, channel: ChannelEntry, trial: Trial): Promise<Outcome> {
  const provider = providerOf(channel.type);
  const upstreamModel = mapModel(channel.mapping, trial.model, trial.model) ?? trial.model;
  const asked =
    trial.endpoint === 'embeddings'
      ? { model: upstreamModel, input: 'hi' }
      : {
          model: upstreamModel,
          messages: [{ role: 'user', content: 'hi' }],
          max_tokens: MAX_TOKENS,
          ...(trial.stream ? { stream: true } : {}),
        };
  const shaped = shapeBody(provider, trial.endpoint, asked, {
    upstreamModel,
    stream: trial.stream,
    isListed: channel.models.has(upstreamModel),
  });
  const body = JSON.stringify(shaped === 'unchanged' ? asked : shaped);
  const startedAtMs = ctx.now();
  const reply = await exchange(ctx, channel, {
    endpoint: trial.endpoint,
    model: upstreamModel,
    body,
  });
  if (reply.status !== 200) {
    const error = readUpstreamError({
      status: reply.status,
      headers: reply.headers,
      bodyText: reply.text,
      nowMs: ctx.now(),
    });
    return failed(reply.status, error);
  }
  const isStream = String(reply.headers['content-type'] ?? '').startsWith('text/event-stream');
  return isStream
    ? streamOutcome(reply, startedAtMs, upstreamModel)
    : plainOutcome(reply, trial.endpoint);
}

function failed(status: number, error: UpstreamError): Outcome {
  return {
    status,
    message: error.message,
    error,
    firstTokenMs: 0,
    promptTokens: 0,
    completionTokens: 0,
  };
}

function plainOutcome(reply: Reply, endpoint: Trial['endpoint']): Outcome {
  const plain = readPlainAnswer(reply.text, { endpoint });
  if (plain.error !== undefined) return failed(plain.error.status, plain.error);
  const usage = plain.usage === undefined ? undefined : readOpenAiUsage(plain.usage);
  return {
    status: reply.status,
    message: usage === undefined && plain.isEmpty ? 'the answer has neither content nor usage' : '',
    firstTokenMs: 0,
    promptTokens: usage === undefined ? 0 : totalInput(usage),
    completionTokens: usage === undefined ? 0 : totalOutput(usage),
  };
}

function streamOutcome(reply: Reply, startedAtMs: number, model: string): Outcome {
  const sse = new SseReader();
  const reader = new ChatStreamReader({
    endpoint: 'chat',
    clientAskedUsage: false,
    identity: { id: '', createdSec: 0, model },
  });
  const bytes = Buffer.from(reply.text);
  for (const event of [...sse.push(bytes), ...sse.end()])
    if (event.kind === 'data') reader.read(event.data);
  if (reader.error !== undefined) return failed(reader.error.status, reader.error);
  const usage = reader.usage === undefined ? undefined : readOpenAiUsage(reader.usage);
  return {
    status: reply.status,
    message: reader.isComplete ? '' : 'the stream ended before it was finished',
    firstTokenMs: reply.firstByteAtMs - startedAtMs,
    promptTokens: usage === undefined ? 0 : totalInput(usage),
    completionTokens: usage === undefined ? 0 : totalOutput(usage),
  };
}

/** Response and test time always; status by the same options as for calls. */
async function keepOutcome(
  ctx: Context,
  actor: Actor,
  channel: ChannelEntry,
  { tested, timeMs, outcome }: { tested: string; timeMs: number; outcome: Outcome },
): Promise<void> {
  await writing(ctx, async (ctx) => {
    await ctx
      .db('channels')
      .where({ id: channel.id })
      .update({ response_time: timeMs, test_time: nowSec(ctx) });
    await note(ctx, actor, {
      action: 'channel_test',
      content: `channel ${channel.id} ${outcome.message === '' ? 'answered' : 'failed'} a test with ${tested}`,
      facts: {
        channel_id: channel.id,
        model: tested,
        status_code: outcome.status,
        time_ms: timeMs,
        message: outcome.message,
      },
    });
  });
  const options = ctx.options();
  if (outcome.message === '') {
    const mayEnable =
      options.get('AutomaticEnableChannelEnabled') &&
      channel.status === CHANNEL_STATUS.auto_disabled;
    if (mayEnable) await enableChannel(ctx, channel.id);
    return;
  }
  const key = channel.keys[0];
  const mayDisable =
    options.get('AutomaticDisableChannelEnabled') && channel.autoBan && key !== undefined;
  if (!mayDisable || outcome.error === undefined) return;
  const question = { channelType: channel.type, keywords: options.get('AutomaticDisableKeywords') };
  if (shouldDisable(outcome.error, question)) {
    await disableKey(ctx, {
      channelId: channel.id,
      keyId: key.id,
      reason: `${outcome.status} ${outcome.message}`,
    });
  }
}
