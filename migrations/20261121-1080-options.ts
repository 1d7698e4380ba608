import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Only what differs from its default has a row. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'options', (table, longText) => {
    table.string('key').notNullable().primary();
    longText('value');
  });
}
