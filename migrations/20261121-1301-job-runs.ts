import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** The last run of each background job. Times are milliseconds of the database's clock; 0 is never. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'job_runs', (table, longText) => {
    table.string('name', 58).notNullable().primary();
    // The first run is due one interval after this.
    table.bigInteger('known_since_ms').notNullable();
    table.bigInteger('started_at_ms').notNullable().defaultTo(0);
    table.bigInteger('finished_at_ms').notNullable().defaultTo(0);
    table.string('outcome', 20).notNullable().defaultTo('');
    longText('error');
    // How often in a row the run was begun and not brought to an end.
    table.integer('tries').notNullable().defaultTo(0);
    table.string('holder', 64).notNullable().defaultTo('');
    // Who wants a run now, as the ledger names people; '' when nobody does.
    table.string('requested_by', 64).notNullable().defaultTo('');
  });
}
