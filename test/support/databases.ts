/**
 * Real databases for tests: `describe.each(databases)` runs a suite on each reachable one. SQLite
 * is always available; PostgreSQL and MySQL/MariaDB are expected at TEST_POSTGRES_URL and
 * TEST_MYSQL_URL (an account that may create databases). A missing one is skipped with a message on
 * stderr or, if CI is set, fails the run. TEST_ENGINES limits the run to some of
 * `sqlite,postgres,mysql`. A fresh database is a copy of a template that was migrated once.
 */
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env } from 'node:process';
import { createClient } from 'redis';
import { openDatabases } from '../../src/store/connection/database.ts';
import type { Engine } from '../../src/store/connection/engine.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import {
  emptyOnServer,
  type FreshDatabase,
  freshOnServer,
  MYSQL_URL,
  POSTGRES_URL,
  templateName,
} from './database-servers.ts';

export type { FreshDatabase } from './database-servers.ts';

const {
  CI,
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
  return kind === 'sqlite' ? freshSqlite() : freshOnServer(kind);
}

/** Creates an empty database without migrations. */
export async function emptyDatabase(kind: Engine): Promise<FreshDatabase> {
  return kind === 'sqlite' ? emptySqlite() : emptyOnServer(kind);
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
