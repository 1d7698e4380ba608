/**
 * Checks whether the database takes the writes of calls. With a full disk, a read-only file, a
 * standby server, a damaged table or a missing right reads still work, so only a write can tell.
 * While writes fail, calls are refused before they incur cost, as an unrecorded call cannot be
 * charged. Only a probe that writes what settlements write ends that.
 */
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../domain/errors/errors.ts';
import { markKnown } from '../../known-outage.ts';
import type { Logger } from '../../log.ts';
import type { Databases } from '../../store/connection/database.ts';
import type { Operation } from '../../store/ledger/ledger-operations.ts';
import {
  isRetryable,
  isUnavailable,
  type SettlementFault,
  settlementFaultOf,
  writeFault,
} from '../../store/sql/sql-dialect.ts';

/** A write this recent counts as a check. */
const FRESH_MS = 1_000;
/** Space kept free on the disk of a SQLite file for the settlement of calls in flight. */
const LEAST_FREE_BYTES = 1024 * 1024;
const RETRY_AFTER_SEC = 5;

/** What an operator does about each fault, for the log. */
const REMEDIES: Readonly<Record<SettlementFault, string>> = {
  'disk full': 'free or add disk space for the database',
  'read-only': 'make the database writable, or name its primary server in --db',
  'disk error': 'check the disk of the database and its file system',
  damaged: 'repair the tables with the tools of the database, or restore a backup',
  'not permitted': "grant the gateway's database user all rights on its tables",
  'statements fail': 'see the error; gateway doctor checks the schema and the tables',
};

/** Writes what settlements write, with what `failed` contains; leaves no trace. */
export type ProbeSettlement = (failed: readonly Operation[]) => Promise<unknown>;

/** Of a failed batch, so many operations are part of the probe. */
const KEPT_OPERATIONS = 16;

export class WriteCheck {
  readonly #folder: string | undefined;
  readonly #log: Logger;
  readonly #probe: ProbeSettlement;
  #fault: SettlementFault | undefined;
  /** What the database rejected for a fault of its own. */
  #rejected: readonly Operation[] = [];
  /** Writes of others that failed since then. */
  #failures = 0;
  #wroteAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<SettlementFault | undefined> | undefined;
  #judging: Promise<void> | undefined;

  constructor(
    { engine, location }: Pick<Databases, 'engine' | 'location'>,
    log: Logger,
    probe: ProbeSettlement,
  ) {
    this.#folder = engine === 'sqlite' ? path.dirname(location) : undefined;
    this.#log = log;
    this.#probe = probe;
  }

  /** Why writes fail, according to the last one; undefined while they succeed. */
  get fault(): SettlementFault | undefined {
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

  /**
   * Records a failed write elsewhere, which may have failed for another reason. Else the log has it
   * from here, and leaves out what its caller says about it.
   */
  failed(error: unknown): void {
    const fault = writeFault(error);
    if (fault !== undefined) this.#noteFailure(fault, error);
  }

  /**
   * Records a failed batch of settlements and holds. If its error names no fault of the database, a
   * probe finds out whether the batch itself is at fault.
   */
  async settlementFailed(error: unknown, batch: readonly Operation[]): Promise<void> {
    const fault = settlementFaultOf(error);
    if (fault !== undefined) {
      this.#rejected = batch.slice(0, KEPT_OPERATIONS);
      this.#noteFailure(fault, error);
    } else if (this.#fault === undefined && !isPassing(error)) {
      this.#judging ??= this.#probeNow()
        .catch(() => undefined) // the connection is lost, which others report
        .finally(() => {
          this.#judging = undefined;
        });
      await this.#judging;
    }
  }

  /**
   * Runs `write` now, unless a write succeeded within the last second; one at a time. While writes
   * fail, runs the probe first.
   * @throws what `write` throws for any reason but a fault of the database.
   */
  run(write: () => Promise<unknown>): Promise<SettlementFault | undefined> {
    this.#running ??= this.#check(write).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #check(write: () => Promise<unknown>): Promise<SettlementFault | undefined> {
    if (this.#folder !== undefined && (await isFull(this.#folder))) {
      this.#note('disk full');
      return this.#fault;
    }
    const isFresh = performance.now() - this.#wroteAtMs < FRESH_MS;
    if (isFresh && this.#fault === undefined) return undefined;
    try {
      await write();
      if (this.#fault === undefined) this.wrote();
      else await this.#probeNow();
    } catch (error) {
      this.failed(error);
      if (writeFault(error) === undefined) throw error;
    }
    return this.#fault;
  }

  /** @throws errors that say nothing about the database. */
  async #probeNow(): Promise<void> {
    try {
      await this.#probe(this.#rejected);
      this.#note(undefined);
    } catch (error) {
      if (isPassing(error)) throw error;
      this.#note(settlementFaultOf(error) ?? 'statements fail', error);
    }
  }

  #noteFailure(fault: SettlementFault, error: unknown): void {
    this.#note(fault, error);
    this.#failures += 1;
    if (error instanceof Error) markKnown(error);
  }

  #note(fault: SettlementFault | undefined, error?: unknown): void {
    if (fault === undefined) this.#rejected = [];
    if (fault === this.#fault) return;
    this.#fault = fault;
    const failed_writes = this.#failures;
    this.#failures = 0;
    if (fault === undefined) this.#log.info({ failed_writes }, 'the database is writable again');
    else
      this.#log.error(
        { err: error, reason: fault, remedy: REMEDIES[fault] },
        'the database is not writable; calls are refused until it is',
      );
  }
}

/** A lost connection, a known outage or a conflict: not the fault of the database's tables. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError || isRetryable(error) || isUnavailable(error);
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
