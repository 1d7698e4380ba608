import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Which channel and key keep a response or one of its items, for whom; ids as hashes of one length. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'stored_responses',
    (table) => {
      table.bigInteger('user_id').notNullable();
      table.string('id_hash', 64).notNullable();
      table.bigInteger('channel_id').notNullable();
      table.bigInteger('key_id').notNullable();
      table.string('model', 191).notNullable();
      table.bigInteger('expires_at').notNullable();
      table.primary(['user_id', 'id_hash']);
    },
    { index: [['expires_at']] },
  );
}
