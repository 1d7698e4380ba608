/**
 * Real databases for tests: `describe.each(databases)` runs a suite on each reachable one. SQLite
 * is always available; PostgreSQL and MySQL/MariaDB are expected at TEST_POSTGRES_URL and
 * TEST_MYSQL_URL (an account that may create databases). A missing one is skipped with a message on
 * stderr or, if CI is set, fails the run. TEST_ENGINES limits the run to some of
 * `sqlite,postgres,mysql`. A fresh database is a copy of a template that was migrated once.
 */
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env } from 'node:process';
import { createClient } from 'redis';
import { type Databases, openDatabases } from '../../src/store/connection/database.ts';
import type { Engine } from '../../src/store/connection/engine.ts';
import { migrate, schemaState } from '../../src/store/schema/migrate.ts';

export interface FreshDatabase extends Databases {
  readonly dsn: string;
  /** Closes the pools and removes the database. */
  drop(): Promise<void>;
}

const {
  CI,
  TEST_POSTGRES_URL: POSTGRES_URL = 'postgres://postgres@127.0.0.1:5432/postgres',
  TEST_MYSQL_URL: MYSQL_URL = 'mysql://root@127.0.0.1:3306/test',
  TEST_REDIS_URL: REDIS_URL = 'redis://127.0.0.1:6379',
  TEST_ENGINES: ENGINES = 'sqlite,postgres,mysql',
} = env;

const wanted = new Set(ENGINES.split(','));

export const databases: readonly { readonly kind: Engine }[] = [
  ...(wanted.has('sqlite') ? [{ kind: 'sqlite' } as const] : []),
  ...(wanted.has('postgres') && (await answers(POSTGRES_URL))
    ? [{ kind: 'postgres' } as const]
    : []),
  ...(wanted.has('mysql') && (await answers(MYSQL_URL)) ? [{ kind: 'mysql' } as const] : []),
];

/** Creates a migrated, empty database for one test file. */
export async function freshDatabase(kind: Engine): Promise<FreshDatabase> {
  return kind === 'sqlite' ? freshSqlite() : freshOnServer(kind, SERVERS[kind].copyTemplate);
}

/** Creates an empty database without migrations. */
export async function emptyDatabase(kind: Engine): Promise<FreshDatabase> {
  return kind === 'sqlite' ? emptySqlite() : freshOnServer(kind, SERVERS[kind].create);
}

export function postgresUrl(): string {
  return POSTGRES_URL;
}

export function redisUrl(): string {
  return REDIS_URL;
}

/** Empties a numbered Redis database for one test file: ids of users and tokens begin at 1 on every site. */
export async function emptyRedis(number: number): Promise<string> {
  const url = new URL(redisUrl());
  url.pathname = `/${number}`;
  const client = createClient({ url: url.href });
  await client.connect();
  await client.flushDb();
  await client.close();
  return url.href;
}

/**
 * For `describe.skipIf(!(await isRedisReachable()))`; a missing Redis is handled like a missing
 * database.
 */
export async function isRedisReachable(): Promise<boolean> {
  const { hostname, port } = new URL(redisUrl());
  const reachable = await new Promise<boolean>((resolve) => {
    const socket = connect(Number(port || 6379), hostname, () => resolve(true));
    socket.setTimeout(2_000, () => resolve(false)).on('error', () => resolve(false));
    socket.unref();
  });
  if (!reachable) reportMissing(redisUrl(), 'no connection');
  return reachable;
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await openDatabases(url)).close();
    return true;
  } catch (error) {
    reportMissing(url, String(error));
    return false;
  }
}

function reportMissing(url: string, why: string): void {
  const { host, protocol } = new URL(url);
  const line = `NOT TESTED on ${protocol}//${host}: ${why}`;
  if (CI) throw new Error(line);
  process.stderr.write(`\n*** ${line} ***\n\n`);
}

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
const templateName = remembered(async () => {
  const root = path.join(import.meta.dirname, '../..');
  const names = (await readdir(path.join(root, 'migrations'))).sort();
  const files = [...names.map((name) => `migrations/${name}`), 'src/store/schema/migrate.ts'];
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(path.join(root, file)));
  return `gateway_template_${hash.digest('hex').slice(0, 12)}`;
});

async function emptySqlite(): Promise<FreshDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-test-'));
  return openSqlite(folder);
}

async function freshSqlite(): Promise<FreshDatabase> {
  const template = path.join(tmpdir(), `${await templateName()}.sqlite`);
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-test-'));
  const file = path.join(folder, 'gateway.sqlite');
  try {
    await copyFile(template, file);
  } catch {
    const made = await emptySqlite();
    await migrate(made);
    await made.close();
    await rename(made.dsn, template);
    await made.drop();
    await copyFile(template, file);
  }
  return openSqlite(folder);
}

async function openSqlite(folder: string): Promise<FreshDatabase> {
  const dsn = path.join(folder, 'gateway.sqlite');
  const opened = await openDatabases(dsn, { mayCreate: true });
  const drop = async () => {
    await opened.close();
    await rm(folder, { recursive: true });
  };
  return { ...opened, dsn, drop };
}

type Fill = (admin: Databases, name: string) => Promise<unknown>;

const SERVERS = {
  postgres: {
    url: POSTGRES_URL,
    create: createPostgres,
    copyTemplate: (admin, name) => createPostgres(admin, name, postgresTemplate()),
    drop: (admin, name) => admin.db.raw('drop database ?? with (force)', [name]),
  },
  mysql: {
    url: MYSQL_URL,
    create: (admin, name) => admin.db.raw('create database ??', [name]),
    copyTemplate: copyMysqlTemplate,
    drop: (admin, name) => admin.db.raw('drop database ??', [name]),
  },
} satisfies Record<string, { url: string; create: Fill; copyTemplate: Fill; drop: Fill }>;

async function freshOnServer(kind: 'postgres' | 'mysql', fill: Fill): Promise<FreshDatabase> {
  const { url, drop } = SERVERS[kind];
  const name = `gateway_test_${randomUUID().replaceAll('-', '')}`;
  await withAdmin(url, (admin) => fill(admin, name));
  const dsn = urlOf(url, name);
  const opened = await openDatabases(dsn);
  return {
    ...opened,
    dsn,
    async drop() {
      await opened.close();
      await withAdmin(url, (admin) => drop(admin, name));
    },
  };
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
