/**
 * Logs the state of Redis: one entry when it becomes unavailable and one when it is back, however
 * many calls are affected; rejected commands at most once a minute.
 */
import { ErrorReply } from 'redis';
import type { Logger } from '../../log.ts';

/** An unstable Redis counts as unavailable until it has responded for this long. */
const STEADY_MS = 2_000;
const REFUSAL_EVERY_MS = 60_000;

export interface RedisOutages {
  /** `line`: the affected connection. */
  isAway(line: object, error: Error): void;
  isBack(line: object): void;
  /** Records one command without a response. */
  isUnanswered(error: unknown): void;
  /** Commands without a response since the start. */
  unanswered(): number;
  close(): void;
}

export function createRedisOutages(log: Logger, meanwhile: string): RedisOutages {
  const away = new Set<object>();
  let unanswered = 0;
  let sinceMs: number | undefined;
  let steady: NodeJS.Timeout | undefined;
  let refusalAtMs = Number.NEGATIVE_INFINITY;
  return {
    isAway(line, error) {
      clearTimeout(steady);
      away.add(line);
      if (sinceMs !== undefined) return;
      sinceMs = performance.now();
      log.warn({ reason: reasonOf(error), meanwhile }, 'Redis does not answer');
    },
    isBack(line) {
      if (!away.delete(line) || away.size > 0) return;
      clearTimeout(steady);
      steady = setTimeout(() => {
        log.info(
          { seconds: Math.round((performance.now() - (sinceMs ?? 0)) / 1000) },
          'Redis answers again',
        );
        sinceMs = undefined;
      }, STEADY_MS).unref();
    },
    isUnanswered(error) {
      unanswered += 1;
      if (!(error instanceof ErrorReply) || performance.now() - refusalAtMs < REFUSAL_EVERY_MS)
        return;
      refusalAtMs = performance.now();
      log.error({ reason: reasonOf(error), meanwhile }, 'Redis refused a command');
    },
    unanswered: () => unanswered,
    close: () => clearTimeout(steady),
  };
}

/** For a refused connection to a name with several addresses, Node's error has only a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return error.message || code || error.name;
}
