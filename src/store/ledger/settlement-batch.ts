/**
 * Settles calls without a hold as one script, which covers nearly every commit of the ledger. The
 * general path (`applyBatch`) runs statement by statement, and each round trip costs more than its
 * work. The script follows the same rules: what it cannot do, or the database rejects, is rolled
 * back and left to the general path.
 */

import type { Databases } from '../connection/database.ts';
import type { LogTable } from '../logs/log-database.ts';
import { withOutboxKeys } from '../logs/log-rows.ts';
import { insertScript } from '../sql/inserts.ts';
import {
  isConnectionLoss,
  isDuplicate,
  isRetryable,
  type Row,
  rowsOf,
} from '../sql/sql-dialect.ts';
import { BalanceDeltas } from './balance-deltas.ts';
import { incrementSql } from './bulk-increments.ts';
import { addEntry, ledgerRow } from './ledger.ts';
import type { CloseOperation, Operation } from './ledger-operations.ts';

interface BatchSql {
  readonly before: readonly string[];
  /** Subtracts the charges from the users' balances; on PostgreSQL it returns the new ones. */
  readonly users: string;
  readonly after: readonly string[];
  /** Balances with a low-balance warning threshold. */
  readonly watched: readonly Watched[];
}

interface Watched {
  readonly userId: number;
  readonly warnBelow: number;
  /** Units that the batch subtracts from the balance. */
  readonly charged: number;
}

/**
 * Why the database did not complete a script. `balance_crossed` (SQLite) and `repeat` are part of
 * normal operation; `error` should never occur.
 */
export const BATCH_FAILURES = ['balance_crossed', 'repeat', 'busy', 'connection', 'error'] as const;
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
  const sql = batchSqlOf(engine, operations, logTable);
  if (sql === undefined) return UNSUITED;
  const connection = await db.client.acquireConnection();
  try {
    const rows = await RUN[engine](connection, sql);
    for (const row of rows) balances.set(Number(row.id), Number(row.quota));
    return DONE;
  } catch (error) {
    await undo(engine, connection);
    return { kind: 'failed', reason: reasonOf(error, sql), error };
  } finally {
    await db.client.releaseConnection(connection);
  }
}

const DONE: BatchResult = { kind: 'done' };
const UNSUITED: BatchResult = { kind: 'unsuited' };

function reasonOf(error: unknown, { watched }: BatchSql): BatchFailure {
  if (isDuplicate(error)) return 'repeat';
  if (isRetryable(error)) return 'busy';
  if (isConnectionLoss(error)) return 'connection';
  const isOverflow = error instanceof Error && error.message.includes('integer overflow');
  return watched.length > 0 && isOverflow ? 'balance_crossed' : 'error'; // see `failingSelect`
}

/** Undefined for a batch with a hold, a task or a background call, or without charges. */
function batchSqlOf(
  engine: 'sqlite' | 'postgres',
  operations: readonly Operation[],
  logTable: LogTable,
): BatchSql | undefined {
  const closes = operations.filter(isPlainClose);
  const charges = closes.flatMap(({ charge }) => charge ?? []);
  const keys = new Set(charges.map(({ key }) => key));
  if (closes.length < operations.length || charges.length === 0) return undefined;
  if (keys.size < charges.length) return undefined;
  const deltas = new BalanceDeltas();
  for (const charge of charges) addEntry(deltas, charge);
  const [users, ...others] = deltas.increments();
  const logs = closes.flatMap((close) => close.logs);
  const ledgerSql = insertScript(engine, 'ledger', charges.map(ledgerRow));
  const logsSql =
    logs.length === 0 ? '' : insertScript(engine, logTable, withOutboxKeys(logs, logTable));
  if (users?.table !== 'users' || ledgerSql === undefined || logsSql === undefined)
    return undefined;
  return {
    before: logsSql === '' ? [ledgerSql] : [ledgerSql, logsSql],
    users: incrementSql(engine, { ...users, column: 'quota' }),
    watched: watchedIn(closes),
    after: [
      ...others.map((increment) => incrementSql(engine, increment)),
      ...tokenUseUpdates(closes),
    ],
  };
}

function isPlainClose(operation: Operation): operation is CloseOperation {
  if (operation.kind !== 'close' || operation.hadHold) return false;
  return operation.task === undefined && operation.inBackground === undefined;
}

function watchedIn(closes: readonly CloseOperation[]): Watched[] {
  const charged = new Map<number, number>();
  const watched = new Map<string, Watched>();
  for (const { charge } of closes)
    if (charge !== undefined)
      charged.set(charge.userId, (charged.get(charge.userId) ?? 0) - charge.userUnits);
  for (const { charge, warnBelow } of closes) {
    if (charge === undefined || warnBelow === undefined) continue;
    const { userId } = charge;
    watched.set(`${userId} ${warnBelow}`, { userId, warnBelow, charged: charged.get(userId) ?? 0 });
  }
  return [...watched.values()];
}

function tokenUseUpdates(closes: readonly CloseOperation[]): string[] {
  const ids = new Set<number>();
  let atSec = 0;
  for (const { tokenUsedAtSec, charge } of closes) {
    if (tokenUsedAtSec === undefined || !charge?.tokenId) continue;
    ids.add(charge.tokenId);
    atSec = Math.max(atSec, tokenUsedAtSec);
  }
  if (ids.size === 0) return [];
  const list = [...ids].map(Math.trunc).join(',');
  return [`update tokens set accessed_time = ${Math.trunc(atSec)} where id in (${list})`];
}

const RUN = {
  /** One turn of the thread pool; the write lock is taken at once (see database.ts). */
  async sqlite(connection: SqliteConnection, sql: BatchSql): Promise<Row[]> {
    const { before, users, after, watched } = sql;
    const all = [
      'BEGIN IMMEDIATE',
      ...before,
      users,
      ...after,
      ...failingSelect(watched),
      'COMMIT',
    ];
    await exec(connection, all.join(';\n'));
    return [];
  },
  /** One round trip: the server runs the statements in order and returns a result for each. */
  async postgres(connection: PostgresConnection, sql: BatchSql): Promise<Row[]> {
    const { before, users, after } = sql;
    const all = ['begin', ...before, users, ...after, 'commit'];
    const answers = await connection.query(all.join(';\n'));
    return rowsOf(answers[before.length + 1]);
  },
} as const;

/** The driver connection methods used, which knex exposes untyped. */
interface SqliteConnection {
  exec(sql: string, done: (error: Error | null) => void): void;
}
interface PostgresConnection {
  query(sql: string): Promise<readonly unknown[]>;
}

/**
 * A script on SQLite returns nothing, and querying the balances would double its cost. So it aborts
 * on the rare charge that takes a balance below its threshold, and the general path reports it:
 * `abs` of the smallest integer is an error (sqlite.org/lang_corefunc.html#abs).
 */
function failingSelect(watched: readonly Watched[]): string[] {
  if (watched.length === 0) return [];
  const crossed = watched.map(({ userId, warnBelow, charged }) => {
    // Balances are integers: below 0.5 means below 1.
    const below = Math.min(Math.ceil(warnBelow), Number.MAX_SAFE_INTEGER);
    return `(id = ${userId} and quota < ${below} and quota + ${charged} >= ${below})`;
  });
  const ids = new Set(watched.map(({ userId }) => userId));
  const error = 'abs(-9223372036854775807 - (id > 0))';
  return [
    `select ${error} from users where id in (${[...ids].join(',')}) and (${crossed.join(' or ')})`,
  ];
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
