/** Sends requests to a channel's upstream that are not model calls. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { upstreamStatusError } from '../../domain/errors/upstream-status.ts';
import { parseJson } from '../../json/read-json.ts';
import { buildRequest } from '../../providers/requests/openai-request.ts';
import type { UpstreamUrl } from '../../providers/requests/upstream-url.ts';
import type { ProviderEndpoint } from '../../providers/rows/provider-row.ts';
import type { RequestCredentials, RequestPlan } from '../../providers/transports/transport.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { apiVersionOf, providerFor } from '../call/channel-provider.ts';
import { TokenRequestFailed } from './access-token-cache.ts';
import { createUpstreamPools, type UpstreamPools } from './connection-pools.ts';
import { decodeBody } from './content-encoding.ts';
import { bytesWithoutKeys, type Keyed, withoutKeys } from './redact-repeated-keys.ts';
import { signRequest } from './sign-request.ts';
import { collect, type UpstreamRequest as Sent, UpstreamCall } from './upstream-call.ts';

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

export interface Reply {
  readonly status: number;
  readonly headers: UpstreamCall['headers'];
  /** The decoded body, with the channel's keys redacted. */
  readonly bytes: Buffer;
  readonly text: string;
  /** Epoch ms when the status line arrived. */
  readonly firstByteAtMs: number;
}

export interface ChannelRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: UpstreamUrl;
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials that are applied just before sending. */
  readonly credentials?: RequestCredentials | undefined;
  readonly body?: Sent['body'];
  /** Timeout of the whole exchange, body included; one minute by default. */
  readonly timeoutMs?: number;
  /** Aborts the exchange. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of the response body; 8 MiB by default. */
  readonly maxBytes?: number;
}

/** What a request to the channel's upstream is built from, with the channel's first enabled key. */
export function requestPlanOf(
  ctx: Context,
  channel: ChannelEntry,
  target: Pick<RequestPlan, 'endpoint' | 'model' | 'clientModel' | 'stream'>,
): RequestPlan {
  return {
    provider: providerFor(channel),
    baseUrl: channel.baseUrl,
    key: channel.keys[0]?.key ?? '',
    other: channel.other,
    organization: channel.organization,
    endpoint: target.endpoint,
    model: target.model,
    ...(target.clientModel === undefined ? {} : { clientModel: target.clientModel }),
    stream: target.stream === true,
    azureApiVersion: ctx.config.azureApiVersion,
    apiVersion: apiVersionOf(ctx, channel, target.model),
    channelCreatedAtSec: channel.createdAtSec,
    siteUrl: ctx.options().get('ServerAddress'),
  };
}

/** Calls one of the channel's endpoints. @throws as `sendRequest`, and what `buildRequest` throws. */
export function callEndpoint(
  ctx: Context,
  channel: ChannelEntry,
  target: {
    endpoint: ProviderEndpoint;
    model: string;
    clientModel: string;
    body: Sent['body'];
    /** Added to the channel's own headers. */
    headers?: Readonly<Record<string, string>>;
    stream?: boolean;
    signal?: AbortSignal | undefined;
  },
): Promise<Reply> {
  const request = buildRequest(requestPlanOf(ctx, channel, target));
  const headers = { ...request.headers, ...target.headers };
  return sendRequest(ctx, channel, {
    ...request,
    headers,
    body: target.body,
    signal: target.signal,
  });
}

/**
 * Sends the request through the channel's proxy with a new pool: these requests are rare and must
 * not depend on an open connection.
 * @throws AppError upstream_timeout, upstream_too_large; what broke the connection.
 */
export async function sendRequest(
  ctx: Context,
  channel: ChannelEntry,
  request: ChannelRequest,
): Promise<Reply> {
  const pools = createUpstreamPools({
    connections: 1,
    connectTimeoutMs: Math.min(ctx.config.connectTimeoutMs, request.timeoutMs ?? TIMEOUT_MS),
  });
  try {
    return await sendThrough(pools, ctx, channel, request);
  } finally {
    await pools.close();
  }
}

/** Like `sendRequest`, with existing pools. @throws as `sendRequest`. */
export async function sendThrough(
  pools: UpstreamPools,
  ctx: Pick<Context, 'now' | 'config'>,
  channel: ChannelEntry,
  request: ChannelRequest,
): Promise<Reply> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal } = request;
  const call = await openExchange(pools, ctx, channel, request);
  const endsAtMs = ctx.now() + timeoutMs;
  const isOver = () => signal?.aborted === true || endsAtMs <= ctx.now();
  const leftMs = () => (isOver() ? -1 : endsAtMs - ctx.now());
  const end = () => {
    call.abort();
    call.interrupt();
  };
  signal?.addEventListener('abort', end);
  try {
    if (isOver()) throw new AppError('upstream_timeout');
    if ((await call.start(timeoutMs)) !== 'started') throw new AppError('upstream_timeout');
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

/** Starts the exchange; the caller reads the answer. @throws as `signRequest`. */
export async function openExchange(
  pools: UpstreamPools,
  ctx: Pick<Context, 'now' | 'config'>,
  channel: ChannelEntry,
  { method, url, headers, credentials, body }: ChannelRequest,
): Promise<UpstreamCall> {
  const request = {
    method,
    ...url,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body,
    ...(credentials === undefined ? {} : { credentials }),
  };
  const source = {
    nowMs: ctx.now(),
    tokenUrl: ctx.config.googleTokenUrl,
    send: (request: ChannelRequest) => sendThrough(pools, ctx, channel, request),
  };
  const pool = pools.poolFor(url.origin, channel.setting.proxy);
  return new UpstreamCall(pool, await signRequest(request, source));
}

/**
 * Returns the JSON of a GET.
 * @throws AppError `upstream_status` with the upstream's message, `upstream_failed` for a broken
 * connection, `upstream_garbled` for invalid JSON, and as `sendRequest`.
 */
export async function fetchJson(
  ctx: Context,
  channel: ChannelEntry,
  request: Omit<ChannelRequest, 'method' | 'body'>,
): Promise<unknown> {
  const reply = await sendRequest(ctx, channel, { ...request, method: 'GET' }).catch(
    (error: unknown) => {
      throw asUpstreamFailure(error);
    },
  );
  if (reply.status !== 200) throw upstreamStatusError(readErrorReply(ctx, reply, channel.keys));
  const json = parseJson(reply.text);
  if (json === undefined) throw new AppError('upstream_garbled');
  return json;
}

/** Maps connection errors, which every library names differently, to one AppError. */
export function asUpstreamFailure(error: unknown): AppError {
  if (error instanceof TokenRequestFailed) return upstreamStatusError(error.upstream);
  return error instanceof AppError ? error : new AppError('upstream_failed', {}, { cause: error });
}

/** Reads an error response, with `keys` redacted. */
export function readErrorReply(
  ctx: Context,
  { status, headers, text }: Pick<Reply, 'status' | 'headers' | 'text'>,
  keys: readonly Keyed[],
): UpstreamError {
  const error = readUpstreamError({ status, headers, bodyText: text, nowMs: ctx.now() });
  return withoutKeys(error, keys);
}
