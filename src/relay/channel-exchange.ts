/** One exchange with a channel's upstream outside of any model call. */
import type { Context } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { buildRequest } from '../providers/openai-request.ts';
import { providerOf } from '../providers/rows.ts';
import type { ChannelEntry } from '../services/views/routing.ts';
import { decodeBody } from './content-encoding.ts';
import { collect, UpstreamCall } from './upstream-call.ts';
import { createUpstreamPools } from './upstreams.ts';

const PATIENCE_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

export interface Reply {
  readonly status: number;
  readonly headers: UpstreamCall['headers'];
  readonly text: string;
  /** Epoch ms of the status line. */
  readonly firstByteAtMs: number;
}

/** One exchange with a pool of its own: a probe is rare, and must not lean on a warm connection. */
export async function exchange(
  ctx: Context,
  channel: ChannelEntry,
  asked: { endpoint: 'chat' | 'embeddings' | 'models'; model: string; body: string | undefined },
): Promise<Reply> {
  const request = buildRequest({
    provider: providerOf(channel.type),
    baseUrl: channel.baseUrl,
    key: channel.keys[0]?.key ?? '',
    other: channel.other,
    organization: channel.organization,
    endpoint: asked.endpoint,
    model: asked.model,
    channelCreatedAtSec: channel.createdAtSec,
    siteUrl: ctx.options().get('ServerAddress'),
  });
  const pools = createUpstreamPools({
    connections: 1,
    connectTimeoutMs: ctx.config.connectTimeoutMs,
  });
  try {
    const call = new UpstreamCall(pools.poolFor(request.url.origin, channel.setting.proxy), {
      method: request.method,
      origin: request.url.origin,
      path: request.url.path,
      headers: { ...request.headers, 'accept-encoding': 'identity' },
      body: asked.body,
    });
    const endsAtMs = ctx.now() + PATIENCE_MS;
    const leftMs = () => (endsAtMs > ctx.now() ? endsAtMs - ctx.now() : -1);
    if ((await call.start(PATIENCE_MS)) !== 'started') throw new AppError('upstream_timeout');
    const firstByteAtMs = ctx.now();
    const raw = await decodeBody(await collect(call, MAX_BYTES, leftMs), call.headers, MAX_BYTES);
    return {
      status: call.status,
      headers: call.headers,
      text: raw.toString('utf8'),
      firstByteAtMs,
    };
  } finally {
    await pools.close();
  }
}
