/**
 * Runs a migration of tables that a long-running reader keeps open, as a backup or a forgotten psql
 * does. PostgreSQL only. The statements change nothing but need the locks of a real migration.
 */
import type { Knex } from 'knex';
import { openDatabases } from '../../../../src/store/connection/database.ts';
import { withShortLocks } from '../../../../src/store/schema/short-locks.ts';

const TABLES = ['users', 'channels'] as const;
const TIMEOUT_MS = 60_000;

/**
 * Resolves when the migration waits for the reader's locks; the returned function ends the reader
 * and waits for the migration. @throws Error if the migration did not wait, or failed.
 */
export async function migrateBehindReader(dsn: string): Promise<() => Promise<void>> {
  const databases = await openDatabases(dsn, { pool: 2 });
  const { db } = databases;
  const reader = await aReaderOf(db);
  let isDone = false;
  let migrating = Promise.resolve();
  await new Promise<void>((resolve) => {
    const runOnce = { timeoutMs: TIMEOUT_MS, onWait: resolve };
    migrating = withShortLocks(db, runOnce, alterTables).then(() => {
      isDone = true;
    });
    // Its error is thrown at the end.
    migrating.catch(() => undefined).finally(resolve);
  });
  return async () => {
    try {
      if (isDone) throw new Error('the migration did not wait for the reader');
      await reader.rollback();
      await migrating;
    } finally {
      await databases.close();
    }
  };
}

/** A primary key is never null, so nothing changes. */
async function alterTables(trx: Knex.Transaction): Promise<void> {
  for (const table of TABLES) await trx.raw(`alter table ${table} alter column id set not null`);
}

/** A transaction that has read both tables and keeps its locks until its rollback. */
async function aReaderOf(db: Knex): Promise<Knex.Transaction> {
  const reader = await db.transaction();
  await reader.raw('set local idle_in_transaction_session_timeout = 0');
  for (const table of TABLES) await reader(table).first('id');
  return reader;
}
