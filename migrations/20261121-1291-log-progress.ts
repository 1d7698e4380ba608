import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** One row, made by the first that counts: how far the log has been counted into `log_hours`. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'log_progress', (table) => {
    table.integer('id').notNullable().primary();
    for (const column of [
      'counted_id',
      'settled_id',
      'seen_id',
      'seen_at',
      'cleared_before',
      'revision',
    ])
      table.bigInteger(column).notNullable().defaultTo(0);
  });
}
