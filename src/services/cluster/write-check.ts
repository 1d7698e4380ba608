/**
 * Checks whether the database accepts writes. With a full disk, a read-only file or a standby
 * server reads still work, so only a write can tell. While writes fail, calls are refused before
 * they incur cost, as an unrecorded call cannot be charged.
 */
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import type { Databases } from '../../store/connection/database.ts';
import { type WriteFault, writeFaultOf } from '../../store/sql/sql-dialect.ts';

/** A write this recent counts as a check. */
const FRESH_MS = 1_000;
/** Space kept free on the disk of a SQLite file for the settlement of calls in flight. */
const LEAST_FREE_BYTES = 1024 * 1024;
const RETRY_AFTER_SEC = 5;

export class WriteCheck {
  readonly #folder: string | undefined;
  readonly #log: Logger;
  #fault: WriteFault | undefined;
  #wroteAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<WriteFault | undefined> | undefined;

  constructor({ engine, location }: Pick<Databases, 'engine' | 'location'>, log: Logger) {
    this.#folder = engine === 'sqlite' ? path.dirname(location) : undefined;
    this.#log = log;
  }

  /** Why writes fail, according to the last one; undefined while they succeed. */
  get fault(): WriteFault | undefined {
    return this.#fault;
  }

  /** @throws AppError database_not_writable while writes fail. */
  require(): void {
    if (this.#fault !== undefined) throw notWritable();
  }

  /**
   * Records a successful write elsewhere. Does not clear a fault: a smaller write may fit where
   * others do not.
   */
  wrote(): void {
    this.#wroteAtMs = performance.now();
  }

  /** Records a failed write elsewhere, which may have failed for another reason. */
  failed(error: unknown): void {
    const fault = writeFaultOf(error);
    if (fault !== undefined) this.#note(fault, error);
  }

  /**
   * Runs `write` now, unless a write succeeded within the last second; one at a time.
   * @throws what `write` throws for any reason but a `WriteFault`.
   */
  run(write: () => Promise<unknown>): Promise<WriteFault | undefined> {
    this.#running ??= this.#check(write).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #check(write: () => Promise<unknown>): Promise<WriteFault | undefined> {
    if (this.#folder !== undefined && (await isFull(this.#folder))) {
      this.#note('disk full');
      return this.#fault;
    }
    const isFresh = performance.now() - this.#wroteAtMs < FRESH_MS;
    if (isFresh && this.#fault === undefined) return undefined;
    try {
      await write();
      this.wrote();
      this.#note(undefined);
    } catch (error) {
      this.failed(error);
      if (writeFaultOf(error) === undefined) throw error;
    }
    return this.#fault;
  }

  #note(fault: WriteFault | undefined, error?: unknown): void {
    if (fault === this.#fault) return;
    this.#fault = fault;
    if (fault === undefined) this.#log.info('the database is writable again');
    else this.#log.error({ err: error, reason: fault }, 'the database is not writable');
  }
}

/** Omits the location and the cause, as clients see this error. */
export function notWritable(cause?: unknown): AppError {
  const causeField = cause === undefined ? {} : { cause };
  return new AppError(
    'database_not_writable',
    {},
    { ...causeField, retryAfterSec: RETRY_AFTER_SEC },
  );
}

async function isFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize, blocks } = await statfs(folder);
    // Some network file systems report no sizes.
    return blocks > 0 && bavail * bsize < LEAST_FREE_BYTES;
  } catch {
    return false; // the write itself reports the error
  }
}
