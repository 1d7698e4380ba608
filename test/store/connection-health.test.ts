/** A database server that stops responding: detected in seconds, with automatic recovery. */
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Databases, openDatabases } from '../../src/store/connection/database.ts';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { isConnectionLoss, rowsOf } from '../../src/store/sql/sql-dialect.ts';
import { databases, emptyDatabase, type FreshDatabase } from '../support/databases.ts';
import { eventually } from '../support/site.ts';
import { aLineTo, type Line } from '../support/tcp-proxy.ts';

const servers = databases.filter(({ kind }) => kind !== 'sqlite');
const PORTS = { postgres: 5432, mysql: 3306, sqlite: 0 } as const;
const UNREACHABLE = { code: 'database_unreachable', status: 503 };
/** Detected after 1.5 s; the rest is for a busy machine. */

describe.each(servers)('a $kind server', ({ kind }) => {
  let database: FreshDatabase;
  let line: Line;
  let pools: Databases;
  const lines: string[] = [];
  beforeAll(async () => {
    database = await emptyDatabase(kind);
    await database.db.schema.createTable('notes', (table) => table.string('text'));
    line = await aLineTo(database.dsn, PORTS[kind]);
    pools = await openDatabases(line.url);
    pools.watch(pino({ level: 'info' }, { write: (text) => void lines.push(text) }));
  });
  afterAll(async () => {
    await pools.close();
    await line.cut();
    await database.drop();
  });

  const isBack = () =>
    eventually('it answers again', async () => {
      await pools.db.raw('select 1').catch(() => undefined);
      return pools.isUp();
    });

  test('that stops responding fails waiting queries, then all queries, until it responds again', async () => {
    await pools.db.raw('select 1');
    line.fallSilent();
    const inside = inTransaction(pools, async ({ db }) => {
      await db('notes').insert({ text: 'never' });
    });
    await expect(pools.db.raw('select 1')).rejects.toMatchObject(UNREACHABLE);
    await expect(inside).rejects.toMatchObject(UNREACHABLE);
    expect(pools.isUp()).toBe(false);
    // Waiting for each one would exceed the test's time limit.
    for (let call = 0; call < 200; call += 1)
      await expect(pools.db('notes').select()).rejects.toMatchObject(UNREACHABLE);
    line.speak();
    await isBack();
    expect(await pools.db('notes').select()).toEqual([]);
    expect(lines.filter((text) => text.includes('does not answer'))).toHaveLength(1);
    expect(lines.filter((text) => text.includes('answers again'))).toHaveLength(1);
  });

  test('whose connections break is reported as unreachable', async () => {
    await line.cut();
    await expect(pools.db.raw('select 1')).rejects.toMatchObject(UNREACHABLE);
    await eventually('it is known', () => !pools.isUp());
    await line.repair();
    await isBack();
  });

  test('is not considered lost during a slow statement', async () => {
    const slow = kind === 'postgres' ? 'select pg_sleep(2.5)' : 'select sleep(2.5)';
    await pools.db.raw(slow);
    expect(pools.isUp()).toBe(true);
  });

  test("releases a disconnected node's connections before they fill up", async () => {
    const query =
      kind === 'postgres'
        ? "select current_setting('tcp_keepalives_idle') as kept"
        : 'select @@session.wait_timeout as kept';
    const [row] = rowsOf(await pools.db.raw(query));
    expect(String(row?.kept)).toBe(kind === 'postgres' ? '15' : '60');
  });

  test('ends the transactions of a node that stalls inside one', async () => {
    const query =
      kind === 'postgres'
        ? "select current_setting('idle_in_transaction_session_timeout') as kept"
        : 'select @@idle_transaction_timeout as kept';
    const [row] = rowsOf(await pools.db.raw(query));
    expect(String(row?.kept)).toBe(kind === 'postgres' ? '5s' : '5');
  });
});

test('an error of a running database server does not count as its loss', () => {
  const refused = Object.assign(new Error('duplicate key'), { code: '23505' });
  expect(isConnectionLoss(refused)).toBe(false);
  expect(isConnectionLoss(Object.assign(new Error('x'), { code: 'ECONNRESET' }))).toBe(true);
});
