import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** `use_time` is in seconds, the other two durations in milliseconds. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'logs',
    (table, longText) => {
      table.bigIncrements('id');
      table.string('request_id', 64).notNullable().defaultTo('');
      table.bigInteger('user_id').notNullable().defaultTo(0);
      table.bigInteger('created_at').notNullable().defaultTo(0);
      table.integer('type').notNullable().defaultTo(0);
      longText('content');
      for (const column of ['username', 'token_name', 'model_name'])
        table.string(column).notNullable().defaultTo('');
      for (const column of ['quota', 'prompt_tokens', 'completion_tokens'])
        table.bigInteger(column).notNullable().defaultTo(0);
      for (const column of ['use_time', 'use_time_ms', 'first_token_ms'])
        table.integer(column).notNullable().defaultTo(0);
      table.boolean('is_stream').notNullable().defaultTo(false);
      table.bigInteger('channel_id').notNullable().defaultTo(0);
      table.bigInteger('token_id').notNullable().defaultTo(0);
      table.string('group', 64).notNullable().defaultTo('');
      table.string('client_ip', 45).notNullable().defaultTo('');
      table.string('usage_source', 16).notNullable().defaultTo('');
      longText('other');
    },
    {
      index: [
        ['request_id'],
        ['created_at', 'id'],
        ['user_id', 'created_at'],
        ['channel_id', 'created_at'],
        ['type', 'created_at'],
        ['model_name', 'created_at'],
        ['token_name'],
        ['username'],
      ],
    },
  );
}
