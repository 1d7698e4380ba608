/**
 * The gateway's tables and their structure, read from a temporary database that the migrations have
 * just created, so that no list of them can become outdated.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { openDatabases } from '../connection/database.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import { type Row, rowsOf } from '../sql/sql-dialect.ts';
import { migrate } from './migrate.ts';

export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly string[];
  readonly booleans: readonly string[];
  /** Its primary key, in order. */
  readonly key: readonly string[];
}

/** The schema version, in the tables of knex and the gateway. */
export const SCHEMA_TABLES: readonly string[] = [
  'schema_migrations',
  'schema_migrations_lock',
  'schema_migrations_started',
];

/**
 * Transient state of the running processes, meaningless elsewhere or later, and sums that a
 * restored site makes from its own ledger.
 */
const TRANSIENT_TABLES: ReadonlySet<string> = new Set([
  'ledger_runs',
  'ledger_sums',
  'nodes',
  'leases',
  'revisions',
  'changes',
  'setup_codes',
  'sign_in_states',
  'one_time_codes',
]);

export function isBackedUp({ name }: TableDefinition): boolean {
  return !TRANSIENT_TABLES.has(name);
}

/** All tables of this version, in creation order. */
export async function tableDefinitions(): Promise<TableDefinition[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-schema-'));
  const databases = await openDatabases(path.join(folder, 'schema.sqlite'), { mayCreate: true });
  try {
    await migrate(databases);
    const names = rowsOf(
      await databases.db.raw("select name from sqlite_master where type = 'table' order by rowid"),
    ).map((row) => textValue(row.name));
    const own = names.filter(
      (name) => !name.startsWith('sqlite_') && !SCHEMA_TABLES.includes(name),
    );
    return await Promise.all(
      own.map(async (name) => {
        const columns = await databases.db.raw('select * from pragma_table_info(?)', [name]);
        return tableOf(name, rowsOf(columns));
      }),
    );
  } finally {
    await databases.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function tableOf(name: string, rows: readonly Row[]): TableDefinition {
  const key = rows
    .filter((row) => numberValue(row.pk) > 0)
    .sort((a, b) => numberValue(a.pk) - numberValue(b.pk));
  return {
    name,
    columns: rows.map((row) => textValue(row.name)),
    booleans: rows
      .filter((row) => textValue(row.type) === 'boolean')
      .map((row) => textValue(row.name)),
    key: key.map((row) => textValue(row.name)),
  };
}

/** Names of the migrations in this version. */
export const MIGRATION_NAMES: readonly string[] = migrations.map(({ name }) => name);
