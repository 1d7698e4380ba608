import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** One row per message and receiver; `read_at` is null until it is read. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'user_messages',
    (table) => {
      table.bigIncrements('id');
      table.bigInteger('user_id').notNullable();
      table.bigInteger('message_id').notNullable();
      table.bigInteger('read_at').nullable();
      table.bigInteger('created_at').notNullable().defaultTo(0);
    },
    { unique: [['user_id', 'message_id']], index: [['message_id']] },
  );
}
