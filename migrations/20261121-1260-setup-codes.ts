import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** The one-time code for a set-up from another machine: one row until the site is set up. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'setup_codes', (table) => {
    table.integer('id').notNullable().primary();
    table.string('code_cipher').notNullable();
    table.integer('attempts').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
  });
}
