import type { Knex } from 'knex';
import { createTable } from './create-table.ts';
import { logColumns } from './log-columns.ts';

/**
 * Lines that were committed with what they are about and are still to be brought to a log database
 * of its own. `line_key` says there which lines have come already.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'log_outbox', (table, longText) => {
    table.bigIncrements('id');
    table.string('line_key', 36).notNullable().defaultTo('');
    logColumns(table, longText);
  });
}
