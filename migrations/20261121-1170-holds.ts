import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Quota reserved for calls under way. Not a movement: a hold that goes leaves no trace. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'holds',
    (table) => {
      table.string('request_id', 64).notNullable().primary();
      table.bigInteger('user_id').notNullable();
      table.bigInteger('token_id').notNullable().defaultTo(0);
      table.bigInteger('user_units').notNullable().defaultTo(0);
      table.bigInteger('token_units').notNullable().defaultTo(0);
      table.string('node', 64).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('expires_at').notNullable();
    },
    { index: [['node'], ['expires_at']] },
  );
}
