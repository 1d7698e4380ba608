import type { Knex } from 'knex';
import { dropIndex, hasIndex } from './indexes.ts';

/**
 * Nearly all lines are calls (type 2), and those are found by their time, so on SQLite only the
 * others are indexed by type. MySQL has no such index, and building one on PostgreSQL would stop
 * the writers of a large log.
 */
export async function up(knex: Knex): Promise<void> {
  if (knex.client.dialect !== 'sqlite3') return;
  const name = 'logs_other_type_created_at_index';
  if (!(await hasIndex(knex, 'logs', name)))
    await knex.raw('create index ?? on logs (type, created_at) where type <> 2', [name]);
  await dropIndex(knex, 'logs', 'logs_type_created_at_index');
}
