import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Calls that ended without an answer, for some days: the source of `gateway explain`. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'failed_calls',
    (table, longText) => {
      table.bigIncrements('id');
      table.string('request_id', 64).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('user_id').notNullable().defaultTo(0);
      table.bigInteger('token_id').notNullable().defaultTo(0);
      table.string('token_name').notNullable().defaultTo('');
      table.string('group', 64).notNullable().defaultTo('');
      table.string('model').notNullable().defaultTo('');
      table.string('endpoint', 32).notNullable().defaultTo('');
      table.boolean('is_stream').notNullable().defaultTo(false);
      table.integer('duration_ms').notNullable().defaultTo(0);
      table.integer('status').notNullable().defaultTo(0);
      table.string('source', 16).notNullable();
      table.string('code').notNullable().defaultTo('');
      longText('params');
      longText('attempts');
    },
    { index: [['request_id'], ['created_at']] },
  );
}
