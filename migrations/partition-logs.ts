/** How the log becomes partitioned on PostgreSQL. Frozen like the migrations that use it. */
import type { Knex } from 'knex';

interface Index {
  readonly name: string;
  readonly sql: string;
}

/**
 * Makes the table as it stands the partition of everything before `untilSec` (the first second of a
 * month) and puts a partitioned `logs` in its place. Takes no longer for many lines where the table
 * has a valid check that all are older than that and an index on its id alone; else it reads them.
 * The caller holds the table's lock.
 */
export async function partitionLogs(trx: Knex, untilSec: number): Promise<void> {
  const { rows: indexes }: { rows: Index[] } = await trx.raw(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as sql
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'logs'::regclass and not i.indisprimary`,
  );
  for (const { name } of indexes)
    await trx.raw('alter index ?? rename to ??', [name, `${name}_before`]);
  await trx.raw('alter table logs rename to logs_before');
  await trx.raw(
    'create table logs (like logs_before including defaults including storage) partition by range (created_at)',
  );
  // The sequence would go with the old table.
  await trx.raw('alter sequence logs_id_seq owned by logs.id');
  for (const { sql } of indexes) await trx.raw(sql);
  await trx.raw('create index if not exists logs_id_index on logs (id)');
  await trx.raw(
    `alter table logs attach partition logs_before for values from (minvalue) to (${untilSec})`,
  );
  // No line may be refused because of its time.
  await trx.raw('create table logs_other partition of logs default');
}
