/** The columns of a log line, for tables that hold lines on their way. Frozen like the migrations. */
import type { Knex } from 'knex';
import type { LongText } from './create-table.ts';

export function logColumns(table: Knex.CreateTableBuilder, longText: LongText): void {
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
}
