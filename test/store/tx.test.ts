import type { Knex } from 'knex';
import { describe, expect, it } from 'vitest';
import { openDatabases } from '../../src/store/connection/database.ts';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { incrementRows } from '../../src/store/ledger/bulk-increments.ts';
import { databases, freshDatabase } from '../support/databases.ts';
import { sharedDatabase } from '../support/shared-site.ts';

describe.each(databases)('a transaction on $kind', async ({ kind }) => {
  const database = await sharedDatabase(kind);
  const { db } = database;

  it('provides a context whose pools are the transaction, and keeps the rest of it', async () => {
    const ctx = { ...database, site: 'here' };
    const id = await inTransaction(ctx, async (ctx) => {
      expect(ctx.db.isTransaction).toBe(true);
      expect(ctx.reads).toBe(ctx.db);
      expect(ctx.site).toBe('here');
      await ctx.db('users').insert({ username: 'kept' });
      return ctx.reads('users').where({ username: 'kept' }).first('username');
    });
    expect(id).toEqual({ username: 'kept' });
    expect(await db('users').where({ username: 'kept' })).toHaveLength(1);
  });

  it('inside another one is part of it, and is rolled back with the outer one', async () => {
    const failed = inTransaction(database, async (ctx) => {
      const outer = ctx.db;
      await inTransaction(ctx, async (ctx) => {
        expect(ctx.db).toBe(outer);
        await ctx.db('users').insert({ username: 'gone' });
      });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await db('users').where({ username: 'gone' })).toEqual([]);
  });

  it('runs once when its own work fails', async () => {
    let runs = 0;
    const failed = inTransaction(database, async () => {
      runs += 1;
      throw new Error('own fault');
    });
    await expect(failed).rejects.toThrow('own fault');
    expect(runs).toBe(1);
  });

  it('gives up after five attempts', async () => {
    let runs = 0;
    const busy = Object.assign(new Error('deadlock'), { code: '40P01' });
    const failed = inTransaction(database, async () => {
      runs += 1;
      throw new Error('wrapped', { cause: busy });
    });
    await expect(failed).rejects.toThrow('wrapped');
    expect(runs).toBe(5);
  });

  it('lets 40 concurrent conditional updates withdraw exactly what is available', async () => {
    await db('users').insert({ username: 'shared', quota: 250 });
    const { id } = await db('users').where({ username: 'shared' }).first('id');
    const taken = await Promise.all(
      Array.from({ length: 40 }, () =>
        inTransaction(database, (ctx) =>
          incrementRows(ctx.db, 'users', [{ id, quota: -10 }], { where: 't.quota + v.quota >= 0' }),
        ),
      ),
    );
    expect(taken.filter((ids) => ids.has(id))).toHaveLength(25);
    expect(await db('users').where({ id }).first('quota')).toEqual({ quota: 0 });
  });
});

describe.each(databases)('two transactions on $kind', async ({ kind }) => {
  const database = await sharedDatabase(kind);
  await database.db('users').insert([{ username: 'a' }, { username: 'b' }]);

  it('that lock two rows in opposite order both succeed after one retry', async () => {
    const other = await openDatabases(database.dsn);
    let runs = 0;
    const add = (ctx: { db: Knex }, username: string) =>
      ctx.db('users').where({ username }).increment('quota', 1);
    // SQLite allows one writer at a time: they cannot conflict, and nothing is retried.
    const meeting = kind === 'sqlite' ? async () => {} : twoArrive();
    const cross = (databases: { db: Knex; reads: Knex }, first: string, second: string) =>
      inTransaction(databases, async (ctx) => {
        runs += 1;
        await add(ctx, first);
        await meeting();
        await add(ctx, second);
      });
    await Promise.all([cross(database, 'a', 'b'), cross(other, 'b', 'a')]);
    await other.close();
    if (kind === 'sqlite') expect(runs).toBe(2);
    else expect(runs).toBeGreaterThan(2);
    expect(await database.db('users').sum({ total: 'quota' }).first()).toEqual({ total: 4 });
  });
});

/** Each waits for the other once; a retry continues without waiting. */
function twoArrive(): () => Promise<void> {
  let arrived = 0;
  let open: () => void = () => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    arrived += 1;
    if (arrived >= 2) open();
    return both;
  };
}

describe('a transaction on SQLite', () => {
  it('that finds the file busy for too long is retried, and its work counts once', async () => {
    const database = await freshDatabase('sqlite');
    const other = await openDatabases(database.dsn);
    const lock = await other.db.transaction();
    await database.db.raw('PRAGMA busy_timeout=1');
    const refused: unknown[] = [];
    database.db.on('query-error', (error: unknown) => {
      if (refused.push(error) === 1) void lock.commit();
    });
    await inTransaction(database, async (ctx) => {
      await ctx.db('users').insert({ username: 'late' });
    });
    expect(refused[0]).toMatchObject({ code: 'SQLITE_BUSY' });
    expect(await database.reads('users').pluck('username')).toEqual(['late']);
    await other.close();
    await database.drop();
  });
});
