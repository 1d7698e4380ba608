/**
 * Work that nobody waits for: notices, mails after an answer. A few pieces run at a time, a bounded
 * number waits, and a process that ends gives them a moment to finish.
 */
import type { Logger } from '../../log.ts';

export interface Background {
  /**
   * Runs `work` soon; what it throws is logged under `name`. False when too much waits or the process
   * ends: then it will not run. The signal fires when there is no more time for pauses.
   */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): boolean;
  /** Takes nothing new and resolves when all is done, at the latest after `patienceMs`. */
  drain(patienceMs: number): Promise<void>;
}

const AT_A_TIME = 4;
const MAX_WAITING = 1_000;

interface Piece {
  readonly name: string;
  readonly work: (signal: AbortSignal) => Promise<void>;
}

export function createBackground(log: Logger): Background {
  const waiting: Piece[] = [];
  const ending = new AbortController();
  let running = 0;
  let onIdle = (): void => undefined;

  const next = (): void => {
    while (running < AT_A_TIME) {
      const piece = waiting.shift();
      if (piece === undefined) break;
      running += 1;
      void finish(piece);
    }
    if (running === 0) onIdle();
  };

  const finish = async ({ name, work }: Piece): Promise<void> => {
    try {
      await work(ending.signal);
    } catch (error) {
      log.warn({ err: error, work: name }, 'work in the background failed');
    } finally {
      running -= 1;
      next();
    }
  };

  return {
    run(name, work) {
      if (ending.signal.aborted || waiting.length >= MAX_WAITING) {
        log.warn({ work: name, waiting: waiting.length }, 'work in the background was refused');
        return false;
      }
      waiting.push({ name, work });
      next();
      return true;
    },
    async drain(patienceMs) {
      ending.abort();
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patienceMs);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (running > 0)
        log.warn({ running, waiting: waiting.length }, 'work in the background was cut off');
      waiting.length = 0;
    },
  };
}
