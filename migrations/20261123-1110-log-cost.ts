import type { Knex } from 'knex';

const FIGURES = ['log_hours', 'log_days', 'log_combinations'];

/**
 * The cost of a call in units, null if it is unknown. The figures sum up the known costs, and as
 * `costed_quota` the charges of the calls that have one.
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of ['logs', ...(await detachedParts(knex))])
    await addColumn(knex, table, 'cost', (alter) => alter.bigInteger('cost').nullable());
  for (const table of FIGURES)
    for (const column of ['cost', 'costed_quota'])
      await addColumn(knex, table, column, (alter) =>
        alter.bigInteger(column).notNullable().defaultTo(0),
      );
}

async function addColumn(
  knex: Knex,
  table: string,
  column: string,
  add: (table: Knex.AlterTableBuilder) => void,
): Promise<void> {
  if (!(await knex.schema.hasColumn(table, column))) await knex.schema.alterTable(table, add);
}

/** Months that were taken out of the log on PostgreSQL and are still to be archived or counted. */
async function detachedParts(knex: Knex): Promise<string[]> {
  if (knex.client.dialect !== 'postgresql') return [];
  const { rows }: { rows: { readonly name: string }[] } = await knex.raw(
    `select c.relname as name from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
       and not c.relispartition and c.relname ~ '^logs_(before|p[0-9]{6})$'`,
  );
  return rows.map(({ name }) => name);
}
