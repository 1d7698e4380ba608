/**
 * Logs the state of Redis: one entry when it becomes unavailable and one when it is back, however
 * many calls are affected; rejected commands at most once a minute.
 */
import { ErrorReply } from 'redis';
import type { Logger } from '../../log.ts';

/** An unstable Redis counts as unavailable until it has responded for this long. */
const STABLE_MS = 2_000;
const ERROR_LOG_INTERVAL_MS = 60_000;

export interface RedisOutages {
  /** `line`: the affected connection. */
  connectionLost(line: object, error: Error): void;
  connectionRestored(line: object): void;
  /** Records one command without a response. */
  commandFailed(error: unknown): void;
  /** Commands without a response since the start. */
  timeouts(): number;
  close(): void;
}

export function createRedisOutages(log: Logger, meanwhile: string): RedisOutages {
  const lostConnections = new Set<object>();
  let timeouts = 0;
  let sinceMs: number | undefined;
  let stableTimer: NodeJS.Timeout | undefined;
  let errorLoggedAtMs = Number.NEGATIVE_INFINITY;
  return {
    connectionLost(line, error) {
      clearTimeout(stableTimer);
      lostConnections.add(line);
      if (sinceMs !== undefined) return;
      sinceMs = performance.now();
      log.warn({ reason: reasonOf(error), meanwhile }, 'Redis does not answer');
    },
    connectionRestored(line) {
      if (!lostConnections.delete(line) || lostConnections.size > 0) return;
      clearTimeout(stableTimer);
      stableTimer = setTimeout(() => {
        log.info(
          { seconds: Math.round((performance.now() - (sinceMs ?? 0)) / 1000) },
          'Redis answers again',
        );
        sinceMs = undefined;
      }, STABLE_MS).unref();
    },
    commandFailed(error) {
      timeouts += 1;
      if (
        !(error instanceof ErrorReply) ||
        performance.now() - errorLoggedAtMs < ERROR_LOG_INTERVAL_MS
      )
        return;
      errorLoggedAtMs = performance.now();
      log.error({ reason: reasonOf(error), meanwhile }, 'Redis refused a command');
    },
    timeouts: () => timeouts,
    close: () => clearTimeout(stableTimer),
  };
}

/** For a refused connection to a name with several addresses, Node's error has only a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return error.message || code || error.name;
}
