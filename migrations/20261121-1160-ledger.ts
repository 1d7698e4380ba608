import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Append-only. Every balance is a sum of these rows; the unique key makes a posting repeatable. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'ledger',
    (table, longText) => {
      table.bigIncrements('id');
      table.string('key', 160).notNullable();
      table.string('cause', 32).notNullable();
      table.bigInteger('user_id').notNullable();
      for (const column of ['token_id', 'channel_id', 'user_units', 'token_units', 'channel_units'])
        table.bigInteger(column).notNullable().defaultTo(0);
      table.string('actor', 64).notNullable().defaultTo('');
      longText('detail');
      table.bigInteger('created_at').notNullable();
    },
    {
      unique: [['key']],
      index: [['user_id', 'id'], ['token_id', 'id'], ['channel_id', 'id'], ['created_at']],
    },
  );
}
