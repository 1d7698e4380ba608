/**
 * A server that starts beside its database, or while that is away, waits for it. Only for what time
 * can mend: a wrong password or an unknown database is an error at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import { isWorthWaiting } from './open-failure.ts';

export interface Patience {
  /** From the first try to the last; 0 tries once. */
  readonly waitMs: number;
  /** Ends the wait with the error of the last try. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, when the first try has failed; what it answers is called before the wait ends. */
  readonly whileWaiting?: (() => Promise<() => Promise<void>>) | undefined;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Calls `open` until it succeeds. @throws what the last `open` threw. */
export async function waitForDatabase<T>(
  open: () => Promise<T>,
  { waitMs, signal, whileWaiting, log }: Patience & { readonly log: Logger },
): Promise<T> {
  const endsAtMs = performance.now() + waitMs;
  let stopWaiting: (() => Promise<void>) | undefined;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await open();
      } catch (error) {
        const leftMs = endsAtMs - performance.now();
        if (!isWorthWaiting(error) || leftMs <= 0 || signal?.aborted) throw error;
        if (stopWaiting === undefined) {
          const { location, reason } = error instanceof AppError ? error.params : {};
          log.warn({ location, reason, waitMs }, 'the database does not answer: waiting for it');
          stopWaiting = (await whileWaiting?.()) ?? (async () => undefined);
        }
        const nextMs = Math.min(pauseMs * (0.5 + Math.random()), leftMs);
        await pause(nextMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
      }
    }
  } finally {
    await stopWaiting?.();
  }
}
