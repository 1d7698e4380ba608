/**
 * Databases of tests on PostgreSQL and MySQL/MariaDB: copies of a template that was migrated once.
 * One that a test returns is emptied for the next test of the process (`used-databases.ts`).
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import { type Databases, openDatabases } from '../../src/store/connection/database.ts';
import type { Engine } from '../../src/store/connection/engine.ts';
import { migrate, schemaState } from '../../src/store/schema/migrate.ts';
import { rowsOf } from '../../src/store/sql/sql-dialect.ts';
import { emptied, shapeOf } from './used-databases.ts';

export interface FreshDatabase extends Databases {
  readonly dsn: string;
  /** Closes the pools and removes the database. */
  drop(): Promise<void>;
}

export const {
  TEST_POSTGRES_URL: POSTGRES_URL = 'postgres://postgres@127.0.0.1:5432/postgres',
  TEST_MYSQL_URL: MYSQL_URL = 'mysql://root@127.0.0.1:3306/test',
} = env;

/** The process that started all workers of the run and drops their databases, or none. */
const RUN = env.VITEST === undefined ? undefined : process.ppid;

/** Remembers the first result of `make` for all test files of the process, but no failure. */
function remembered<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Templates are kept between runs and named after their migrations. */
export const templateName = remembered(async () => {
  const root = path.join(import.meta.dirname, '../..');
  const names = (await readdir(path.join(root, 'migrations'))).sort();
  const files = [...names.map((name) => `migrations/${name}`), 'src/store/schema/migrate.ts'];
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(path.join(root, file)));
  return `gateway_template_${hash.digest('hex').slice(0, 12)}`;
});

type Fill = (admin: Databases, name: string) => Promise<unknown>;
export type ServerEngine = Exclude<Engine, 'sqlite'>;

const SERVERS = {
  postgres: {
    url: POSTGRES_URL,
    create: createPostgres,
    copyTemplate: (admin, name) => createPostgres(admin, name, postgresTemplate()),
    drop: (admin, name) => admin.db.raw('drop database if exists ?? with (force)', [name]),
    names: 'select datname as name from pg_database where datname like ?',
  },
  mysql: {
    url: MYSQL_URL,
    create: (admin, name) => admin.db.raw('create database ??', [name]),
    copyTemplate: copyMysqlTemplate,
    drop: (admin, name) => admin.db.raw('drop database if exists ??', [name]),
    // MySQL 8 returns the column in capitals without the alias.
    names: 'select schema_name as name from information_schema.schemata where schema_name like ?',
  },
} satisfies Record<
  ServerEngine,
  { url: string; create: Fill; copyTemplate: Fill; drop: Fill; names: string }
>;

/** Creates an empty database without migrations. */
export async function emptyOnServer(kind: ServerEngine): Promise<FreshDatabase> {
  const name = newName();
  await withAdmin(SERVERS[kind].url, (admin) => SERVERS[kind].create(admin, name));
  return opened(kind, name, () => dropOnServer(kind, name));
}

/** Databases that tests of this process have returned, and what a new one looks like. */
const returned: Record<ServerEngine, string[]> = { postgres: [], mysql: [] };
const shapes: Partial<Record<ServerEngine, string>> = {};

/** Creates a migrated, empty database. */
export async function freshOnServer(kind: ServerEngine): Promise<FreshDatabase> {
  const name = (await reusedOnServer(kind)) ?? (await copiedOnServer(kind));
  const giveBack = async () => void returned[kind].push(name);
  return opened(kind, name, RUN === undefined ? () => dropOnServer(kind, name) : giveBack);
}

async function reusedOnServer(kind: ServerEngine): Promise<string | undefined> {
  const name = returned[kind].pop();
  if (name === undefined) return undefined;
  const shape = shapes[kind];
  const dsn = urlOf(SERVERS[kind].url, name);
  // A test may have dropped it, or made it read-only.
  const isEmpty = await withAdmin(dsn, (used) => emptied(used, shape)).catch(() => false);
  if (isEmpty) return name;
  await dropOnServer(kind, name);
  return reusedOnServer(kind);
}

