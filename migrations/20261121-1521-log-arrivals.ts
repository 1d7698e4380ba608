import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * In a log database of its own: the lines that came lately, so that none comes twice. The row whose
 * key is empty is what those who bring lines lock.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'log_arrivals',
    (table) => {
      table.string('line_key', 36).notNullable().primary();
      table.bigInteger('outbox_id').notNullable().defaultTo(0);
      table.bigInteger('arrived_at').notNullable().defaultTo(0);
    },
    { index: [['arrived_at']] },
  );
}
