/**
 * Records calls that ended without a response, for `FailedCallDays`. Calls only append to memory;
 * the buffer is written every half second in one statement. A flood of failures writes a bounded
 * number of rows: the rest is only counted.
 */
import type { Context } from '../../context.ts';
import { type FailedCallRow, insertFailedCalls } from '../../store/logs/failed-calls.ts';

const FLUSH_AFTER_MS = 500;
const MINUTE_MS = 60_000;
/**
 * Most rows per minute that one process writes, in total and per user (or for all without a valid
 * key).
 */
export const MAX_PER_MINUTE = 200;
export const MAX_PER_USER = 50;

export interface FailedCallBuffer {
  /** Appends to memory without touching the database. */
  add(call: FailedCallRow): void;
  /** Writes the calls recorded so far. */
  flush(): Promise<void>;
}

type FailedCallContext = Pick<Context, 'db' | 'ledger' | 'log' | 'now' | 'observer' | 'options'>;

export function createFailedCallBuffer(ctx: FailedCallContext): FailedCallBuffer {
  let buffered: FailedCallRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let busy: Promise<void> = Promise.resolve();
  let minute = 0;
  let taken = 0;
  const takenByUser = new Map<number, number>();

  const countIfAllowed = (userId: number): boolean => {
    const current = Math.floor(ctx.now() / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      taken = 0;
      takenByUser.clear();
    }
    const own = takenByUser.get(userId) ?? 0;
    if (taken >= MAX_PER_MINUTE || own >= MAX_PER_USER) return false;
    taken += 1;
    takenByUser.set(userId, own + 1);
    return true;
  };
  const write = async (): Promise<void> => {
    const rows = buffered;
    buffered = [];
    try {
      await insertFailedCalls(ctx.db, rows);
    } catch (error) {
      for (const _ of rows) ctx.observer.failedCallDropped();
      ctx.ledger.writes.failed(error);
      ctx.log.warn({ err: error, rows: rows.length }, 'failed calls could not be recorded');
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    busy = busy.then(write);
    return busy;
  };

  return {
    add(call) {
      if (ctx.options().get('FailedCallDays') === 0) return;
      if (!countIfAllowed(call.user_id)) return ctx.observer.failedCallDropped();
      buffered.push(call);
      timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref();
    },
    flush,
  };
}
