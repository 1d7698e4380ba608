/**
 * Lets a server that starts together with its database, or during an outage, wait for it. Waits
 * only for transient failures: a wrong password or an unknown database fails at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import { isTransientOpenError } from './open-error.ts';

export interface WaitOptions {
  /** Time from the first attempt to the last; 0 makes one attempt. */
  readonly waitMs: number;
  /** Ends the wait with the error of the last attempt. */
  readonly signal?: AbortSignal | undefined;
  /** Called after the first failed attempt; the returned function runs before the wait ends. */
  readonly whileWaiting?: (() => Promise<() => Promise<void>>) | undefined;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;

/** Calls `open` until it succeeds. @throws the error of the last `open`. */
export async function waitForDatabase<T>(
  open: () => Promise<T>,
  { waitMs, signal, whileWaiting, log }: WaitOptions & { readonly log: Logger },
): Promise<T> {
  const endsAtMs = performance.now() + waitMs;
  let stopWaiting: (() => Promise<void>) | undefined;
  try {
    for (let pauseMs = FIRST_DELAY_MS; ; pauseMs = Math.min(MAX_DELAY_MS, pauseMs * 2)) {
      try {
        return await open();
      } catch (error) {
        const leftMs = endsAtMs - performance.now();
        if (!isTransientOpenError(error) || leftMs <= 0 || signal?.aborted) throw error;
        if (stopWaiting === undefined) {
          const { location, reason } = error instanceof AppError ? error.params : {};
          log.warn({ location, reason, waitMs }, 'the database does not answer; waiting');
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
