import type { Knex } from 'knex';

const PROVIDER_IDS = ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'];

/**
 * MySQL has no index over a part of the rows or (MariaDB) over an expression. A generated column that
 * is null for "not set" does the same: with it an address or an identity belongs to one account there
 * too. The others have such indexes since the table was made.
 */
export async function up(knex: Knex): Promise<void> {
  if (knex.client.dialect !== 'mysql' || (await knex.schema.hasColumn('users', 'email_key')))
    return;
  const keys = [
    keyOf('email', "nullif(lower(`email`), '')"),
    ...PROVIDER_IDS.map((column) => keyOf(column, `nullif(\`${column}\`, '')`)),
  ];
  // One statement: MySQL does all of it or nothing.
  await knex.raw(`alter table users ${keys.join(', ')}`);
}

function keyOf(column: string, value: string): string {
  return `add column ${column}_key varchar(255) character set utf8mb4 collate utf8mb4_bin
    generated always as (${value}) virtual, add unique index users_${column}_key_unique (${column}_key)`;
}
