import type { Knex } from 'knex';

/** The process that started this one and keeps its counters; 0 for a process that stands alone. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('nodes', 'primary_pid')) return;
  await knex.schema.alterTable('nodes', (table) => {
    table.integer('primary_pid').notNullable().defaultTo(0);
  });
}
