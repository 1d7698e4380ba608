/** Delivers committed log entries to a separate log database, soon after commit, with retries. */
import type { Logger } from '../../log.ts';
import type { Databases } from '../../store/connection/database.ts';
import type { LogDatabase } from '../../store/logs/log-database.ts';
import { moveEntries, OUTBOX_BATCH } from '../../store/logs/log-outbox.ts';

export interface LogDelivery {
  /** Call after entries were committed. Returns at once. */
  deliverSoon(): void;
  /** Delivers what earlier processes left behind, and then every second if the log is separate. */
  start(): void;
  /** Delivers what is pending; what cannot be delivered stays in the outbox. */
  stop(): Promise<void>;
}

const POLL_MS = 1_000;

export function createLogDelivery(site: Databases, log: LogDatabase, logger: Logger): LogDelivery {
  let running: Promise<void> | undefined;
  let isRequested = false;
  let isUnreachable = false;
  let timer: NodeJS.Timeout | undefined;

  const deliver = async (): Promise<void> => {
    try {
      do isRequested = false;
      while ((await moveEntries(site, log)) === OUTBOX_BATCH || isRequested);
      isUnreachable = false;
    } catch (err) {
      // Logged once per outage, not every second. The entries wait in the outbox.
      if (!isUnreachable)
        logger.error({ err }, 'log entries could not be delivered to the log database; they wait');
      isUnreachable = true;
    }
  };
  const run = (): Promise<void> => {
    isRequested = true;
    running ??= deliver().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    deliverSoon() {
      if (log.isSeparate && !isUnreachable) void run();
    },
    start() {
      void run();
      if (log.isSeparate) timer ??= setInterval(() => void run(), POLL_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
      await run();
    },
  };
}
