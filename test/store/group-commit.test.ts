import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { GroupCommit } from '../../src/store/ledger/group-commit.ts';
import { databases, type FreshDatabase, freshDatabase } from '../support/databases.ts';

/** Commits names as rows of `leases`; the database refuses a name that exists already. */
describe.each(databases)('group commit on $kind', ({ kind }) => {
  let database: FreshDatabase;
  let batches: string[][] = [];
  beforeAll(async () => {
    database = await freshDatabase(kind);
    await database.db('leases').insert({ name: 'taken', holder: 'x', expires_at_ms: 0 });
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    batches = [];
    await database.db('leases').whereNot({ name: 'taken' }).delete();
  });

  const commit = async (batch: readonly string[]): Promise<string[]> => {
    batches.push([...batch]);
    return inTransaction(database, async ({ db }) => {
      for (const name of batch)
        await db('leases').insert({ name, holder: 'test', expires_at_ms: 0 });
      return batch.map((name) => `${name} is in`);
    });
  };
  const writer = (limits: { maxBatch?: number; maxWaiting?: number } = {}) =>
    new GroupCommit<string, string>({
      commit,
      maxBatch: 100,
      maxWaiting: 100,
      onFull: () => new Error('full'),
      ...limits,
    });
  const stored = async () =>
    (await database.db('leases').whereNot({ name: 'taken' }).orderBy('name').pluck('name')).map(
      String,
    );

  it('batches operations of one tick, and returns each its own result, in order', async () => {
    const group = writer();
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => group.submit(name)));
    expect(answers).toEqual(['a is in', 'b is in', 'c is in']);
    expect(batches).toEqual([['a', 'b', 'c']]);
    expect(await stored()).toEqual(['a', 'b', 'c']);
  });

  it('batches operations that arrive during a commit', async () => {
    const group = writer();
    const first = group.submit('a');
    while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, group.submit('b'), group.submit('c')]);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('starts again after it was idle', async () => {
    const group = writer();
    expect(await group.submit('a')).toBe('a is in');
    expect(await group.submit('b')).toBe('b is in');
  });

  it('commits no more than maxBatch together', async () => {
    const group = writer({ maxBatch: 2 });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => group.submit(name)));
    expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('refuses operations above maxWaiting immediately, and continues with the others', async () => {
    const group = writer({ maxWaiting: 2 });
    const waiting = [group.submit('a'), group.submit('b')];
    await expect(group.submit('c')).rejects.toThrow('full');
    expect(await Promise.all(waiting)).toEqual(['a is in', 'b is in']);
    expect(await group.submit('d')).toBe('d is in');
    expect(await stored()).toEqual(['a', 'b', 'd']);
  });

  it('refuses only the operation that the database refuses', async () => {
    const group = writer();
    const names = ['a', 'b', 'taken', 'c', 'd'];
    const answers = await Promise.allSettled(names.map((name) => group.submit(name)));
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await stored()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('flush resolves when all operations submitted before are committed or refused', async () => {
    const group = writer({ maxBatch: 1 });
    const settled: string[] = [];
    for (const name of ['a', 'taken', 'b'])
      void group.submit(name).then(
        () => settled.push(name),
        () => settled.push(`no ${name}`),
      );
    await group.flush();
    expect(settled).toEqual(['a', 'no taken', 'b']);
    expect(await stored()).toEqual(['a', 'b']);
    await group.flush();
  });

  it('tries an unavailable database twice, not once per operation', async () => {
    const gone = await freshDatabase(kind);
    await gone.drop();
    let commits = 0;
    const group = new GroupCommit<string, string>({
      commit: (batch) => {
        commits += 1;
        return inTransaction(gone, async () => [...batch]);
      },
      maxBatch: 100,
      maxWaiting: 100,
      onFull: () => new Error('full'),
    });
    const answers = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((name) => group.submit(name)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect(commits).toBe(2);
  });
});
