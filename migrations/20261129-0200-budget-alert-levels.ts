import type { Knex } from 'knex';

/** Further levels of a budget at which its owner is notified: JSON list of per cent. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('budgets', 'notify_at')) return;
  await knex.schema.alterTable('budgets', (table) => {
    table.string('notify_at', 191).notNullable().defaultTo('[]');
  });
}
