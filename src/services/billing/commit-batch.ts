/** Commits a batch of the ledger: by the fast script if possible, otherwise by statements. */
import type { Logger } from '../../log.ts';
import type { Observer } from '../../observe/observer.ts';
import type { Databases } from '../../store/connection/database.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { applyBatch } from '../../store/ledger/ledger.ts';
import type { Operation, Outcome } from '../../store/ledger/ledger-operations.ts';
import { settleBatch } from '../../store/ledger/settlement-batch.ts';
import type { LogTable } from '../../store/logs/log-database.ts';
import { BatchFailures } from './batch-failures.ts';
import { ShortAccounts } from './short-accounts.ts';
import { crossingsIn, type ThresholdCrossing } from './threshold-crossings.ts';

export interface BatchCommit {
  /** Returns the outcome of each operation, in order. */
  commit(batch: readonly Operation[]): Promise<readonly Outcome[]>;
  /** Why commits are slower than they should be; undefined while they are not. */
  slowReason(): string | undefined;
}

/** Receives each commit once. */
export interface CommitListener extends Pick<Observer, 'commitEnded' | 'batchFellBack'> {
  /** After the commit that took a balance below its user's `warnBelow`. */
  thresholdCrossed(crossing: ThresholdCrossing): void;
}

export function createBatchCommit(
  databases: Databases,
  log: Logger,
  { logTable, listener }: { readonly logTable: LogTable; readonly listener: CommitListener },
): BatchCommit {
  const failures = new BatchFailures(log, listener);
  const apply = createApply(databases, logTable, failures);
  return {
    async commit(batch) {
      const balances = new Map<number, number>();
      const outcomes = await measured(listener, batch.length, () => apply(batch, balances));
      for (const crossing of crossingsIn(batch, outcomes, balances))
        listener.thresholdCrossed(crossing);
      return outcomes;
    },
    slowReason: () => failures.failing,
  };
}

/** `balances` is filled as by `settleBatch`. */
type Apply = (
  batch: readonly Operation[],
  balances: Map<number, number>,
) => Promise<readonly Outcome[]>;

function createApply(databases: Databases, logTable: LogTable, failures: BatchFailures): Apply {
  const shortAccounts = new ShortAccounts();
  const byStatements: Apply = (batch, balances) =>
    inTransaction(databases, ({ db }) => applyBatch(db, batch, balances, logTable));
  const byScript: Apply = async (batch, balances) => {
    const end = await settleBatch(databases, batch, balances, logTable);
    failures.record(end);
    return end.kind === 'done' ? batch.map(() => 'done') : byStatements(batch, balances);
  };
  const commitAll: Apply = async (batch, balances) => {
    const apart = batch.filter((operation) => shortAccounts.isLikelyShort(operation));
    // An empty batch is committed too: it checks the store.
    if (apart.length === 0) return byScript(batch, balances);
    const others = batch.filter((operation) => !apart.includes(operation));
    const outcomes = new Map<Operation, Outcome | undefined>();
    for (const [part, commit] of [
      [others, byScript],
      [apart, byStatements],
    ] as const) {
      const done = part.length === 0 ? [] : await commit(part, balances);
      part.forEach((operation, at) => void outcomes.set(operation, done[at]));
    }
    return batch.map((operation) => outcomes.get(operation) ?? 'done');
  };
  return async (batch, balances) => {
    const outcomes = await commitAll(batch, balances);
    batch.forEach((operation, at) => void shortAccounts.record(operation, outcomes[at]));
    return outcomes;
  };
}

async function measured<T>(
  listener: CommitListener,
  operations: number,
  commit: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let isDone = false;
  try {
    const answer = await commit();
    isDone = true;
    return answer;
  } finally {
    listener.commitEnded(operations, performance.now() - startedAt, isDone);
  }
}
