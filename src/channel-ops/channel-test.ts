/** Makes one small call to an upstream. */
import type { Context } from '../context.ts';
import { DIALECTS, UPSTREAM_DIALECTS } from '../dialects/all.ts';
import type { UpstreamDialect } from '../dialects/hub/dialect.ts';
import { mapModel } from '../domain/channels/model-names.ts';
import { AppError } from '../domain/errors/errors.ts';
import { upstreamStatusError } from '../domain/errors/upstream-status.ts';
import { type JsonObject, parseJson } from '../json/read-json.ts';
import { needsResponsesApi } from '../providers/requests/responses-models.ts';
import { shapeBody } from '../providers/requests/shape-body.ts';
import { TASK_PROVIDERS } from '../providers/tasks/all.ts';
import { asksForStream, providerFor } from '../relay/call/channel-provider.ts';
import { upstreamDialect } from '../relay/call/dialect-pair.ts';
import { pollUntilDoneAlone } from '../relay/features/polling/poll-until-done.ts';
import { TokenRequestFailed } from '../relay/http/access-token-cache.ts';
import type { ArrivedBody } from '../relay/http/answer-types.ts';
import {
  asUpstreamFailure,
  callEndpoint,
  type Reply,
  readErrorReply,
  sendRequest,
} from '../relay/http/channel-exchange.ts';
import { withoutKeys } from '../relay/http/redact-repeated-keys.ts';
import { hasResponsesApi } from '../relay/routing/responses-api.ts';
import { taskRequestOf } from '../relay/tasks/task-upstream.ts';
import { readNamed, wrapPayload } from '../relay/translate/dialect-request.ts';
import type { ChannelEntry } from '../services/cache/routing-cache.ts';
import {
  type EndpointTestRequest,
  endpointTestRequest,
  hasRequestedContent,
  readEndpointTestAnswer,
  type TestEndpoint,
} from './endpoint-test.ts';
import {
  answerOutcome,
  dialectOutcome,
  errorOutcome,
  successOutcome,
  type TestOutcome,
  upstreamErrorOutcome,
} from './test-outcome.ts';

/** Enough for a reasoning model to output a word after its reasoning. */
const MAX_TOKENS = 50;
const POLL_LIMIT_MS = 60_000;

export interface TestRequest {
  /** `task`: a query to a provider of tasks. */
  readonly endpoint: 'chat' | TestEndpoint | 'task';
  readonly model: string;
  readonly stream: boolean;
  /** Ends the test early. */
  readonly signal?: AbortSignal | undefined;
}

/** Never throws: every error becomes the outcome. */
export async function sendTestRequest(
  ctx: Context,
  channel: ChannelEntry,
  trial: TestRequest,
): Promise<TestOutcome> {
  try {
    return await abortable(outcomeOf(ctx, channel, trial), trial.signal);
  } catch (thrown) {
    if (thrown instanceof TokenRequestFailed)
      return upstreamErrorOutcome(thrown.upstream.status, thrown.upstream);
    const error = asUpstreamFailure(thrown);
    ctx.log.debug({ err: error.cause ?? error, channelId: channel.id }, 'a channel test failed');
    return errorOutcome(0, error);
  }
}

/**
 * Does not wait for cleanup after the signal, such as closing a connection that is being opened.
 */
