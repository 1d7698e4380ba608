/**
 * Gets answers that are not in the first reply: polls until they are ready, or downloads them. The
 * conversion of the endpoint decides what to request.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { isObject, parseJson } from '../../../json/read-json.ts';
import type { Conversion, FetchedContent } from '../../../providers/conversions/conversion.ts';
import { authHeaders } from '../../../providers/requests/auth-headers.ts';
import { joinUrl, originOf } from '../../../providers/requests/upstream-url.ts';
import type { ChannelEntry } from '../../../services/cache/routing-cache.ts';
import { guardedFetch } from '../../../services/network/egress.ts';
import { errorInSuccess } from '../../../upstream-errors/read-upstream-error.ts';
import { providerFor } from '../../call/channel-provider.ts';
import type { ArrivedBody } from '../../http/answer-types.ts';
import { type ChannelRequest, type Reply, sendThrough } from '../../http/channel-exchange.ts';
import { createUpstreamPools, type UpstreamPools } from '../../http/connection-pools.ts';

export interface PollOptions {
  readonly channel: ChannelEntry;
  readonly key: string;
  readonly conversion: Conversion | undefined;
  /** Milliseconds left (0 = no limit). @throws when the caller no longer waits. */
  leftMs(): number;
  /** Makes the error for a poll that the upstream refused. */
  refused(reply: Reply): Error;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Consecutive polls that may fail, because the upstream's job continues regardless. */
const MAX_SILENT = 3;
const MAX_FETCHED_BYTES = 64 * 1024 * 1024;

/** @throws AppError upstream_failed, upstream_too_large; errors of `refused` and `leftMs`. */
export async function pollUntilDone(
  pools: UpstreamPools,
  ctx: Context,
  first: ArrivedBody,
  options: PollOptions,
): Promise<ArrivedBody> {
  let answer = first;
  let silent = 0;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const step = nextStep(options, answer);
    if (step === undefined) return answer;
    if (step.kind === 'fetch')
      return { ...answer, fetchResult: await fetchResult(pools, ctx, options, step.url) };
    const leftMs = options.leftMs();
    await pause(leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs);
    options.leftMs();
    const reply = await pollOnce(pools, ctx, options, step.path);
    if (reply === undefined && ++silent >= MAX_SILENT) throw new AppError('upstream_failed');
    if (reply === undefined) continue;
    silent = 0;
    answer = {
      bytes: reply.bytes,
      type: String(reply.headers['content-type'] ?? '').toLowerCase(),
    };
  }
}

/** Like `pollUntilDone`, outside of model calls, with its own pools. @throws as `pollUntilDone`. */
export async function pollUntilDoneAlone(
  ctx: Context,
  first: ArrivedBody,
  options: PollOptions,
): Promise<ArrivedBody> {
  if (nextStep(options, first) === undefined) return first;
  const { connectTimeoutMs } = ctx.config;
  const pools = createUpstreamPools({ connections: 1, connectTimeoutMs });
  try {
    return await pollUntilDone(pools, ctx, first, options);
  } finally {
    await pools.close();
  }
}

function nextStep({ conversion }: PollOptions, { bytes }: ArrivedBody) {
  if (conversion?.follow === undefined) return undefined;
  const json = parseJson(bytes.toString('utf8'));
  return isObject(json) && errorInSuccess(json) === undefined ? conversion.follow(json) : undefined;
}

/** Undefined when a poll got no answer, which shows nothing about the job. */
async function pollOnce(
  pools: UpstreamPools,
  ctx: Context,
  options: PollOptions,
  path: string,
): Promise<Reply | undefined> {
  const { channel } = options;
  const base = channel.baseUrl || providerFor(channel).baseUrl;
  const url = joinUrl(base, path, { model: '', other: channel.other });
  const reply = await sendThrough(pools, ctx, channel, pollRequest(options, url)).catch(
    () => undefined,
  );
  if (reply === undefined || reply.status >= 500 || reply.status === 429) return undefined;
  if (reply.status < 200 || reply.status >= 300) throw options.refused(reply);
  return reply;
}

function pollRequest({ channel, key }: PollOptions, url: ChannelRequest['url']): ChannelRequest {
  const headers = { ...authHeaders(providerFor(channel), key), accept: '*/*' };
  return { method: 'GET', url, headers, timeoutMs: REQUEST_TIMEOUT_MS };
}

/**
 * Downloads from the channel's own server with the channel's connection, and from any other host
 * through the SSRF guard.
 */
async function fetchResult(
  pools: UpstreamPools,
  ctx: Context,
  options: PollOptions,
  address: string,
): Promise<FetchedContent> {
  const { channel } = options;
  const base = channel.baseUrl || providerFor(channel).baseUrl;
  try {
    const url = new URL(address);
    const isOwn = url.origin === originOf(base);
    const { status, headers, bytes } = isOwn
      ? await sendThrough(pools, ctx, channel, {
          ...pollRequest(options, { origin: url.origin, path: url.pathname + url.search }),
          maxBytes: MAX_FETCHED_BYTES,
        })
      : await guardedFetch(ctx, address, {
          maxBytes: MAX_FETCHED_BYTES,
          timeoutMs: REQUEST_TIMEOUT_MS,
        });
    if (status !== 200) throw new Error(`status ${status}`);
    return { bytes, type: String(headers['content-type'] ?? '').toLowerCase() };
  } catch (error) {
    throw new AppError('upstream_failed', {}, { cause: error });
  }
}
