import type { Knex } from 'knex';

/** Finds the task an upstream speaks of. */
export async function up(knex: Knex): Promise<void> {
  for (const table of ['midjourneys', 'tasks']) {
    const index = `${table}_channel_id_upstream_id_index`;
    if (await hasIndex(knex, table, index)) continue;
    await knex.schema.alterTable(table, (columns) => {
      columns.index(['channel_id', 'upstream_id'], index);
    });
  }
}

async function hasIndex(knex: Knex, table: string, name: string): Promise<boolean> {
  const tables: Readonly<Record<string, () => Knex.QueryBuilder>> = {
    sqlite3: () => knex('sqlite_master').where({ type: 'index', name }),
    postgresql: () =>
      knex('pg_indexes').where({ indexname: name }).whereRaw('schemaname = current_schema()'),
    mysql: () =>
      knex('information_schema.statistics')
        .where({ index_name: name, table_name: table })
        .whereRaw('table_schema = database()'),
  };
  return (await tables[String(knex.client.dialect)]?.().first()) !== undefined;
}
