/**
 * How a migration makes a table. Frozen like the migrations that use it: a new need gets a new
 * function.
 */
import type { Knex } from 'knex';

/** Adds a text column of any length, not null, '' unless told otherwise. */
export type LongText = (column: string) => Knex.ColumnBuilder;
export type Columns = (table: Knex.CreateTableBuilder, longText: LongText) => void;

export interface Keys {
  readonly unique?: readonly (readonly string[])[];
  readonly index?: readonly (readonly string[])[];
  /** Unique among values other than ''. MySQL has no such index: there it is a plain one. */
  readonly uniqueWhenSet?: readonly string[];
  /** The same, ignoring letter case. */
  readonly uniqueWhenSetIgnoringCase?: readonly string[];
}

/**
 * Creates the table with its keys unless it is there. MySQL commits at every statement, so there the
 * table is made under a draft name and takes its own when it is whole; a draft that a cut start left
 * behind is thrown away. All text compares by its bytes (PostgreSQL and SQLite do so by nature).
 */
export async function createTable(
  knex: Knex,
  name: string,
  columns: Columns,
  keys: Keys = {},
): Promise<void> {
  if (await knex.schema.hasTable(name)) return;
  if (!isMysql(knex)) {
    await knex.schema.createTable(name, (table) => define(knex, table, { name, columns, keys }));
    await createPartialKeys(knex, name, keys);
    return;
  }
  const draft = `${name}__draft`;
  await knex.schema.dropTableIfExists(draft);
  await knex.schema.createTable(draft, (table) => {
    table.engine('InnoDB');
    table.charset('utf8mb4');
    table.collate('utf8mb4_bin');
    define(knex, table, { name, columns, keys });
    for (const column of partialKeys(keys)) table.index([column], `${name}_${column}_index`);
  });
  await knex.schema.renameTable(draft, name);
}

interface Plan {
  readonly name: string;
  readonly columns: Columns;
  readonly keys: Keys;
}

function define(knex: Knex, table: Knex.CreateTableBuilder, { name, columns, keys }: Plan): void {
  // MySQL's `text` ends at 64 KiB, and a default must be written as an expression there.
  const type = isMysql(knex) ? 'mediumtext' : 'text';
  columns(table, (column) =>
    table.specificType(column, type).notNullable().defaultTo(knex.raw("('')")),
  );
  for (const list of keys.unique ?? [])
    table.unique(list, { indexName: `${name}_${list.join('_')}_unique` });
  for (const list of keys.index ?? []) table.index(list, `${name}_${list.join('_')}_index`);
}

async function createPartialKeys(knex: Knex, name: string, keys: Keys): Promise<void> {
  const create = (column: string, value: string) =>
    knex.raw(`create unique index ?? on ?? (${value}) where ?? <> ''`, [
      `${name}_${column}_unique`,
      name,
      column,
      column,
    ]);
  for (const column of keys.uniqueWhenSet ?? []) await create(column, '??');
  for (const column of keys.uniqueWhenSetIgnoringCase ?? []) await create(column, 'lower(??)');
}

function partialKeys(keys: Keys): string[] {
  return [...(keys.uniqueWhenSet ?? []), ...(keys.uniqueWhenSetIgnoringCase ?? [])];
}

function isMysql(knex: Knex): boolean {
  return knex.client.dialect === 'mysql';
}
