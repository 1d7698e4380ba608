/** The pools of a SQLite file: one connection for writes, and read-only ones. */
import knex, { type Knex } from 'knex';
import { SHARED_OPTIONS } from './pool-options.ts';

const READERS = 2;

export function sqlitePools(filename: string): { readonly db: Knex; readonly reads: Knex } {
  const db = sqlitePool(filename, WRITER_PRAGMAS, 1);
  beginImmediately(db);
  return { db, reads: sqlitePool(filename, READER_PRAGMAS, READERS) };
}

// busy_timeout first: the switch to WAL must already wait for others.
const WRITER_PRAGMAS =
  'PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;';
const READER_PRAGMAS = 'PRAGMA busy_timeout=5000; PRAGMA foreign_keys=ON; PRAGMA query_only=ON;';

interface SqliteConnection {
  exec(sql: string, done: (error: Error | null) => void): void;
}

function sqlitePool(filename: string, pragmas: string, size: number): Knex {
  return knex({
    ...SHARED_OPTIONS,
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: size,
      afterCreate(connection: SqliteConnection, done: (error: Error | null) => void) {
        connection.exec(pragmas, done);
      },
    },
  });
}

/** The methods of knex's (untyped) client and transaction that `beginImmediately` uses. */
interface TransactionOpener {
  transaction(...how: unknown[]): OpenTransaction;
}
interface OpenTransaction {
  begin(connection: unknown): Promise<unknown>;
  query(connection: unknown, sql: string): Promise<unknown>;
}

/**
 * A transaction that starts as a reader and then writes fails at once with SQLITE_BUSY if another
 * connection wrote in between, regardless of any timeout (sqlite.org/isolation.html,
 * sqlite.org/rescode.html "SQLITE_BUSY_SNAPSHOT"). Writers therefore take the write lock at BEGIN,
 * where busy_timeout applies.
 */
function beginImmediately(db: Knex): void {
  const client: TransactionOpener = db.client;
  const open = client.transaction;
  client.transaction = function (this: TransactionOpener, ...how) {
    const transaction = open.apply(this, how);
    transaction.begin = (connection) => transaction.query(connection, 'BEGIN IMMEDIATE;');
    return transaction;
  };
}
