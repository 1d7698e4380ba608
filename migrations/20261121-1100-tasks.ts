import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Music and other long-running tasks. Times are epoch seconds; `properties` and `data` JSON text. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'tasks',
    (table, longText) => {
      table.bigIncrements('id');
      table.bigInteger('created_at').notNullable().defaultTo(0);
      table.bigInteger('updated_at').notNullable().defaultTo(0);
      table.string('task_id', 128).notNullable().defaultTo('');
      table.string('platform', 30).notNullable().defaultTo('');
      table.bigInteger('user_id').notNullable().defaultTo(0);
      table.bigInteger('channel_id').notNullable().defaultTo(0);
      table.bigInteger('quota').notNullable().defaultTo(0);
      table.string('action', 40).notNullable().defaultTo('');
      table.string('status', 20).notNullable().defaultTo('');
      longText('fail_reason');
      for (const column of ['submit_time', 'start_time', 'finish_time'])
        table.bigInteger(column).notNullable().defaultTo(0);
      table.string('progress', 20).notNullable().defaultTo('');
      for (const column of ['properties', 'data']) longText(column);
    },
    {
      index: [
        ['user_id', 'submit_time'],
        ['channel_id'],
        ['task_id'],
        ['submit_time'],
        // The poll asks for the few rows that are not finished.
        ['status', 'progress'],
      ],
    },
  );
}
