/**
 * Gets answers that are not in the first reply: polls until they are ready, or downloads them. The
 * conversion of the endpoint decides what to request.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { isObject, parseJson } from '../../json/read-json.ts';
import type { Conversion, Lying } from '../../providers/conversions/conversion.ts';
import { authHeaders } from '../../providers/requests/auth-headers.ts';
import { joinUrl, originOf } from '../../providers/requests/upstream-url.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { guardedFetch } from '../../services/network/egress.ts';
import { errorInside200 } from '../../upstream-errors/read-upstream-error.ts';
import { providerFor } from '../call/channel-provider.ts';
import { askThrough, type Question, type Reply } from '../http/channel-exchange.ts';
import { createUpstreamPools, type UpstreamPools } from '../http/connection-pools.ts';

/** A whole answer and its declared content type. */
export interface Arrived {
  readonly bytes: Buffer;
  readonly type: string;
  /** The content downloaded from the URL in the answer. */
  readonly fetched?: Lying;
}

export interface FollowUp {
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
const QUESTION_PATIENCE_MS = 30_000;
/** Consecutive polls that may fail, because the upstream's job continues regardless. */
const MAX_SILENT = 3;
const MAX_FETCHED_BYTES = 64 * 1024 * 1024;

/** @throws AppError upstream_failed, upstream_too_large; errors of `refused` and `leftMs`. */
export async function followedUp(
  pools: UpstreamPools,
  ctx: Context,
  first: Arrived,
  following: FollowUp,
): Promise<Arrived> {
  let arrived = first;
  let silent = 0;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const step = stepAfter(following, arrived);
    if (step === undefined) return arrived;
    if (step.kind === 'fetch')
      return { ...arrived, fetched: await fetched(pools, ctx, following, step.url) };
    const leftMs = following.leftMs();
    await pause(leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs);
    following.leftMs();
    const reply = await askedAgain(pools, ctx, following, step.path);
    if (reply === undefined && ++silent >= MAX_SILENT) throw new AppError('upstream_failed');
    if (reply === undefined) continue;
    silent = 0;
    arrived = {
      bytes: reply.bytes,
      type: String(reply.headers['content-type'] ?? '').toLowerCase(),
    };
  }
}

/** Like `followedUp`, outside of model calls, with its own pools. @throws as `followedUp`. */
export async function followedUpOnce(
  ctx: Context,
  first: Arrived,
  following: FollowUp,
): Promise<Arrived> {
  if (stepAfter(following, first) === undefined) return first;
  const { connectTimeoutMs } = ctx.config;
  const pools = createUpstreamPools({ connections: 1, connectTimeoutMs });
  try {
    return await followedUp(pools, ctx, first, following);
  } finally {
    await pools.close();
  }
}

function stepAfter({ conversion }: FollowUp, { bytes }: Arrived) {
  if (conversion?.follow === undefined) return undefined;
  const json = parseJson(bytes.toString('utf8'));
  return isObject(json) && errorInside200(json) === undefined ? conversion.follow(json) : undefined;
}

/** Undefined when a poll got no answer, which shows nothing about the job. */
async function askedAgain(
  pools: UpstreamPools,
  ctx: Context,
  following: FollowUp,
  path: string,
): Promise<Reply | undefined> {
  const { channel } = following;
  const base = channel.baseUrl || providerFor(channel).baseUrl;
  const url = joinUrl(base, path, { model: '', other: channel.other });
  const reply = await askThrough(pools, ctx, channel, question(following, url)).catch(
    () => undefined,
  );
  if (reply === undefined || reply.status >= 500 || reply.status === 429) return undefined;
  if (reply.status < 200 || reply.status >= 300) throw following.refused(reply);
  return reply;
}

function question({ channel, key }: FollowUp, url: Question['url']): Question {
  const headers = { ...authHeaders(providerFor(channel), key), accept: '*/*' };
  return { method: 'GET', url, headers, patienceMs: QUESTION_PATIENCE_MS };
}

/**
 * Downloads from the channel's own server with the channel's connection, and from any other host
 * through the SSRF guard.
 */
async function fetched(
  pools: UpstreamPools,
  ctx: Context,
  following: FollowUp,
  address: string,
): Promise<Lying> {
  const { channel } = following;
  const base = channel.baseUrl || providerFor(channel).baseUrl;
  try {
    const url = new URL(address);
    const isOwn = url.origin === originOf(base);
    const { status, headers, bytes } = isOwn
      ? await askThrough(pools, ctx, channel, {
          ...question(following, { origin: url.origin, path: url.pathname + url.search }),
          maxBytes: MAX_FETCHED_BYTES,
        })
      : await guardedFetch(ctx, address, {
          maxBytes: MAX_FETCHED_BYTES,
          timeoutMs: QUESTION_PATIENCE_MS,
        });
    if (status !== 200) throw new Error(`status ${status}`);
    return { bytes, type: String(headers['content-type'] ?? '').toLowerCase() };
  } catch (error) {
    throw new AppError('upstream_failed', {}, { cause: error });
  }
}
