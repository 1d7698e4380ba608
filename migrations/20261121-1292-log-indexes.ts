import type { Knex } from 'knex';

/**
 * Lines of a token come newest first from its index; those of a user name are found by the user's id.
 * Few lines carry an address, and only those are indexed by it (MySQL has no such index: there all).
 */
export async function up(knex: Knex): Promise<void> {
  await addIndex(knex, 'logs_token_name_created_at_index', '(token_name, created_at)');
  await dropIndex(knex, 'logs_token_name_index');
  await dropIndex(knex, 'logs_username_index');
  const some = isMysql(knex) ? '' : " where client_ip <> ''";
  await addIndex(knex, 'logs_client_ip_created_at_index', `(client_ip, created_at)${some}`);
}

async function addIndex(knex: Knex, name: string, columns: string): Promise<void> {
  if (!(await hasIndex(knex, name))) await knex.raw(`create index ?? on logs ${columns}`, [name]);
}

async function dropIndex(knex: Knex, name: string): Promise<void> {
  if (!(await hasIndex(knex, name))) return;
  await knex.raw(isMysql(knex) ? 'drop index ?? on logs' : 'drop index ??', [name]);
}

async function hasIndex(knex: Knex, name: string): Promise<boolean> {
  const tables: Readonly<Record<string, () => Knex.QueryBuilder>> = {
    sqlite3: () => knex('sqlite_master').where({ type: 'index', name }),
    postgresql: () =>
      knex('pg_indexes').where({ indexname: name }).whereRaw('schemaname = current_schema()'),
    mysql: () =>
      knex('information_schema.statistics')
        .where({ index_name: name, table_name: 'logs' })
        .whereRaw('table_schema = database()'),
  };
  return (await tables[String(knex.client.dialect)]?.().first()) !== undefined;
}

function isMysql(knex: Knex): boolean {
  return knex.client.dialect === 'mysql';
}
