import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** What administrators write to users; `user_messages` says who got it. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'messages',
    (table, longText) => {
      table.bigIncrements('id');
      table.string('title').notNullable().defaultTo('');
      longText('content');
      table.string('format', 20).notNullable().defaultTo('markdown');
      table.bigInteger('created_at').notNullable().defaultTo(0);
      table.bigInteger('updated_at').notNullable().defaultTo(0);
      table.bigInteger('created_by').notNullable().defaultTo(0);
    },
    { index: [['created_at']] },
  );
}
