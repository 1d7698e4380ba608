import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Signed-in browsers. The cookie holds a random text; only its keyed hash is here. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'sessions',
    (table) => {
      table.string('id_hash', 64).notNullable().primary();
      table.bigInteger('user_id').notNullable();
      // Of the user when the session began: a higher one there ends it.
      table.integer('version').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('seen_at').notNullable();
      table.bigInteger('expires_at').notNullable();
      table.string('address', 45).notNullable().defaultTo('');
      table.string('user_agent', 191).notNullable().defaultTo('');
    },
    { index: [['user_id'], ['expires_at']] },
  );
}
