/** Limits upstream queries per minute: they cost money there, and a GET is easily repeated. */
import type { Actor } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { requireRateLimit } from '../../store/kv/rate-limit.ts';

const MAX_QUERIES = 60;
const WINDOW_MS = 60_000;

/**
 * @throws AppError `rate_limited` with the seconds to wait. The terminal's operator has no limit.
 */
export async function limitUpstreamQueries(ctx: Context, actor: Actor): Promise<void> {
  if (actor.kind === 'operator') return;
  await requireRateLimit(ctx.kv, {
    key: `probe:${actor.id}`,
    limit: MAX_QUERIES,
    windowMs: WINDOW_MS,
  });
}
