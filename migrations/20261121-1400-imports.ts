import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Installations that were imported: one row per name an import goes by. Times are epoch seconds. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'imports',
    (table) => {
      table.bigIncrements('id');
      table.string('name', 64).notNullable();
      table.string('family', 32).notNullable().defaultTo('');
      table.string('location', 512).notNullable().defaultTo('');
      table.bigInteger('started_at').notNullable().defaultTo(0);
      table.bigInteger('finished_at').notNullable().defaultTo(0);
    },
    { unique: [['name']] },
  );
}
