import type { Knex } from 'knex';

/** Counts the holders a lease has had: whoever comes with an older number has lost it. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('leases', 'fence')) return;
  await knex.schema.alterTable('leases', (table) => {
    table.bigInteger('fence').notNullable().defaultTo(0);
  });
}
