/** One exchange with a channel's upstream outside of any model call. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { parseJson } from '../../json/read-json.ts';
import { buildRequest } from '../../providers/openai-request.ts';
import type { ProviderEndpoint } from '../../providers/row.ts';
import type { RequestCredentials, RequestPlan } from '../../providers/transports/transport.ts';
import type { UpstreamUrl } from '../../providers/upstream-url.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { providerFor } from '../call/channel-provider.ts';
import { bytesWithoutKeys, type Keyed, withoutKeys } from '../failures/redact-repeated-keys.ts';
import { apiVersionOf } from '../translate/dialect-request.ts';
import { TokenRefused } from './access-token-cache.ts';
import { createUpstreamPools, type UpstreamPools } from './connection-pools.ts';
import { decodeBody } from './content-encoding.ts';
import { proven } from './sign-request.ts';
import { collect, type UpstreamRequest as Sent, UpstreamCall } from './upstream-call.ts';

const PATIENCE_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

export interface Reply {
  readonly status: number;
  readonly headers: UpstreamCall['headers'];
  /** The body, decoded, without the keys of the channel. */
  readonly bytes: Buffer;
  readonly text: string;
  /** Epoch ms of the status line. */
  readonly firstByteAtMs: number;
}

export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: UpstreamUrl;
  readonly headers: Readonly<Record<string, string>>;
  /** What must still be done to prove who asks. */
  readonly proof?: RequestCredentials | undefined;
  readonly body?: Sent['body'];
  /** For everything, the body included; a minute unless told otherwise. */
  readonly patienceMs?: number;
  /** Closes the connection when it fires. */
  readonly signal?: AbortSignal | undefined;
  /** Of the answer; 8 MiB unless told otherwise. */
  readonly maxBytes?: number;
}

/** What a request to the channel's upstream is built from; the key is the first that serves. */
export function planOf(
  ctx: Context,
  channel: ChannelEntry,
  asked: Pick<RequestPlan, 'endpoint' | 'model' | 'clientModel' | 'stream'>,
): RequestPlan {
  return {
    provider: providerFor(channel),
    baseUrl: channel.baseUrl,
    key: channel.keys[0]?.key ?? '',
    other: channel.other,
    organization: channel.organization,
    endpoint: asked.endpoint,
    model: asked.model,
    ...(asked.clientModel === undefined ? {} : { clientModel: asked.clientModel }),
    stream: asked.stream === true,
    azureApiVersion: ctx.config.azureApiVersion,
    apiVersion: apiVersionOf(ctx, channel, asked.model),
    channelCreatedAtSec: channel.createdAtSec,
    siteUrl: ctx.options().get('ServerAddress'),
  };
}

/** A call to one of the channel's endpoints. @throws as `ask`, and what `buildRequest` throws. */
export function exchange(
  ctx: Context,
  channel: ChannelEntry,
  asked: {
    endpoint: ProviderEndpoint;
    model: string;
    clientModel: string;
    body: Sent['body'];
    /** Beside those of the channel. */
    headers?: Readonly<Record<string, string>>;
    stream?: boolean;
    signal?: AbortSignal | undefined;
  },
): Promise<Reply> {
  const request = buildRequest(planOf(ctx, channel, asked));
  const headers = { ...request.headers, ...asked.headers };
  return ask(ctx, channel, { ...request, headers, body: asked.body, signal: asked.signal });
}

/**
 * Asks through the channel's proxy, with a pool of its own: a probe is rare, and must not lean on a
 * warm connection.
 * @throws AppError upstream_timeout, upstream_too_large; what broke the connection.
 */
export async function ask(ctx: Context, channel: ChannelEntry, question: Question): Promise<Reply> {
  const pools = createUpstreamPools({
    connections: 1,
    connectTimeoutMs: Math.min(ctx.config.connectTimeoutMs, question.patienceMs ?? PATIENCE_MS),
  });
  try {
    return await askThrough(pools, ctx, channel, question);
  } finally {
    await pools.close();
  }
}

/** The same with pools that are kept. @throws as `ask`. */
export async function askThrough(
  pools: UpstreamPools,
  ctx: Pick<Context, 'now' | 'config'>,
  channel: ChannelEntry,
  question: Question,
): Promise<Reply> {
  const { patienceMs = PATIENCE_MS, maxBytes = MAX_BYTES, signal } = question;
  const call = await openExchange(pools, ctx, channel, question);
  const endsAtMs = ctx.now() + patienceMs;
  const isOver = () => signal?.aborted === true || endsAtMs <= ctx.now();
  const leftMs = () => (isOver() ? -1 : endsAtMs - ctx.now());
  const end = () => {
    call.abort();
    call.interrupt();
  };
  signal?.addEventListener('abort', end);
  try {
    if (isOver()) throw new AppError('upstream_timeout');
    if ((await call.start(patienceMs)) !== 'started') throw new AppError('upstream_timeout');
    const firstByteAtMs = ctx.now();
    const raw = await decodeBody(await collect(call, maxBytes, leftMs), call.headers, maxBytes);
    const bytes = bytesWithoutKeys(raw, channel.keys);
    return {
      status: call.status,
      headers: call.headers,
      bytes,
      text: bytes.toString('utf8'),
      firstByteAtMs,
    };
  } catch (error) {
    call.abort();
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** The call itself, under way; its answer is the caller's to read. @throws as `proven`. */
export async function openExchange(
  pools: UpstreamPools,
  ctx: Pick<Context, 'now' | 'config'>,
  channel: ChannelEntry,
  { method, url, headers, proof, body }: Question,
): Promise<UpstreamCall> {
  const request = {
    method,
    ...url,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body,
    ...(proof === undefined ? {} : { proof }),
  };
  const source = {
    nowMs: ctx.now(),
    tokenUrl: ctx.config.googleTokenUrl,
    ask: (question: Question) => askThrough(pools, ctx, channel, question),
  };
  const pool = pools.poolFor(url.origin, channel.setting.proxy);
  return new UpstreamCall(pool, await proven(request, source));
}

/**
 * The JSON of a GET.
 * @throws AppError `upstream_status` with what the upstream said, `upstream_failed` for a broken
 * connection, `upstream_garbled` for no JSON, and as `ask`.
 */
export async function askJson(
  ctx: Context,
  channel: ChannelEntry,
  question: Omit<Question, 'method' | 'body'>,
): Promise<unknown> {
  const reply = await ask(ctx, channel, { ...question, method: 'GET' }).catch((error: unknown) => {
    throw asUpstreamFailure(error);
  });
  if (reply.status !== 200) throw refusalOf(refusedReply(ctx, reply, channel.keys));
  const json = parseJson(reply.text);
  if (json === undefined) throw new AppError('upstream_garbled');
  return json;
}

/** What breaks a connection has a name of its own in every library; here it has one. */
export function asUpstreamFailure(error: unknown): AppError {
  if (error instanceof TokenRefused) return refusalOf(error.upstream);
  return error instanceof AppError ? error : new AppError('upstream_failed', {}, { cause: error });
}

/** What was refused, without any of `keys`. */
export function refusedReply(
  ctx: Context,
  { status, headers, text }: Pick<Reply, 'status' | 'headers' | 'text'>,
  keys: readonly Keyed[],
): UpstreamError {
  const error = readUpstreamError({ status, headers, bodyText: text, nowMs: ctx.now() });
  return withoutKeys(error, keys);
}

/** An upstream's refusal as an answer to an operator, in its own words. */
export function refusalOf({ status, message }: UpstreamError): AppError {
  return new AppError('upstream_status', { status, message });
}
