import type { Knex } from 'knex';
import { partitionLogs } from './partition-logs.ts';

/**
 * Partitions by month on PostgreSQL. Here only where the log is still empty: of a log with lines a
 * background job makes the first partition, without keeping calls waiting.
 */
export async function up(knex: Knex): Promise<void> {
  if (knex.client.dialect !== 'postgresql') return;
  const { rows } = await knex.raw(
    "select relkind from pg_class where oid = 'logs'::regclass and relkind = 'r'",
  );
  if (rows.length === 0 || (await knex('logs').first('id')) !== undefined) return;
  const now = new Date();
  await partitionLogs(knex, Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1000);
}
