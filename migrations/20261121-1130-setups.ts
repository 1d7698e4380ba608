import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** One row once the site has its first administrator. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'setups', (table) => {
    table.bigIncrements('id');
    table.string('version', 50).notNullable().defaultTo('');
    table.bigInteger('initialized_at').notNullable().defaultTo(0);
  });
}
