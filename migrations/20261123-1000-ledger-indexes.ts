import type { Knex } from 'knex';
import { dropIndex } from './indexes.ts';

/**
 * No query asks for ledger rows by their time; those of a token are found among those of its user.
 * Every index costs each call an insert.
 */
export async function up(knex: Knex): Promise<void> {
  await dropIndex(knex, 'ledger', 'ledger_created_at_index');
  await dropIndex(knex, 'ledger', 'ledger_token_id_id_index');
}
