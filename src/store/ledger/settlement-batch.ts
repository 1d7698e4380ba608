/**
 * Commits a batch as one script (`batch-script.ts`), which covers nearly every commit of the
 * ledger. The general path (`applyBatch`) runs statement by statement, and each round trip costs
 * more than its work. What the script cannot do, or the database rejects, is rolled back and left to
 * the general path.
 */

import type { Databases } from '../connection/database.ts';
import type { LogTable } from '../logs/log-database.ts';
import {
  isArithmeticError,
  isConnectionLoss,
  isDuplicate,
  isRetryable,
  type Row,
  rowsOf,
} from '../sql/sql-dialect.ts';
import { type BatchScript, batchScriptOf } from './batch-script.ts';
import type { Operation } from './ledger-operations.ts';

/**
 * Why the database did not complete a script. `check_failed` (a hold is not covered or was released
 * before; on SQLite also a balance that fell below its warning threshold) and `repeat` are part of
 * normal operation; `error` should never occur.
 */
export const BATCH_FAILURES = ['check_failed', 'repeat', 'busy', 'connection', 'error'] as const;
export type BatchFailure = (typeof BATCH_FAILURES)[number];

/**
 * `done`: the whole batch is committed, each operation was new, and `balances` has the new balance
 * of every user whose charges took it below its `warnBelow` (and possibly of others). `unsuited`:
 * no script was run. `failed`: nothing is written, or (if the connection broke during the commit)
 * possibly all of it; `applyBatch` determines which.
 */
export type BatchResult =
  | { readonly kind: 'done' | 'unsuited' }
  | { readonly kind: 'failed'; readonly reason: BatchFailure; readonly error: unknown };

export async function settleBatch(
  { engine, db }: Pick<Databases, 'engine' | 'db'>,
  operations: readonly Operation[],
  balances: Map<number, number>,
  logTable: LogTable = 'logs',
): Promise<BatchResult> {
  if (engine === 'mysql') return UNSUITED;
  const script = batchScriptOf(engine, operations, logTable);
  if (script === undefined) return UNSUITED;
  const connection = await db.client.acquireConnection();
  try {
    const rows = await RUN[engine](connection, script);
    for (const row of rows) balances.set(Number(row.id), Number(row.quota));
    return DONE;
  } catch (error) {
    await undo(engine, connection);
    return { kind: 'failed', reason: reasonOf(error), error };
  } finally {
    await db.client.releaseConnection(connection);
  }
}

const DONE: BatchResult = { kind: 'done' };
const UNSUITED: BatchResult = { kind: 'unsuited' };

function reasonOf(error: unknown): BatchFailure {
  if (isDuplicate(error)) return 'repeat';
  if (isRetryable(error)) return 'busy';
  if (isConnectionLoss(error)) return 'connection';
  return isArithmeticError(error) ? 'check_failed' : 'error';
}

const RUN = {
  /** One turn of the thread pool; the write lock is taken at once (see database.ts). */
  async sqlite(connection: SqliteConnection, { statements }: BatchScript): Promise<Row[]> {
    await exec(connection, ['BEGIN IMMEDIATE', ...statements, 'COMMIT'].join(';\n'));
    return [];
  },
  /** One round trip: the server runs the statements in order and returns a result for each. */
  async postgres(connection: PostgresConnection, script: BatchScript): Promise<Row[]> {
    const { statements, balancesAt } = script;
    const answers = await connection.query(['begin', ...statements, 'commit'].join(';\n'));
    return balancesAt === undefined ? [] : rowsOf(answers[balancesAt + 1]);
  },
} as const;

/** The driver connection methods used, which knex exposes untyped. */
interface SqliteConnection {
  exec(sql: string, done: (error: Error | null) => void): void;
}
interface PostgresConnection {
  query(sql: string): Promise<readonly unknown[]>;
}

function exec(connection: SqliteConnection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.exec(sql, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Rolls back; a connection on which even that fails is not reused. */
async function undo(
  engine: 'sqlite' | 'postgres',
  connection: SqliteConnection & PostgresConnection & { __knex__disposed?: unknown },
): Promise<void> {
  try {
    if (engine === 'postgres') await connection.query('rollback');
    else await exec(connection, 'ROLLBACK');
  } catch (error) {
    // If SQLite could not begin or keep the transaction, it has already ended it itself.
    if (engine === 'postgres') connection.__knex__disposed = error;
  }
}
