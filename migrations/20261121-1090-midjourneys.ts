import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Drawing tasks. Their times are in milliseconds, as the drawing proxy gives them. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'midjourneys',
    (table, longText) => {
      table.bigIncrements('id');
      table.integer('code').notNullable().defaultTo(0);
      table.bigInteger('user_id').notNullable().defaultTo(0);
      table.string('action', 40).notNullable().defaultTo('');
      table.string('mj_id').notNullable().defaultTo('');
      for (const column of ['prompt', 'prompt_en', 'description', 'state']) longText(column);
      for (const column of ['submit_time', 'start_time', 'finish_time'])
        table.bigInteger(column).notNullable().defaultTo(0);
      longText('image_url');
      table.string('status', 20).notNullable().defaultTo('');
      table.string('progress', 30).notNullable().defaultTo('');
      longText('fail_reason');
      table.bigInteger('channel_id').notNullable().defaultTo(0);
      table.bigInteger('quota').notNullable().defaultTo(0);
      for (const column of ['buttons', 'properties']) longText(column);
    },
    {
      index: [
        ['user_id', 'submit_time'],
        ['channel_id', 'mj_id'],
        ['mj_id'],
        ['submit_time'],
        // The poll asks for the few rows that are not finished.
        ['status', 'progress'],
      ],
    },
  );
}
