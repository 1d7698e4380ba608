import type { Knex } from 'knex';

/**
 * Until when (epoch seconds, 0 never) an upstream wants a key to be left alone, for which model ('' all)
 * and what it said.
 */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('channel_keys', 'resting_until')))
    await knex.schema.alterTable('channel_keys', (table) => {
      table.bigInteger('resting_until').notNullable().defaultTo(0);
    });
  for (const column of ['rest_model', 'rest_reason'])
    if (!(await knex.schema.hasColumn('channel_keys', column)))
      await knex.schema.alterTable('channel_keys', (table) => {
        table.string(column, 255).notNullable().defaultTo('');
      });
}
