import type { Knex } from 'knex';

/**
 * `channels.cost` says as JSON what the upstream charges; null and '' are unknown. Lines on their
 * way to a log database of their own carry the cost of their call, null if it is unknown.
 */
export async function up(knex: Knex): Promise<void> {
  const type = knex.client.dialect === 'mysql' ? 'mediumtext' : 'text';
  if (!(await knex.schema.hasColumn('channels', 'cost')))
    await knex.schema.alterTable('channels', (table) => {
      table.specificType('cost', type).nullable();
    });
  if (!(await knex.schema.hasColumn('log_outbox', 'cost')))
    await knex.schema.alterTable('log_outbox', (table) => {
      table.bigInteger('cost').nullable();
    });
}
