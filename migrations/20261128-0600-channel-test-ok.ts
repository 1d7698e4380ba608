import type { Knex } from 'knex';

/** Whether the latest test of a channel succeeded; null before the first test. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('channels', 'test_ok')) return;
  await knex.schema.alterTable('channels', (table) => {
    table.boolean('test_ok').nullable();
  });
}
