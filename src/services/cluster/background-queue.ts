/**
 * A queue for background work such as notices and mail sent after a response. It runs a few tasks
 * at a time, queues a bounded number, and lets them finish briefly at shutdown.
 */
import type { Logger } from '../../log.ts';

export interface Background {
  /**
   * Queues `work`; errors are logged under `name`. Returns false when the queue is full or shutting
   * down: then the work will not run. The signal fires when there is no more time for pauses.
   */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): boolean;
  /** Accepts no new work and resolves when all is done, at the latest after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
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
      log.warn({ err: error, work: name }, 'background work failed');
    } finally {
      running -= 1;
      next();
    }
  };

  return {
    run(name, work) {
      if (ending.signal.aborted || waiting.length >= MAX_WAITING) {
        log.warn({ work: name, waiting: waiting.length }, 'background work was refused');
        return false;
      }
      waiting.push({ name, work });
      next();
      return true;
    },
    async drain(timeoutMs) {
      ending.abort();
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (running > 0)
        log.warn({ running, waiting: waiting.length }, 'background work was aborted');
      waiting.length = 0;
    },
  };
}
