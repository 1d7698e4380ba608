/**
 * Moves entries from `log_outbox` of the site's database to the log. An entry leaves the outbox
 * only after it is committed there, and a moved entry is recognised by its key, so each entry is
 * moved exactly once even if a process is killed.
 */
import type { Knex } from 'knex';
import type { Databases } from '../connection/database.ts';
import { inTransaction } from '../connection/transaction.ts';
import { deleteKeys } from '../ledger/bulk-increments.ts';
import { insertNew, insertOnce } from '../sql/inserts.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { type LogDatabase, poolsWithoutFence } from './log-database.ts';
import { LOG_ROWS } from './log-row.ts';
import { insertLogs } from './log-rows.ts';

export const OUTBOX_BATCH = 250;
/** Keys are kept longer than this: two snapshots, one of each database, are taken within it. */
const KEY_RETENTION_SEC = 300;
const LOCK_KEY = '';

type Site = Pick<Databases, 'db' | 'reads'>;

/** Moves the oldest entries and returns their number, at most `OUTBOX_BATCH`. */
export async function moveEntries(site: Site, log: LogDatabase): Promise<number> {
  return log.isSeparate ? moveToLogDatabase(site, log) : moveToSite(site);
}

async function moveToLogDatabase(site: Site, log: LogDatabase): Promise<number> {
  if ((await site.reads('log_outbox').first('id')) === undefined) return 0;
  const ids = await inTransaction(poolsWithoutFence(log), async ({ db }) => {
    await lockArrivals(db);
    await deleteOldKeys(site, db);
    // Read under the lock: entries moved by another node meanwhile are gone, or their keys exist.
    const rows = await oldestEntries(site.reads);
    await insertUnmoved(db, rows);
    return rows.map((row) => numberValue(row.id));
  });
  if (ids.length > 0)
    await inTransaction(site, ({ db }) => deleteKeys(db, 'log_outbox', 'id', ids));
  return ids.length;
}

function oldestEntries(db: Knex): Promise<Row[]> {
  return db('log_outbox').orderBy('id').limit(OUTBOX_BATCH).select();
}

async function insertUnmoved(trx: Knex.Transaction, rows: readonly Row[]): Promise<void> {
  const arrivedAt = Math.floor(Date.now() / 1000);
  const arrivals = rows.map((row) => ({
    line_key: textValue(row.line_key),
    outbox_id: numberValue(row.id),
    arrived_at: arrivedAt,
  }));
  if (arrivals.length === 0) return;
  const fresh = await insertNew(trx, 'log_arrivals', arrivals, 'line_key');
  await insertLogs(
    trx,
    rows.filter((row) => fresh.has(textValue(row.line_key))).map(LOG_ROWS.read),
  );
}

async function lockArrivals(trx: Knex.Transaction): Promise<void> {
  const lock = () => trx('log_arrivals').where({ line_key: LOCK_KEY }).forUpdate().first();
  if ((await lock()) !== undefined) return;
  await insertOnce(trx, 'log_arrivals', { line_key: LOCK_KEY }, 'line_key');
  await lock();
}

/** Only keys of entries that have left the outbox and therefore cannot be moved again. */
async function deleteOldKeys(site: Site, trx: Knex.Transaction): Promise<void> {
  const before = Math.floor(Date.now() / 1000) - KEY_RETENTION_SEC;
  const old: Row[] = await trx('log_arrivals')
    .where('arrived_at', '<', before)
    .whereNot('line_key', LOCK_KEY)
    .limit(2 * OUTBOX_BATCH)
    .select('line_key', 'outbox_id');
  if (old.length === 0) return;
  const waiting = new Set(
    await site
      .reads('log_outbox')
      .whereIn(
        'line_key',
        old.map((row) => textValue(row.line_key)),
      )
      .whereIn(
        'id',
        old.map((row) => numberValue(row.outbox_id)),
      )
      .pluck('line_key'),
  );
  const gone = old.map((row) => textValue(row.line_key)).filter((key) => !waiting.has(key));
  await trx('log_arrivals').whereIn('line_key', gone).delete();
}

/** Moves entries left from when the log had its own database. */
async function moveToSite(site: Site): Promise<number> {
  if ((await site.reads('log_outbox').first('id')) === undefined) return 0;
  return inTransaction(site, async ({ db }) => {
    const rows: Row[] = await db('log_outbox')
      .orderBy('id')
      .limit(OUTBOX_BATCH)
      .forUpdate()
      .select();
    await insertLogs(db, rows.map(LOG_ROWS.read));
    const ids = rows.map((row) => numberValue(row.id));
    await deleteKeys(db, 'log_outbox', 'id', ids);
    return rows.length;
  });
}
