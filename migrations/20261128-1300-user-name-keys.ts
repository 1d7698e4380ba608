import type { Knex } from 'knex';
import { hasIndex } from './indexes.ts';

const INDEX = 'users_username_key_unique';

/**
 * The name of a user as names are compared. Null while it is not filled, and for accounts that had
 * the same name as another in this form before names were compared so. Null conflicts with nothing.
 */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('users', 'username_key')))
    await knex.schema.alterTable('users', (table) => {
      // Compared by its bytes, like all text.
      const type = 'varchar(255) character set utf8mb4 collate utf8mb4_bin';
      if (knex.client.dialect === 'mysql') table.specificType('username_key', type).nullable();
      else table.string('username_key').nullable();
    });
  if (await hasIndex(knex, 'users', INDEX)) return;
  await knex.schema.alterTable('users', (table) => {
    table.unique(['username_key'], { indexName: INDEX });
  });
}
