import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** The unique key is what lets a gift code pay each user once. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'redemption_logs',
    (table) => {
      table.bigIncrements('id');
      table.bigInteger('redemption_id').notNullable();
      table.bigInteger('user_id').notNullable();
      table.bigInteger('used_time').notNullable().defaultTo(0);
    },
    { unique: [['redemption_id', 'user_id']], index: [['user_id']] },
  );
}
