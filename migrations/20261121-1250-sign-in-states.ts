import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/**
 * Sign-ins under way at an identity provider. State and browser cookie are kept as keyed hashes;
 * `sealed` is the encrypted PKCE verifier and nonce. A row lives for minutes and is used up once.
 */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'sign_in_states',
    (table, longText) => {
      table.specificType('state_hash', 'char(64)').notNullable().primary();
      table.specificType('browser_hash', 'char(64)').notNullable();
      // Who was signed in when it began; 0 for nobody.
      table.bigInteger('user_id').notNullable().defaultTo(0);
      // Empty: the browser may come back from any of them.
      table.string('provider', 16).notNullable().defaultTo('');
      longText('sealed');
      table.string('aff_code', 32).notNullable().defaultTo('');
      table.string('return_to', 512).notNullable().defaultTo('');
      table.bigInteger('expires_at').notNullable();
    },
    { index: [['browser_hash'], ['expires_at']] },
  );
}
