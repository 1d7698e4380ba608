import type { Knex } from 'knex';

/** Milliseconds by which the node's clock was ahead of the database's at its latest heartbeat. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('nodes', 'skew_ms')) return;
  await knex.schema.alterTable('nodes', (table) => {
    table.bigInteger('skew_ms').notNullable().defaultTo(0);
  });
}
