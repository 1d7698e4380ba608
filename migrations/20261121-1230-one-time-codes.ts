import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Codes sent by mail, as keyed hashes: one per purpose and lower-cased address. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'one_time_codes',
    (table) => {
      table.string('purpose', 20).notNullable();
      table.string('address', 191).notNullable();
      table.string('code_hash', 64).notNullable();
      table.integer('attempts').notNullable().defaultTo(0);
      table.bigInteger('sent_at').notNullable();
      table.bigInteger('expires_at').notNullable();
      table.primary(['purpose', 'address']);
    },
    { index: [['expires_at']] },
  );
}
