/**
 * The log's partitions on PostgreSQL: one per month (UTC), `logs_before` for all older entries and
 * `logs_other` for times without one. Every statement that needs a lock gives up after a moment, so
 * that calls, which would queue behind it, never wait longer than that.
 */
import type { Knex } from 'knex';
import { partitionLogs } from '../../../migrations/partition-logs.ts';
import { monthOf, monthsAfter } from '../../domain/logs/months.ts';
import { withShortLocks } from '../schema/short-locks.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import { engineOf, type Row, rowsOf } from '../sql/sql-dialect.ts';

export interface Partition {
  readonly name: string;
  /** Epoch seconds of the first time beyond the partition. */
  readonly untilSec: number;
}

const MONTHS_AHEAD = 2;
/** With more entries of a month in `logs_other` than this, its partition is not created. */
const MAX_MOVED = 20_000;
/** How long the log accepts entries during preparation; longer than that can take. */
const PREPARING_MONTHS = 3;
const CHECK = 'logs_before_check';

/** Undefined if the log is not partitioned. */
export async function partitionsOf(db: Knex): Promise<Partition[] | undefined> {
  if (engineOf(db) !== 'postgres' || !(await isPartitioned(db))) return undefined;
  const rows = rowsOf(
    await db.raw(
      `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'logs'::regclass`,
    ),
  );
  return rows
    .map((row) => ({
      name: textValue(row.name),
      bound: / TO \('?(\d+)'?\)/.exec(textValue(row.bound)),
    }))
    .filter(({ bound }) => bound !== null)
    .map(({ name, bound }) => ({ name, untilSec: Number(bound?.[1]) }))
    .sort((a, b) => a.untilSec - b.untilSec);
}

async function isPartitioned(db: Knex): Promise<boolean> {
  const [row] = rowsOf(
    await db.raw("select relkind::text as kind from pg_class where oid = to_regclass('logs')"),
  );
  return row?.kind === 'p';
}

/** Creates the partitions of this month and the next ones. Returns how many were missing. */
export async function addPartitions(db: Knex, nowSec: number): Promise<number> {
  const partitions = await partitionsOf(db);
  if (partitions === undefined) return 0;
  const untilSec = monthsAfter(nowSec, MONTHS_AHEAD + 1);
  let made = 0;
  let fromSec = Math.max(partitions.at(-1)?.untilSec ?? 0, monthOf(nowSec));
  while (fromSec < untilSec) {
    const toSec = monthsAfter(fromSec, 1);
    if (await addPartition(db, fromSec, toSec)) made += 1;
    fromSec = toSec;
  }
  return made;
}

/** Creates a month's partition and moves the entries that arrived before it. */
async function addPartition(db: Knex, fromSec: number, toSec: number): Promise<boolean> {
  const name = `logs_p${new Date(fromSec * 1000).toISOString().slice(0, 7).replace('-', '')}`;
  return withLock(db, async (trx) => {
    // Only one node at a time; the second one finds the partition.
    await trx.raw('lock table only logs in share update exclusive mode');
    if ((await trx.schema.hasTable(name)) || (await partitionsOf(trx)) === undefined) return false;
    const strays = await trx('logs_other')
      .whereBetween('created_at', [fromSec, toSec - 1])
      .limit(MAX_MOVED + 1)
      .pluck('id');
    if (strays.length > MAX_MOVED) return false;
    await trx.raw('create table ?? (like logs including defaults including storage)', [name]);
    if (strays.length > 0)
      await trx.raw(
        `with moved as (delete from logs_other where created_at >= ${fromSec} and created_at < ${toSec} returning *)
         insert into ?? select * from moved`,
        [name],
      );
    await trx.raw(
      `alter table logs attach partition ?? for values from (${fromSec}) to (${toSec})`,
      [name],
    );
    return true;
  });
}

/**
 * Converts a log with entries into a partitioned one, in steps that never block calls: a check
 * constraint validated while entries are written, an index built concurrently, and a brief swap of
 * names. An interrupted run is resumed by the next one. Returns whether there was anything to do.
 */
export async function partitionLog(db: Knex, nowSec: number): Promise<boolean> {
  if (engineOf(db) !== 'postgres' || (await isPartitioned(db))) return false;
  const newest: Row | undefined = await db('logs').max({ at: 'created_at' }).first();
  const untilSec = monthsAfter(Math.max(nowSec, numberValue(newest?.at)), PREPARING_MONTHS);
  await withLock(db, async (trx) => {
    await trx.raw('alter table logs drop constraint if exists ??', [CHECK]);
    await trx.raw(`alter table logs add constraint ?? check (created_at < ${untilSec}) not valid`, [
      CHECK,
    ]);
  });
  await db.raw('alter table logs validate constraint ??', [CHECK]);
  await createIdIndex(db);
  await withLock(db, async (trx) => {
    await trx.raw('lock table logs in access exclusive mode');
    if (await isPartitioned(trx)) return;
    await partitionLogs(trx, untilSec);
    await trx.raw('alter table logs_before drop constraint ??', [CHECK]);
  });
  return true;
}

/** An interrupted `create index concurrently` leaves an invalid index. */
async function createIdIndex(db: Knex): Promise<void> {
  const [found] = rowsOf(
    await db.raw(
      "select indisvalid as valid from pg_index where indexrelid = to_regclass('logs_id_index')",
    ),
  );
  if (found?.valid === true) return;
  if (found !== undefined) await db.raw('drop index concurrently logs_id_index');
  await db.raw('create index concurrently logs_id_index on logs (id)');
}

/** A check left by an old interrupted run must not reject new entries: called before serving. */
export async function dropStaleCheck(db: Knex, nowSec: number): Promise<void> {
  if (engineOf(db) !== 'postgres') return;
  const [found] = rowsOf(
    await db.raw(
      `select pg_get_constraintdef(oid) as text from pg_constraint
       where conname = ? and conrelid = to_regclass('logs')`,
      [CHECK],
    ),
  );
  const bound = /created_at < '?(\d+)/.exec(textValue(found?.text));
  if (bound === null || Number(bound[1]) > monthsAfter(nowSec, 1)) return;
  await withLock(db, async (trx) => {
    await trx.raw('alter table logs drop constraint if exists ??', [CHECK]);
  });
}

/**
 * Detaches a partition from the log as a table of its own that no longer receives entries. `hooks`
 * runs in the same transaction: before the log is locked, and after its entries are no longer
 * visible.
 */
export function detachPartition(
  db: Knex,
  name: string,
  hooks: Readonly<Record<'first' | 'last', (trx: Knex.Transaction) => Promise<void>>>,
): Promise<boolean> {
  return withLock(db, async (trx) => {
    await hooks.first(trx);
    await trx.raw('lock table only logs in access exclusive mode');
    if (!(await partitionsOf(trx))?.some((partition) => partition.name === name)) return false;
    await trx.raw('alter table logs detach partition ??', [name]);
    await hooks.last(trx);
    return true;
  });
}

/** Tables that were detached but not yet dropped. */
export async function detachedPartitions(db: Knex): Promise<string[]> {
  if (engineOf(db) !== 'postgres' || !(await isPartitioned(db))) return [];
  const rows = rowsOf(
    await db.raw(
      `select c.relname as name from pg_class c
       where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
         and not c.relispartition and c.relname ~ '^logs_(before|p[0-9]{6})$'
       order by c.relname`,
    ),
  );
  return rows.map((row) => textValue(row.name));
}

/** How long jobs and commands retry if the log is in use. */
const TIMEOUT_MS = 10_000;

function withLock<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return withShortLocks(db, { timeoutMs: TIMEOUT_MS }, work);
}
