/** Tells the database of a gateway from an empty one and from that of another program. */
import type { Knex } from 'knex';
import { AppError } from '../../domain/errors/errors.ts';
import { rowsOf } from '../sql/sql-dialect.ts';
import type { Engine } from './engine.ts';

/** The tables in which migrations are recorded; other programs may have one of the first name. */
export const DONE_TABLE = 'schema_migrations';
export const STARTED_TABLE = 'schema_migrations_started';
/** A column of knex, by which `DONE_TABLE` is recognized. */
const KNEX_COLUMN = 'migration_time';

const MAX_NAMED = 5;

const TABLES_SQL: Readonly<Record<Engine, string>> = {
  sqlite: `select name from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~'
    order by name`,
  // Tables of extensions, such as those of PostGIS, belong to no program.
  postgres: `select c.relname as name from pg_class c
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and c.relkind in ('r', 'p')
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`,
  mysql: `select table_name as name from information_schema.tables
    where table_schema = database() and table_type = 'BASE TABLE' order by table_name`,
};

/** @throws AppError `database_foreign` for a database with tables of which none is a gateway's. */
export async function refuseForeignTables({
  engine,
  reads,
  location,
}: {
  readonly engine: Engine;
  readonly reads: Knex;
  readonly location: string;
}): Promise<void> {
  const names = rowsOf(await reads.raw(TABLES_SQL[engine])).map(({ name }) => String(name));
  if (names.length === 0 || names.includes(STARTED_TABLE)) return;
  if (await isDoneTable(reads, names)) return;
  const tables = [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ['…'] : [])];
  throw new AppError('database_foreign', { location, tables });
}

async function isDoneTable(reads: Knex, names: readonly string[]): Promise<boolean> {
  return names.includes(DONE_TABLE) && (await reads.schema.hasColumn(DONE_TABLE, KNEX_COLUMN));
}
