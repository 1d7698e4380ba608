/** Finds the ledger id below which nothing can appear any more, without delaying writers. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Databases } from '../connection/database.ts';
import type { Engine } from '../connection/engine.ts';
import { MYSQL_LOCK_WAIT_SEC } from '../connection/server-pools.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import { isRetryable, type Row, rowsOf } from '../sql/sql-dialect.ts';

const TRIES = 20;
const PAUSE_MS = 50;

/**
 * An id is assigned before its transaction commits, so a lower one may appear after a higher one.
 * Returns an id up to which all entries are visible and no other can appear; undefined if a
 * transaction with a lower id did not end within a second.
 */
export function settledEntryId({
  engine,
  db,
}: Pick<Databases, 'engine' | 'db'>): Promise<number | undefined> {
  return SETTLED[engine](db);
}

const SETTLED: Readonly<Record<Engine, (db: Knex) => Promise<number | undefined>>> = {
  /** One writer at a time assigns ids. */
  sqlite: lastEntryId,
  postgres: afterWriters,
  mysql: betweenWriters,
};

async function lastEntryId(db: Knex): Promise<number> {
  const row: Row | undefined = await db('ledger').max({ id: 'id' }).first();
  return numberValue(row?.id);
}

/**
 * An insert locks the table before it takes an id, until its transaction has ended. So ids up to
 * the highest one belong to transactions that have ended or hold the lock now.
 */
async function afterWriters(db: Knex): Promise<number | undefined> {
  const id = await lastEntryId(db);
  let writers = await writersIn(db);
  for (let attempt = 0; writers.size > 0; attempt += 1) {
    if (attempt === TRIES) return undefined;
    await pause(PAUSE_MS);
    const now = await writersIn(db);
    writers = new Set([...writers].filter((writer) => now.has(writer)));
  }
  return id;
}

async function writersIn(db: Knex): Promise<ReadonlySet<string>> {
  const rows = rowsOf(
    await db.raw(
      `select virtualtransaction as name from pg_locks
       where locktype = 'relation' and relation = 'ledger'::regclass and granted
         and database = (select oid from pg_database where datname = current_database())
         and mode = 'RowExclusiveLock'`,
    ),
  );
  return new Set(rows.map((row) => textValue(row.name)));
}

/**
 * The lock is granted between two writers, whose transactions do not wait for it while it is
 * requested.
 */
async function betweenWriters(db: Knex): Promise<number | undefined> {
  return db
    .transaction(async (connection) => {
      await connection.raw('set session lock_wait_timeout = 1');
      try {
        await connection.raw('lock tables ledger read');
        return await lastEntryId(connection);
      } finally {
        await connection.raw('unlock tables');
        await connection.raw(`set session lock_wait_timeout = ${MYSQL_LOCK_WAIT_SEC}`);
      }
    })
    .catch((error: unknown) => {
      if (isRetryable(error)) return undefined;
      throw error;
    });
}
