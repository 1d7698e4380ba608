/** Rejects events that exceed a rate limit. */
import { AppError } from '../../domain/errors/errors.ts';
import type { Kv, RateWindow } from './kv.ts';

/** Counts one event. @throws AppError `rate_limited` with the seconds to wait. */
export async function requireRateLimit(kv: Kv, window: RateWindow): Promise<void> {
  const waitMs = await kv.take(window);
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new AppError('rate_limited', { seconds }, { retryAfterSec: seconds });
}
