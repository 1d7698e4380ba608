/** Counts and logs commits that the fast script failed (`store/ledger/settlement-batch.ts`). */
import type { Logger } from '../../log.ts';
import type { Observer } from '../../observe/observer.ts';
import type { BatchFailure, BatchResult } from '../../store/ledger/settlement-batch.ts';
import { writeFault } from '../../store/sql/sql-dialect.ts';

/** Expected in normal operation: counted, not logged. */
const EXPECTED: ReadonlySet<BatchFailure> = new Set(['check_failed', 'repeat']);
const LOG_EVERY_MS = 10 * 60_000;

export class BatchFailures {
  readonly #log: Logger;
  readonly #observer: Pick<Observer, 'batchFellBack'>;
  readonly #loggedAt = new Map<BatchFailure, number>();
  #failing: string | undefined;

  constructor(log: Logger, observer: Pick<Observer, 'batchFellBack'>) {
    this.#log = log;
    this.#observer = observer;
  }

  /** Error of the latest script run, if it was unexpected. */
  get failing(): string | undefined {
    return this.#failing;
  }

  record(end: BatchResult): void {
    if (end.kind === 'done') this.#failing = undefined;
    if (end.kind !== 'failed') return;
    const { reason, error } = end;
    this.#observer.batchFellBack(reason);
    // A fault of the database fails the general path too, which logs it.
    if (EXPECTED.has(reason) || writeFault(error) !== undefined) return;
    if (reason === 'error') this.#failing = error instanceof Error ? error.message : String(error);
    const nowMs = performance.now();
    const loggedAt = this.#loggedAt.get(reason) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt.set(reason, nowMs);
    this.#log.warn(
      { err: error, reason },
      'the fast settlement script failed; calls are settled statement by statement',
    );
  }
}
