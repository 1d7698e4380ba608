/**
 * The end of calls that had no hold, as one script: what nearly every commit of the books is. The
 * general way (`applyBatch`) asks statement by statement, and each is a trip to the database that costs
 * more than its work. Nothing is decided here that is not decided there: what the script cannot do, or
 * the database refuses, is undone and left to the general way.
 */

import type { Databases } from '../connection/database.ts';
import type { LogTable } from '../logs/log-database.ts';
import { keyed } from '../logs/log-rows.ts';
import { insertText } from '../sql/inserts.ts';
import {
  isConnectionLoss,
  isDuplicate,
  isRetryable,
  type Row,
  rowsOf,
} from '../sql/sql-dialect.ts';
import { Sums } from './balance-deltas.ts';
import { additionText } from './bulk-increments.ts';
import { addEntry, ledgerRow } from './ledger.ts';
import type { CloseOperation, Operation } from './ledger-operations.ts';

interface Script {
  readonly before: readonly string[];
  /** Takes the charges from the users' balances; on PostgreSQL it answers the new ones. */
  readonly users: string;
  readonly after: readonly string[];
  /** Balances of which somebody wants to hear when they get below. */
  readonly watched: readonly Watched[];
}

interface Watched {
  readonly userId: number;
  readonly warnBelow: number;
  /** Units that the batch takes from the balance. */
  readonly charged: number;
}

/**
 * Why the database did not run a script to its end. `balance_crossed` (SQLite) and `repeat` are part of
 * normal operation; `error` should never occur.
 */
export const SCRIPT_FAILURES = [
  'balance_crossed',
  'repeat',
  'busy',
  'connection',
  'error',
] as const;
export type ScriptFailure = (typeof SCRIPT_FAILURES)[number];

/**
 * `done`: the whole batch is committed, each operation was new, and `balances` has the new balance of
 * every user whose charges took it below its `warnBelow` (and of others, perhaps). `unsuited`: no script
 * was tried. `failed`: nothing is written, or (where the connection broke in the commit) perhaps all of
 * it; `applyBatch` finds out which.
 */
export type ScriptEnd =
  | { readonly kind: 'done' | 'unsuited' }
  | { readonly kind: 'failed'; readonly reason: ScriptFailure; readonly error: unknown };

export async function closeByScript(
  { engine, db }: Pick<Databases, 'engine' | 'db'>,
  operations: readonly Operation[],
  balances: Map<number, number>,
  logTable: LogTable = 'logs',
): Promise<ScriptEnd> {
  if (engine === 'mysql') return UNSUITED;
  const script = scriptOf(engine, operations, logTable);
  if (script === undefined) return UNSUITED;
  const connection = await db.client.acquireConnection();
  try {
    const rows = await RUN[engine](connection, script);
    for (const row of rows) balances.set(Number(row.id), Number(row.quota));
    return DONE;
  } catch (error) {
    await undo(engine, connection);
    return { kind: 'failed', reason: reasonOf(error, script), error };
  } finally {
    await db.client.releaseConnection(connection);
  }
}

const DONE: ScriptEnd = { kind: 'done' };
const UNSUITED: ScriptEnd = { kind: 'unsuited' };

function reasonOf(error: unknown, { watched }: Script): ScriptFailure {
  if (isDuplicate(error)) return 'repeat';
  if (isRetryable(error)) return 'busy';
  if (isConnectionLoss(error)) return 'connection';
  const isOverflow = error instanceof Error && error.message.includes('integer overflow');
  return watched.length > 0 && isOverflow ? 'balance_crossed' : 'error'; // see `breakingOn`
}

/** Undefined for a batch with a hold, a task or a call of the background, or with nothing charged. */
function scriptOf(
  engine: 'sqlite' | 'postgres',
  operations: readonly Operation[],
  logTable: LogTable,
): Script | undefined {
  const closes = operations.filter(isPlainClose);
  const charges = closes.flatMap(({ charge }) => charge ?? []);
  const keys = new Set(charges.map(({ key }) => key));
  if (closes.length < operations.length || charges.length === 0) return undefined;
  if (keys.size < charges.length) return undefined;
  const sums = new Sums();
  for (const charge of charges) addEntry(sums, charge);
  const [users, ...others] = sums.additions();
  const logs = closes.flatMap((close) => close.logs);
  const ledger = insertText(engine, 'ledger', charges.map(ledgerRow));
  const lines = logs.length === 0 ? '' : insertText(engine, logTable, keyed(logs, logTable));
  if (users?.table !== 'users' || ledger === undefined || lines === undefined) return undefined;
  return {
    before: lines === '' ? [ledger] : [ledger, lines],
    users: additionText(engine, { ...users, column: 'quota' }),
    watched: watchedIn(closes),
    after: [...others.map((addition) => additionText(engine, addition)), ...touches(closes)],
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

function touches(closes: readonly CloseOperation[]): string[] {
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
  /** One turn of the thread pool; the write lock is taken at once (see db.ts). */
  async sqlite(connection: SqliteConnection, script: Script): Promise<Row[]> {
    const { before, users, after, watched } = script;
    const all = ['BEGIN IMMEDIATE', ...before, users, ...after, ...breakingOn(watched), 'COMMIT'];
    await exec(connection, all.join(';\n'));
    return [];
  },
  /** One trip: the server does them one after the other and answers to each. */
  async postgres(connection: PostgresConnection, script: Script): Promise<Row[]> {
    const { before, users, after } = script;
    const all = ['begin', ...before, users, ...after, 'commit'];
    const answers = await connection.query(all.join(';\n'));
    return rowsOf(answers[before.length + 1]);
  },
} as const;

/** What is used of the drivers' connections, which knex hands out untyped. */
interface SqliteConnection {
  exec(sql: string, done: (error: Error | null) => void): void;
}
interface PostgresConnection {
  query(sql: string): Promise<readonly unknown[]>;
}

/**
 * A script on SQLite answers nothing, and to ask for the balances would double its cost. So it breaks off
 * at the rare charge that takes one below its threshold, and the general way tells of it: `abs` of the
 * smallest integer is an error (sqlite.org/lang_corefunc.html#abs).
 */
function breakingOn(watched: readonly Watched[]): string[] {
  if (watched.length === 0) return [];
  const crossed = watched.map(({ userId, warnBelow, charged }) => {
    // Balances are whole: they are below 0.5 where they are below 1.
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

/** A connection on which not even that works is not given to anybody again. */
async function undo(
  engine: 'sqlite' | 'postgres',
  connection: SqliteConnection & PostgresConnection & { __knex__disposed?: unknown },
): Promise<void> {
  try {
    if (engine === 'postgres') await connection.query('rollback');
    else await exec(connection, 'ROLLBACK');
  } catch (error) {
    // SQLite has ended the transaction itself where it could not even begin or keep it.
    if (engine === 'postgres') connection.__knex__disposed = error;
  }
}