function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const ended = new Promise<never>((_, reject) => {
    const end = () => reject(new AppError('upstream_timeout'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return Promise.race([work, ended]);
}

async function outcomeOf(
  ctx: Context,
  channel: ChannelEntry,
  trial: TestRequest,
): Promise<TestOutcome> {
  if (trial.endpoint === 'task') return taskOutcome(ctx, channel, trial);
  return modelOutcome(ctx, channel, { ...trial, endpoint: trial.endpoint });
}

/** A query that names no task and costs nothing. */
async function taskOutcome(
  ctx: Context,
  channel: ChannelEntry,
  { signal }: TestRequest,
): Promise<TestOutcome> {
  const provider = TASK_PROVIDERS.find(({ channelTypes }) => channelTypes.includes(channel.type));
  if (provider === undefined) throw new AppError('internal');
  const { poll } = provider;
  const key = channel.keys[0]?.key ?? '';
  const question = taskRequestOf(ctx, provider, { channel, key }, poll.build([]));
  const reply = await sendRequest(ctx, channel, { ...question, signal });
  const { status } = reply;
  if (status !== 200) return upstreamErrorOutcome(status, readErrorReply(ctx, reply, channel.keys));
  const isAnswer = poll.isAnswer(parseJson(reply.text));
  return isAnswer ? successOutcome(status) : errorOutcome(status, new AppError('upstream_garbled'));
}

type ModelTestRequest = TestRequest & { readonly endpoint: 'chat' | TestEndpoint };

async function modelOutcome(
  ctx: Context,
  channel: ChannelEntry,
  trial: ModelTestRequest,
): Promise<TestOutcome> {
  const mapped = mapModel(channel.mapping, trial.model, trial.model);
  if (mapped === undefined) throw new AppError('mapping_broken', { channel: channel.id });
  const upstreamModel = readNamed(ctx, channel, mapped, MAX_TOKENS).model;
  const { endpoint } = trial;
  if (endpoint !== 'chat') return endpointOutcome(ctx, channel, trial, endpoint, upstreamModel);
  const dialect = testDialect(channel, upstreamModel);
  const startedAtMs = ctx.now();
  const reply = await callEndpoint(ctx, channel, {
    endpoint: dialect.endpoint ?? endpoint,
    model: upstreamModel,
    clientModel: trial.model,
    stream: isStreamed(channel, trial, upstreamModel),
    signal: trial.signal,
    ...testMessage(channel, trial, upstreamModel),
  });
  const { keys } = channel;
  return reply.status === 200
    ? dialectOutcome(reply, dialect, { startedAtMs, keys })
    : upstreamErrorOutcome(reply.status, readErrorReply(ctx, reply, keys));
}

async function endpointOutcome(
  ctx: Context,
  channel: ChannelEntry,
  testRequest: TestRequest,
  endpoint: TestEndpoint,
  model: string,
): Promise<TestOutcome> {
  const trial = endpointTestRequest(channel, endpoint, model);
  const { model: clientModel, signal } = testRequest;
  const sent = { endpoint, model, clientModel, signal, ...trial.sent };
  const reply = await callEndpoint(ctx, channel, sent);
  const { status } = reply;
  if (status < 200 || status >= 300)
    return upstreamErrorOutcome(status, readErrorReply(ctx, reply, channel.keys));
  const plain = readEndpointTestAnswer(await wholeReply(ctx, channel, trial, reply, signal), trial);
  if (plain === 'audio') return successOutcome(status);
  if (plain.error !== undefined)
    return upstreamErrorOutcome(plain.error.status, withoutKeys(plain.error, channel.keys));
  if (!hasRequestedContent(plain)) return errorOutcome(status, new AppError('upstream_empty'));
  return answerOutcome(status, plain);
}

/** Waits at most one minute, because an operator is waiting for the test. */
function wholeReply(
  ctx: Context,
  channel: ChannelEntry,
  { reading: { conversion } }: EndpointTestRequest,
  { bytes, headers }: Reply,
  signal: AbortSignal | undefined,
): Promise<ArrivedBody> {
  const endsAtMs = ctx.now() + POLL_LIMIT_MS;
  const first = { bytes, type: String(headers['content-type'] ?? '').toLowerCase() };
  return pollUntilDoneAlone(ctx, first, {
    channel,
    key: channel.keys[0]?.key ?? '',
    conversion,
    leftMs() {
      if (!signal?.aborted && ctx.now() < endsAtMs) return endsAtMs - ctx.now();
      throw new AppError('upstream_timeout');
    },
    refused: (reply) => upstreamStatusError(readErrorReply(ctx, reply, channel.keys)),
  });
}

function testMessage(channel: ChannelEntry, trial: TestRequest, upstreamModel: string) {
  const unwrapped = { headers: {}, body: bodyOf(channel, trial, upstreamModel) };
  const { headers, body } = wrapPayload(providerFor(channel), upstreamModel, unwrapped);
  return { headers, body: JSON.stringify(body) };
}

/** Some models are available at one endpoint only. */
function testDialect(channel: ChannelEntry, model: string): UpstreamDialect {
  const provider = providerFor(channel);
  const usual = UPSTREAM_DIALECTS[upstreamDialect(provider, model)];
  const needs =
    usual.alternative !== undefined &&
    needsResponsesApi(provider.slug, model, () => ({ hasTools: false, isReasoningOff: false }));
  return needs && hasResponsesApi(channel) ? UPSTREAM_DIALECTS[usual.alternative] : usual;
}

function bodyOf(channel: ChannelEntry, trial: TestRequest, upstreamModel: string): JsonObject {
  const stream = isStreamed(channel, trial, upstreamModel);
  const chatRequest = {
    model: upstreamModel,
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: MAX_TOKENS,
  };
  const dialect = testDialect(channel, upstreamModel);
  if (!dialect.isNative) {
    const app = { other: channel.other, user: 'channel-test' };
    const target = { model: upstreamModel, stream, app };
    return dialect.writeRequest(DIALECTS.chat.readRequest(chatRequest), target);
  }
  const shaped = shapeBody(providerFor(channel), 'chat', chatRequest, {
    upstreamModel,
    stream,
    isListed: channel.models.has(upstreamModel),
  });
  return shaped === 'unchanged' ? chatRequest : shaped;
}

function isStreamed(
  channel: ChannelEntry,
  { endpoint, stream }: TestRequest,
  model: string,
): boolean {
  return asksForStream(providerFor(channel), channel, { endpoint, model, stream });
}
