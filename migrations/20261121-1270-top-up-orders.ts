import type { Knex } from 'knex';

/**
 * What an order needs to be settled later exactly as it was made: `quota` is what it credits (0 on
 * rows from before: `amount` units then), `method` what the user chose at the provider.
 */
export async function up(knex: Knex): Promise<void> {
  const add = async (column: string, define: (table: Knex.AlterTableBuilder) => void) => {
    if (!(await knex.schema.hasColumn('top_ups', column)))
      await knex.schema.alterTable('top_ups', define);
  };
  await add('quota', (table) => table.bigInteger('quota').notNullable().defaultTo(0));
  await add('provider', (table) => table.string('provider', 32).notNullable().defaultTo('epay'));
  await add('method', (table) => table.string('method', 32).notNullable().defaultTo(''));
  await add('complete_time', (table) =>
    table.bigInteger('complete_time').notNullable().defaultTo(0),
  );
}
