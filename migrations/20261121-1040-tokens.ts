import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** API tokens: found by the keyed hash, shown again from the cipher text. `expired_time` -1 is never. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'tokens',
    (table, longText) => {
      table.bigIncrements('id');
      table.bigInteger('user_id').notNullable();
      table.specificType('key_hash', 'char(64)').notNullable();
      longText('key_cipher');
      table.integer('status').notNullable().defaultTo(1);
      table.string('name', 64).notNullable().defaultTo('');
      table.bigInteger('created_time').notNullable().defaultTo(0);
      table.bigInteger('accessed_time').notNullable().defaultTo(0);
      table.bigInteger('expired_time').notNullable().defaultTo(-1);
      for (const column of ['remain_quota', 'used_quota', 'held'])
        table.bigInteger(column).notNullable().defaultTo(0);
      table.boolean('unlimited_quota').notNullable().defaultTo(false);
      table.boolean('rate_limit_enabled').notNullable().defaultTo(false);
      table.integer('rate_limit_period').notNullable().defaultTo(60);
      table.integer('rate_limit_count').notNullable().defaultTo(1000);
      table.integer('rate_limit_success').notNullable().defaultTo(10);
      table.boolean('model_limits_enabled').notNullable().defaultTo(false);
      longText('model_limits');
      longText('allow_ips');
      table.string('group', 64).notNullable().defaultTo('');
      table.bigInteger('deleted_at').nullable();
    },
    { unique: [['key_hash']], index: [['user_id'], ['name'], ['deleted_at']] },
  );
}
