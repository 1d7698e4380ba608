/**
 * During a rolling upgrade the previous version still reads and writes the schema of the next one,
 * so a migration may only add. This runs every migration and checks its effect on the tables that
 * existed before, however the migration is written.
 */
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Migration, migrations } from '../../migrations/index.ts';
import { rowsOf } from '../../src/store/sql/sql-dialect.ts';
import { emptyDatabase, type FreshDatabase } from '../support/databases.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

type Schema = ReadonlyMap<string, Table>;

interface Table {
  readonly columns: ReadonlyMap<string, Column>;
  /** The columns, or expressions, of each unique index. */
  readonly unique: readonly string[];
}

/** A description of what would break the previous version. */
function breaksIn(before: Schema, after: Schema): string[] {
  return [...before].flatMap(([name, table]) => {
    const changed = after.get(name);
    if (changed === undefined) return [`${name} is gone`];
    return [
      ...[...table.columns.values()].flatMap((column) => {
        const now = changed.columns.get(column.name);
        if (now === undefined) return [`${name}.${column.name} is gone`];
        const what = [];
        if (now.type !== column.type) what.push(`${name}.${column.name} is now ${now.type}`);
        if (now.isRequired && !column.isRequired) what.push(`${name}.${column.name} is required`);
        return what;
      }),
      ...[...changed.columns.values()]
        .filter((column) => column.isRequired && !table.columns.has(column.name))
        .map((column) => `${name}.${column.name} is new, required and without a default`),
      ...changed.unique
        .filter((key) => !table.unique.includes(key) && !isOfNewColumns(key, table))
        .map((key) => `${name} has a new unique key: ${key}`),
    ];
  });
}

/** A column that no version writes yet cannot conflict. */
function isOfNewColumns(key: string, { columns }: Table): boolean {
  return key.split(',').some((name) => !columns.has(name));
}

async function schemaOf(db: Knex): Promise<Schema> {
  const tables: string[] = await db('sqlite_master').where({ type: 'table' }).pluck('name');
  const own = tables.filter((name) => !/^(sqlite|schema)_/.test(name));
  return new Map(
    await Promise.all(own.map(async (name) => [name, await tableOf(db, name)] as const)),
  );
}

async function tableOf(db: Knex, table: string): Promise<Table> {
  const columns = rowsOf(await db.raw('select * from pragma_table_info(?)', [table]));
  const indexes = rowsOf(
    await db.raw(
      `select list.name, group_concat(coalesce(info.name, 'an expression')) as columns
       from pragma_index_list(?) as list, pragma_index_info(list.name) as info
       where list."unique" = 1 group by list.name`,
      [table],
    ),
  );
  return {
    columns: new Map(
      columns.map((row) => {
        const isRequired = row.notnull === 1 && row.dflt_value === null && row.pk === 0;
        return [String(row.name), { name: String(row.name), type: String(row.type), isRequired }];
      }),
    ),
    unique: indexes.map((row) => String(row.columns)),
  };
}

describe('the check of migrations', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await emptyDatabase('sqlite');
  });
  afterAll(() => database.drop());

  /** Breaking examples by name, with what each breaks; examples that only add are not included. */
  async function breaksOf(list: readonly Migration[]): Promise<Record<string, string[]>> {
    const broken: Record<string, string[]> = {};
    let before = await schemaOf(database.db);
    for (const { name, up } of list) {
      await up(database.db);
      const after = await schemaOf(database.db);
      const breaks = breaksIn(before, after);
      if (breaks.length > 0) broken[name] = breaks;
      before = after;
    }
    return broken;
  }

  it('accepts additions to the previous schema only', async () => {
    expect(await breaksOf(migrations)).toEqual({});
  });

  it.each<[string, (db: Knex) => Promise<unknown>, string]>([
    ['drops a table', (db) => db.schema.dropTable('messages'), 'messages is gone'],
    [
      'renames a table',
      (db) => db.schema.renameTable('redemptions', 'codes'),
      'redemptions is gone',
    ],
    [
      'drops a column',
      (db) => db.schema.alterTable('tokens', (table) => table.dropColumn('allow_ips')),
      'tokens.allow_ips is gone',
    ],
    [
      'renames a column',
      (db) => db.schema.alterTable('users', (table) => table.renameColumn('aff_count', 'invited')),
      'users.aff_count is gone',
    ],
    [
      'adds a column that must be given',
      async (db) => {
        await db.schema.dropTable('setup_codes');
        await db.schema.createTable('setup_codes', (table) => table.string('owner').notNullable());
      },
      'setup_codes.owner is new, required and without a default',
    ],
    [
      'forbids what was allowed',
      (db) => db.schema.alterTable('groups_of_old', (table) => table.unique(['name'])),
      'groups_of_old has a new unique key: name',
    ],
  ])('detects a migration that %s', async (_, up, found) => {
    if (!(await database.db.schema.hasTable('groups_of_old')))
      await database.db.schema.createTable('groups_of_old', (table) => void table.string('name'));
    const broken = await breaksOf([{ name: 'bad', up: async (db) => void (await up(db)) }]);
    expect(broken.bad).toContain(found);
  });
});
