import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * Answers that an upstream makes in the background and that are not paid yet. A row goes in the
 * transaction that settles its call. `facts`: JSON of what the bill and the log are made from.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'background_answers',
    (table, longText) => {
      table.string('request_id', 64).notNullable().primary();
      table.bigInteger('user_id').notNullable();
      table.string('id_hash', 64).notNullable();
      longText('response_id');
      table.bigInteger('channel_id').notNullable();
      table.bigInteger('key_id').notNullable();
      longText('facts');
      table.bigInteger('created_at').notNullable();
    },
    { index: [['user_id', 'id_hash']] },
  );
}
