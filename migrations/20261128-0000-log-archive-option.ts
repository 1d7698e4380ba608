import type { Knex } from 'knex';

/**
 * Archives of the log are gone. Where they were switched on, the retention ends as well: it would
 * delete entries that no file has.
 */
export async function up(knex: Knex): Promise<void> {
  const wasOn = await knex('options').where({ key: 'LogArchiveEnabled', value: 'true' }).first();
  if (wasOn !== undefined) await knex('options').where({ key: 'LogRetentionDays' }).delete();
  await knex('options').where({ key: 'LogArchiveEnabled' }).delete();
}
