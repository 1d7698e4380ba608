import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** How the latest calls and tests of a channel went; `test_run_id` is 0 outside of a test of all. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'channel_outcomes',
    (table) => {
      table.bigIncrements('id');
      table.bigInteger('channel_id').notNullable();
      table.bigInteger('test_run_id').notNullable().defaultTo(0);
      table.bigInteger('at_ms').notNullable();
      table.string('source', 8).notNullable();
      table.boolean('ok').notNullable();
      table.integer('status').notNullable().defaultTo(0);
      table.integer('latency_ms').notNullable().defaultTo(0);
      table.integer('first_token_ms').notNullable().defaultTo(0);
      table.string('error_class', 16).notNullable().defaultTo('');
      table.string('model').notNullable().defaultTo('');
      table.string('message').notNullable().defaultTo('');
    },
    { index: [['channel_id', 'id'], ['test_run_id']] },
  );
}
