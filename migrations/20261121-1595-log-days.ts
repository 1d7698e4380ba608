import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

const COMBINED = ['user_id', 'token_name', 'model_name', 'channel_id', 'group'];
const SUMS = ['lines', 'quota', 'prompt_tokens', 'completion_tokens'];

/**
 * The log's figures per whole day. `log_days` sums up `log_hours`; `log_combinations` counts lines by
 * several columns at once (`kind` says by which, the others are 0 or ''). `log_day_states` says of
 * which counted lines they were made: figures of a day hold only while that is still the number.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'log_days', (table) => {
    table.bigInteger('day').notNullable();
    table.string('scope', 8).notNullable();
    table.specificType('subject', byteOrdered(knex, 'varchar(300)')).notNullable();
    table.integer('type').notNullable();
    for (const column of SUMS) table.bigInteger(column).notNullable().defaultTo(0);
    table.primary(['day', 'scope', 'subject', 'type']);
  });
  await createTable(
    knex,
    'log_combinations',
    (table) => {
      table.string('kind', 16).notNullable();
      table.bigInteger('day').notNullable();
      table.bigInteger('user_id').notNullable();
      table.string('token_name').notNullable();
      table.string('model_name').notNullable();
      table.bigInteger('channel_id').notNullable();
      table.string('group', 64).notNullable();
      table.integer('type').notNullable();
      for (const column of SUMS) table.bigInteger(column).notNullable().defaultTo(0);
      table.primary(['kind', 'day', ...COMBINED, 'type']);
    },
    { index: [['kind', 'model_name', 'channel_id', 'day']] },
  );
  await createTable(knex, 'log_day_states', (table) => {
    table.bigInteger('day').notNullable().primary();
    table.string('owner', 36).notNullable().defaultTo('');
    table.bigInteger('day_lines').notNullable().defaultTo(-1);
    table.bigInteger('combined_lines').notNullable().defaultTo(-1);
  });
}

function byteOrdered(knex: Knex, type: string): string {
  return knex.client.dialect === 'postgresql' ? `${type} collate "C"` : type;
}
