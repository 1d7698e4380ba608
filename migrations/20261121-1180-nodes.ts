import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** The processes that serve; one whose `seen_at` stays behind is gone, and its holds with it. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'nodes', (table) => {
    table.string('id', 64).notNullable().primary();
    table.string('host').notNullable().defaultTo('');
    table.integer('pid').notNullable().defaultTo(0);
    table.string('version', 50).notNullable().defaultTo('');
    table.bigInteger('started_at').notNullable().defaultTo(0);
    table.bigInteger('seen_at').notNullable().defaultTo(0);
  });
}
