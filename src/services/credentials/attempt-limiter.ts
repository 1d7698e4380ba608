/** Limits guessing per account: a number of attempts, then a pause; a success resets the count. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';

const MAX_ATTEMPTS = 10;
const WINDOW_MS = 15 * 60_000;

export interface LimitedAttempts {
  /** Resets the count. */
  succeeded(): Promise<void>;
}

/**
 * Counts an attempt under `key` before it is verified, so that concurrent attempts count too.
 * @throws AppError `login_limited`.
 */
export async function limitAttempts(
  { kv }: Pick<Context, 'kv'>,
  key: string,
): Promise<LimitedAttempts> {
  const name = `tries:${key}`;
  const waitMs = await kv.take({ key: name, limit: MAX_ATTEMPTS, windowMs: WINDOW_MS });
  if (waitMs > 0) {
    const minutes = Math.ceil(waitMs / 60_000);
    throw new AppError('login_limited', { minutes }, { retryAfterSec: Math.ceil(waitMs / 1000) });
  }
  return { succeeded: () => kv.clear(name) };
}
