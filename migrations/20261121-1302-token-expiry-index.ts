import type { Knex } from 'knex';

const INDEX = 'tokens_status_expired_time_index';

/** Finds the enabled tokens whose time has passed without reading the others. */
export async function up(knex: Knex): Promise<void> {
  if (await hasIndex(knex)) return;
  await knex.schema.alterTable('tokens', (table) => {
    table.index(['status', 'expired_time'], INDEX);
  });
}

async function hasIndex(knex: Knex): Promise<boolean> {
  const tables: Readonly<Record<string, () => Knex.QueryBuilder>> = {
    sqlite3: () => knex('sqlite_master').where({ type: 'index', name: INDEX }),
    postgresql: () =>
      knex('pg_indexes').where({ indexname: INDEX }).whereRaw('schemaname = current_schema()'),
    mysql: () =>
      knex('information_schema.statistics')
        .where({ index_name: INDEX })
        .whereRaw('table_schema = database()'),
  };
  return (await tables[String(knex.client.dialect)]?.().first()) !== undefined;
}
