/** URLs and headers of requests to task upstreams, and the callback URLs given to them. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Context, nowSec } from '../../context.ts';
import { joinUrl } from '../../providers/requests/upstream-url.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import type { TaskProvider, TaskRequest } from '../../providers/tasks/task-provider.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { ChannelRequest } from '../http/channel-exchange.ts';
import type { RecordedChannel } from '../routing/recorded-channel.ts';

/** @throws AppError channel_unusable. */
export function taskRequestOf(
  ctx: Pick<Context, 'now'>,
  provider: TaskProvider,
  { channel, key }: RecordedChannel,
  { method, path, body }: TaskRequest,
): ChannelRequest {
  return {
    method,
    url: joinUrl(baseOf(channel, path), path, { model: '', other: '' }),
    headers: {
      ...provider.auth(key, nowSec(ctx)),
      accept: 'application/json',
      'content-type': 'application/json',
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/**
 * Strips the path prefix from base URLs pasted with it (`https://host/mj`), so that it is not
 * repeated.
 */
function baseOf({ baseUrl, type }: ChannelEntry, path: string): string {
  const base = (baseUrl || providerOf(type).baseUrl).replace(/\/+$/, '');
  const [, first = ''] = path.split('/');
  return base.endsWith(`/${first}`) ? base.slice(0, -first.length - 1) : base;
}

/**
 * The URL for an upstream's callbacks about a channel's tasks; its secret is known to no one else.
 */
export function callbackUrl(ctx: Context, provider: TaskProvider, channelId: number): string {
  const site = ctx.options().get('ServerAddress').replace(/\/+$/, '');
  return `${site}${provider.prefixes[0]}/notify/${channelId}-${secretOf(ctx, channelId)}`;
}

/** The channel that a callback's secret belongs to; undefined for an invalid secret. */
export function channelOfCallback(ctx: Context, text: string): number | undefined {
  const [, id = '', secret = ''] = /^(\d{1,15})-([0-9a-f]{64})$/.exec(text) ?? [];
  if (secret === '') return undefined;
  const digest = (value: string) => createHash('sha256').update(value).digest();
  const isRight = timingSafeEqual(digest(secret), digest(secretOf(ctx, Number(id))));
  return isRight ? Number(id) : undefined;
}

function secretOf(ctx: Context, channelId: number): string {
  return ctx.secrets.hash(`task callback of channel ${channelId}`);
}
