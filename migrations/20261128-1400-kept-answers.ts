import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * Items of translated answers, which no upstream stores, so that their client can refer to them by
 * id. `items`: encrypted JSON, of which `bytes` is the length before the encryption.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'kept_answers',
    (table, longText) => {
      table.string('request_id', 64).notNullable().primary();
      table.bigInteger('user_id').notNullable();
      longText('items');
      table.bigInteger('bytes').notNullable();
      table.bigInteger('expires_at').notNullable();
    },
    { index: [['expires_at'], ['user_id', 'request_id', 'bytes']] },
  );
}
