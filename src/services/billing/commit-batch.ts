/** Commits a batch of the ledger: by the fast script if possible, otherwise by statements. */
import type { Databases } from '../../store/connection/database.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { applyBatch } from '../../store/ledger/ledger.ts';
import type { Operation, Outcome } from '../../store/ledger/ledger-operations.ts';
import { settleBatch } from '../../store/ledger/settlement-batch.ts';
import type { LogTable } from '../../store/logs/log-database.ts';
import type { BatchFailures } from './batch-failures.ts';
import { ShortAccounts } from './short-accounts.ts';

/** Returns the outcome of each operation, in order; `balances` is filled as by `settleBatch`. */
export type CommitBatch = (
  batch: readonly Operation[],
  balances: Map<number, number>,
) => Promise<readonly Outcome[]>;

export function createBatchCommit(
  databases: Databases,
  logTable: LogTable,
  failures: BatchFailures,
): CommitBatch {
  const shortAccounts = new ShortAccounts();
  const byStatements: CommitBatch = (batch, balances) =>
    inTransaction(databases, ({ db }) => applyBatch(db, batch, balances, logTable));
  const byScript: CommitBatch = async (batch, balances) => {
    const end = await settleBatch(databases, batch, balances, logTable);
    failures.record(end);
    return end.kind === 'done' ? batch.map(() => 'done') : byStatements(batch, balances);
  };
  const commitAll: CommitBatch = async (batch, balances) => {
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
