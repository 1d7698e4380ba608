/**
 * Serves the image of an image task by fetching it from the upstream's storage, so that clients
 * only contact this gateway. The unguessable URL is the only access control.
 */

import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import { midjourney } from '../../providers/tasks/midjourney.ts';
import type { FetchResult } from '../../services/network/egress.ts';
import { fetchForUser } from '../../services/network/worker-fetch.ts';
import { channelById } from '../../store/tables/channels-table.ts';
import { type StoredTask, taskByPublicId } from '../../store/tables/task-rows.ts';
import type { Outgoing } from '../call/incoming-call.ts';
import { taskScopeOf } from './task-call.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** Concurrent image fetches in this process; each may fill `MAX_BYTES` of memory. */
const AT_A_TIME = 8;
const MAX_WAITING = 200;
/** Image types that a browser does not execute. */
const TYPES = /^image\/(png|jpeg|webp|gif|avif)\b/i;

export interface TaskImages {
  /** @throws AppError task_missing, rate_limited, fetch_refused, fetch_failed, upstream_garbled. */
  image(publicId: string): Promise<Outgoing>;
}

export function createTaskImages(ctx: Context): TaskImages {
  const inTurn = createTurns();
  return { image: (publicId) => taskImage(ctx, publicId, inTurn) };
}

async function taskImage(ctx: Context, publicId: string, inTurn: InTurn): Promise<Outgoing> {
  const task = await taskByPublicId(ctx.reads, taskScopeOf(midjourney), publicId);
  const url = String(task?.row.image_url ?? '');
  if (task === undefined || url === '') throw new AppError('task_missing', { task: publicId });
  const image = await inTurn(() => fetchImage(ctx, task, url));
  const type = image.headers['content-type'] ?? '';
  if (image.status !== 200 || !TYPES.test(type)) throw new AppError('upstream_garbled');
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control':
        task.status === 'SUCCESS' ? `public, max-age=${DAY_SEC}, immutable` : 'no-store',
    },
    body: image.bytes,
  };
}

/**
 * Fetches from the public internet, or from the channel's own host, which may be in the private
 * network.
 */
async function fetchImage(ctx: Context, task: StoredTask, url: string): Promise<FetchResult> {
  const channel = await channelById(ctx.reads, task.channelId);
  const base = channel && (channel.base_url || providerOf(channel.type).baseUrl);
  const alsoHost = parsedUrl(base ?? '')?.host;
  const own = alsoHost === undefined ? {} : { alsoHost };
  return fetchForUser(ctx, url, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS }, own);
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** @throws AppError rate_limited when too many are queued. */
function createTurns(): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < AT_A_TIME) running += 1;
    else if (waiting.length < MAX_WAITING)
      await new Promise<void>((resolve) => waiting.push(resolve));
    else throw new AppError('rate_limited', { seconds: 1 }, { retryAfterSec: 1 });
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The next in the queue takes over this slot.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
