import type { Knex } from 'knex';

/** How far the last run of a job has come: done of total, both 0 if unknown. */
export async function up(knex: Knex): Promise<void> {
  for (const column of ['progress_done', 'progress_total']) {
    if (await knex.schema.hasColumn('job_runs', column)) continue;
    await knex.schema.alterTable('job_runs', (table) => {
      table.bigInteger(column).notNullable().defaultTo(0);
    });
  }
}
