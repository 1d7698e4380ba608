import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Keys of the site itself, sealed like every secret: what must outlive a change of the secret key. */
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'site_keys', (table) => {
    table.string('name', 32).notNullable().primary();
    table.string('key_cipher').notNullable();
  });
}
