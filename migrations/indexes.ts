/** How migrations look for and drop an index. Frozen like the migrations that use it. */
import type { Knex } from 'knex';

/** Takes a moment however large the table is. */
export async function dropIndex(knex: Knex, table: string, name: string): Promise<void> {
  if (!(await hasIndex(knex, table, name))) return;
  if (knex.client.dialect === 'mysql') await knex.raw('drop index ?? on ??', [name, table]);
  else await knex.raw('drop index ??', [name]);
}

export async function hasIndex(knex: Knex, table: string, name: string): Promise<boolean> {
  const catalogs: Readonly<Record<string, () => Knex.QueryBuilder>> = {
    sqlite3: () => knex('sqlite_master').where({ type: 'index', tbl_name: table, name }),
    postgresql: () =>
      knex('pg_indexes')
        .where({ indexname: name, tablename: table })
        .whereRaw('schemaname = current_schema()'),
    mysql: () =>
      knex('information_schema.statistics')
        .where({ index_name: name, table_name: table })
        .whereRaw('table_schema = database()'),
  };
  return (await catalogs[String(knex.client.dialect)]?.().first()) !== undefined;
}
