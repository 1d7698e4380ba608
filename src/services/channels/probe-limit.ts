/** Limits upstream queries per minute: they cost money there, and a GET is easily repeated. */
import type { Actor } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';

const MOST = 60;
const WINDOW_MS = 60_000;

/**
 * @throws AppError `rate_limited` with the seconds to wait. The terminal's operator has no limit.
 */
export async function takeProbe(ctx: Context, actor: Actor): Promise<void> {
  if (actor.kind === 'operator') return;
  const waitMs = await ctx.kv.take({
    key: `probe:${actor.id}`,
    limit: MOST,
    windowMs: WINDOW_MS,
  });
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new AppError('rate_limited', { seconds }, { retryAfterSec: seconds });
}
