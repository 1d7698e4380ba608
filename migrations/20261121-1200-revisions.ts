import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** How often each scope was written: the counter that caches compare with. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'revisions', (table) => {
    table.string('scope', 32).notNullable().primary();
    table.bigInteger('revision').notNullable();
  });
}
