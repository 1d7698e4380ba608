import type { Knex } from 'knex';

/** Calls at the same time and tokens a minute that a user and a token may have; 0 is no limit. */
export async function up(knex: Knex): Promise<void> {
  for (const table of ['users', 'tokens'])
    for (const column of ['max_concurrency', 'tokens_per_minute'])
      if (!(await knex.schema.hasColumn(table, column)))
        await knex.schema.alterTable(table, (alter) => {
          alter.integer(column).notNullable().defaultTo(0);
        });
}