async function copiedOnServer(kind: ServerEngine): Promise<string> {
  const name = newName();
  const { url, copyTemplate } = SERVERS[kind];
  await withAdmin(url, (admin) => copyTemplate(admin, name));
  shapes[kind] ??= await withAdmin(urlOf(url, name), shapeOf);
  return name;
}

async function opened(
  kind: ServerEngine,
  name: string,
  leave: () => Promise<unknown>,
): Promise<FreshDatabase> {
  const dsn = urlOf(SERVERS[kind].url, name);
  const pools = await openDatabases(dsn);
  const drop = async () => {
    await pools.close();
    await leave();
  };
  return { ...pools, dsn, drop };
}

function dropOnServer(kind: ServerEngine, name: string): Promise<unknown> {
  return withAdmin(SERVERS[kind].url, (admin) => SERVERS[kind].drop(admin, name));
}

function newName(): string {
  return `${databasePrefix(RUN ?? process.pid)}${randomUUID().replaceAll('-', '')}`;
}

/** Its commits do not wait for the disk, which would take longer than the tests. */
async function createPostgres(
  admin: Databases,
  name: string,
  template: Promise<string> = Promise.resolve('template1'),
): Promise<void> {
  await admin.db.raw('create database ?? template ??', [name, await template]);
  await admin.db.raw('alter database ?? set synchronous_commit = off', [name]);
}

/**
 * Builds the template under a temporary name and renames it when complete; the lock lets only one
 * worker build it.
 */
const postgresTemplate = remembered(async () => {
  const template = await templateName();
  await withAdmin(POSTGRES_URL, (admin) =>
    admin.db.transaction(async (lock) => {
      await lock.raw('set local idle_in_transaction_session_timeout = 0');
      await lock.raw('select pg_advisory_xact_lock(hashtext(?))', [template]);
      if ((await lock('pg_database').where({ datname: template })).length > 0) return;
      const draft = `${template}_draft`;
      await admin.db.raw('drop database if exists ?? with (force)', [draft]);
      await admin.db.raw('create database ??', [draft]);
      await migrateAt(urlOf(POSTGRES_URL, draft));
      await admin.db.raw('alter database ?? rename to ??', [draft, template]);
    }),
  );
  return template;
});

/**
 * MySQL has no templates, but copying table definitions is much faster than migrating. The server
 * writes each of them to disk, so several connections copy at once.
 */
async function copyMysqlTemplate(admin: Databases, name: string): Promise<void> {
  const { template, tables } = await mysqlTemplate();
  await admin.db.raw('create database ??', [name]);
  await Promise.all(
    tables.map(async (table) => {
      const copy = `${name}.${table}`;
      await admin.db.raw('create table ?? like ??', [copy, `${template}.${table}`]);
      if (table.startsWith('schema_'))
        await admin.db.raw('insert into ?? select * from ??', [copy, `${template}.${table}`]);
    }),
  );
}

const mysqlTemplate = remembered(async () => {
  const template = await templateName();
  const tables = await withAdmin(MYSQL_URL, async (admin): Promise<readonly string[]> => {
    await admin.db.raw('create database if not exists ??', [template]);
    await migrateAt(urlOf(MYSQL_URL, template));
    // The alias is needed because MySQL 8 returns the column name in capitals.
    const rows = await admin
      .db('information_schema.tables')
      .where({ table_schema: template })
      .select({ name: 'table_name' });
    return rows.map(({ name }) => name);
  });
  return { template, tables };
});

async function migrateAt(url: string): Promise<void> {
  const template = await openDatabases(url);
  if ((await schemaState(template.db)).state !== 'current') await migrate(template);
  await template.close();
}

async function withAdmin<T>(url: string, work: (admin: Databases) => Promise<T>): Promise<T> {
  const admin = await openDatabases(url);
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

function urlOf(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Drops what the workers of this process have returned. */
export async function dropReturned(kind: ServerEngine): Promise<void> {
  const { url, names, drop } = SERVERS[kind];
  await withAdmin(url, async (admin) => {
    const found = rowsOf(await admin.db.raw(names, [`${databasePrefix(process.pid)}%`]));
    await Promise.all(found.map(({ name }) => drop(admin, String(name))));
  });
}

function databasePrefix(run: number): string {
  return `gateway_test_${run}_`;
}
