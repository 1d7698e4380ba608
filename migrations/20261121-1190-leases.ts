import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Who may run a background job now. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'leases', (table) => {
    table.string('name', 64).notNullable().primary();
    table.string('holder', 64).notNullable();
    table.bigInteger('expires_at_ms').notNullable();
  });
}
