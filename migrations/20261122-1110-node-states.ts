import type { Knex } from 'knex';

/** What the node does (`src/services/cluster/nodes.ts`), and its calls under way at its latest heartbeat. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('nodes', 'state')) return;
  await knex.schema.alterTable('nodes', (table) => {
    table.string('state', 16).notNullable().defaultTo('serving');
    table.integer('calls').notNullable().defaultTo(0);
  });
}
