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
  return async (batch, balances) => {
    const apart = batch.filter((operation) => shortAccounts.isLikelyShort(operation));
    const others = apart.length === 0 ? batch : batch.filter((one) => !apart.includes(one));
    const outcomes = new Map<Operation, Outcome | undefined>();
    // An empty batch is committed too: it checks the store.
    if (others.length > 0 || apart.length === 0) {
      const done = await byScript(others, balances);
      for (const [at, operation] of others.entries()) outcomes.set(operation, done[at]);
    }
    if (apart.length > 0) {
      const done = await byStatements(apart, balances);
      for (const [at, operation] of apart.entries()) outcomes.set(operation, done[at]);
    }
    for (const [operation, outcome] of outcomes) shortAccounts.record(operation, outcome);
    return batch.map((operation) => outcomes.get(operation) ?? 'done');
  };
}
