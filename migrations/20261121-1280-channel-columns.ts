import type { Knex } from 'knex';

/** `max_input_tokens` 0 is no limit; `balance` is counted in `balance_currency`. */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('channels', 'max_input_tokens')))
    await knex.schema.alterTable('channels', (table) => {
      table.integer('max_input_tokens').notNullable().defaultTo(0);
    });
  if (!(await knex.schema.hasColumn('channels', 'balance_currency')))
    await knex.schema.alterTable('channels', (table) => {
      table.string('balance_currency', 8).notNullable().defaultTo('USD');
    });
}
