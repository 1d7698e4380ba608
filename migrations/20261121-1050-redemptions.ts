import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** `max_uses` -1 is without limit; `valid_from` and `valid_until` 0 are open. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'redemptions',
    (table) => {
      table.bigIncrements('id');
      table.bigInteger('user_id').notNullable().defaultTo(0);
      table.string('key', 64).notNullable();
      table.integer('status').notNullable().defaultTo(1);
      table.string('name').notNullable().defaultTo('');
      table.bigInteger('quota').notNullable().defaultTo(100);
      for (const column of ['created_time', 'redeemed_time', 'valid_from', 'valid_until'])
        table.bigInteger(column).notNullable().defaultTo(0);
      table.bigInteger('used_user_id').notNullable().defaultTo(0);
      table.boolean('is_gift').notNullable().defaultTo(false);
      table.bigInteger('used_count').notNullable().defaultTo(0);
      table.bigInteger('max_uses').notNullable().defaultTo(-1);
      table.bigInteger('deleted_at').nullable();
    },
    { unique: [['key']], index: [['name'], ['deleted_at']] },
  );
}
