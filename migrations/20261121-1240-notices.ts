import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** When a user was last told of something, and the time before: no notice comes too often. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'notices',
    (table) => {
      table.bigIncrements('id');
      table.bigInteger('user_id').notNullable();
      table.string('type', 64).notNullable();
      table.bigInteger('sent_at').notNullable();
      table.bigInteger('earlier_at').notNullable().defaultTo(0);
    },
    { unique: [['user_id', 'type']] },
  );
}
