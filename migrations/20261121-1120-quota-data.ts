import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Use per user, model and hour; `created_at` is the hour's first second. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'quota_data',
    (table) => {
      table.bigIncrements('id');
      table.bigInteger('user_id').notNullable();
      table.string('username').notNullable().defaultTo('');
      table.string('model_name', 255).notNullable().defaultTo('');
      table.bigInteger('created_at').notNullable();
      for (const column of ['token_used', 'count', 'quota'])
        table.bigInteger(column).notNullable().defaultTo(0);
    },
    {
      unique: [['user_id', 'model_name', 'created_at']],
      index: [['created_at'], ['username', 'created_at'], ['model_name', 'username']],
    },
  );
}
