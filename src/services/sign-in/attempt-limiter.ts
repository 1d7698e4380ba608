/** Guessing is bounded per account: so many tries, then a pause; a right one starts anew. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';

const TRIES = 10;
const WINDOW_MS = 15 * 60_000;

export interface Tries {
  /** Forgets the wrong ones before. */
  succeeded(): Promise<void>;
}

/**
 * Counts one try under `key`, before it is known whether it is right: tries at once count too.
 * @throws AppError `login_limited`.
 */
export async function limitTries({ kv }: Pick<Context, 'kv'>, key: string): Promise<Tries> {
  const name = `tries:${key}`;
  const waitMs = await kv.take({ key: name, limit: TRIES, windowMs: WINDOW_MS });
  if (waitMs > 0) {
    const minutes = Math.ceil(waitMs / 60_000);
    throw new AppError('login_limited', { minutes }, { retryAfterSec: Math.ceil(waitMs / 1000) });
  }
  return { succeeded: () => kv.clear(name) };
}
