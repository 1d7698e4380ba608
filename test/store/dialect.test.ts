import { beforeEach, describe, expect, it } from 'vitest';
import {
  deleteKeys,
  deleteReturning,
  incrementRows,
} from '../../src/store/ledger/bulk-increments.ts';
import { insertId, insertNew, insertOnce, insertRows } from '../../src/store/sql/inserts.ts';
import {
  booleanValue,
  engineOf,
  isDuplicate,
  isRetryable,
  likeContains,
  likePrefix,
  quoteName,
  rowsOf,
} from '../../src/store/sql/sql-dialect.ts';
import { databases } from '../support/databases.ts';
import { sharedDatabase } from '../support/shared-site.ts';

/** A statement that waits for a lock fails. */
const SHORT_WAIT: Readonly<Record<string, string>> = {
  postgres: "set local lock_timeout = '1s'",
  mysql: 'set session innodb_lock_wait_timeout = 1',
};
const ledgerRow = (key: string, user_id = 1) => ({ key, cause: 'grant', user_id, created_at: 1 });

describe.each(databases)('inserting on $kind', async ({ kind }) => {
  const database = await sharedDatabase(kind);
  const { db } = database;
  beforeEach(() => db('ledger').delete());

  it('detects the database engine, inside a transaction too', async () => {
    expect(engineOf(db)).toBe(kind);
    expect(await db.transaction(async (trx) => engineOf(trx))).toBe(kind);
  });

  it('inserts a row once, and the transaction continues after a repeat', async () => {
    await db.transaction(async (trx) => {
      expect(await insertOnce(trx, 'ledger', ledgerRow('a'), 'key')).toBe(true);
      expect(await insertOnce(trx, 'ledger', ledgerRow('a', 2), 'key')).toBe(false);
      expect(await insertOnce(trx, 'ledger', ledgerRow('b'), 'key')).toBe(true);
    });
    expect(await db('ledger').orderBy('id').select('key', 'user_id')).toEqual([
      { key: 'a', user_id: 1 },
      { key: 'b', user_id: 1 },
    ]);
  });

  it('inserts a row once by a key of two columns', async () => {
    const row = { redemption_id: 1, user_id: 5, used_time: 1 };
    const key = ['redemption_id', 'user_id'];
    expect(await insertOnce(db, 'redemption_logs', row, key)).toBe(true);
    expect(await insertOnce(db, 'redemption_logs', row, key)).toBe(false);
    expect(await insertOnce(db, 'redemption_logs', { ...row, user_id: 6 }, key)).toBe(true);
  });

  it('lets one of many concurrent inserts succeed', async () => {
    const won = await Promise.all(
      Array.from({ length: 20 }, () =>
        db.transaction((trx) => insertOnce(trx, 'ledger', ledgerRow('race'), 'key')),
      ),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('returns the id of the new row', async () => {
    const first = await insertId(db, 'ledger', ledgerRow('one'));
    const second = await db.transaction((trx) => insertId(trx, 'ledger', ledgerRow('two')));
    expect(await db('ledger').orderBy('id').pluck('id')).toEqual([first, second]);
  });

  it('inserts only new rows, and returns which', async () => {
    await db('ledger').insert(ledgerRow('b'));
    await db.transaction(async (trx) => {
      const rows = ['a', 'b', 'c', 'c'].map((key, index) => ledgerRow(key, index + 10));
      expect(await insertNew(trx, 'ledger', rows, 'key')).toEqual(new Set(['a', 'c']));
      expect(await insertNew(trx, 'ledger', rows, 'key')).toEqual(new Set());
      expect(await insertNew(trx, 'ledger', [ledgerRow('d')], 'key')).toEqual(new Set(['d']));
      expect(await insertNew(trx, 'ledger', [], 'key')).toEqual(new Set());
    });
    expect(await db('ledger').orderBy('key').select('key', 'user_id')).toEqual([
      { key: 'a', user_id: 10 },
      { key: 'b', user_id: 1 },
      { key: 'c', user_id: 12 },
      { key: 'd', user_id: 1 },
    ]);
  });

  it('refuses rows with missing or unsuitable values instead of converting them', async () => {
    const lacking = [ledgerRow('x'), { key: 'y', cause: 'grant' }];
    await expect(insertRows(db, 'ledger', lacking)).rejects.toThrow('user_id');
    const empty = { ...ledgerRow('z'), user_id: null };
    await expect(insertNew(db, 'ledger', [empty], 'key')).rejects.toThrow();
    expect(await db('ledger')).toEqual([]);
  });

  it('inserts more rows than one statement can bind', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ledgerRow(`many ${index}`, index));
    await db.transaction(async (trx) => {
      expect((await insertNew(trx, 'ledger', rows.slice(0, 10_000), 'key')).size).toBe(10_000);
      await insertRows(trx, 'ledger', rows.slice(10_000));
    });
    expect(await db('ledger').count({ n: '*' }).sum({ total: 'user_id' }).first()).toEqual({
      n: 20_000,
      total: 199_990_000,
    });
  });

  it('keeps booleans, quotes, question marks and reserved names unchanged', async () => {
    const ability = { group: "o'hara ? ?? :x \\", model: 'm', channel_id: 1, enabled: false };
    await insertRows(db, 'abilities', [ability]);
    const row = await db('abilities').where({ enabled: false }).first('group', 'enabled');
    expect(row.group).toBe(ability.group);
    expect(booleanValue(row.enabled)).toBe(false);
    const name = quoteName(kind, 'group');
    expect(rowsOf(await db.raw(`select ${name} from abilities`))).toEqual([{ group: row.group }]);
    const odd = 'a"b`c';
    expect(rowsOf(await db.raw(`select 1 as ${quoteName(kind, odd)}`))).toEqual([{ [odd]: 1 }]);
  });

  it('distinguishes a duplicate from other errors', async () => {
    const refused = async (row: object) =>
      db('ledger')
        .insert(row)
        .catch((error: unknown) => error);
    await db('ledger').insert(ledgerRow('a'));
    expect(isDuplicate(await refused(ledgerRow('a')))).toBe(true);
    const unfit = await refused({ ...ledgerRow('b'), user_id: null });
    expect(unfit).toBeInstanceOf(Error);
    expect(isDuplicate(unfit)).toBe(false);
    expect(isRetryable(unfit)).toBe(false);
  });
});

describe.each(databases)('adding and subtracting on $kind', async ({ kind }) => {
  const database = await sharedDatabase(kind);
  const { db } = database;
  beforeEach(async () => {
    await db('users').delete();
    await db('users').insert(
      [1, 2, 3].map((id) => ({ id, username: `user ${id}`, quota: id * 100, held: 0 })),
    );
  });

  const balances = () => db('users').orderBy('id').select('id', 'quota', 'held');

  it('adds to several columns of several rows and returns the existing ones', async () => {
    const adds = [
      { id: 3, quota: -5, held: 0 },
      { id: 9, quota: 1, held: 1 },
      { id: 1, quota: 7, held: 2 },
    ];
    expect(await incrementRows(db, 'users', adds)).toEqual(new Set([1, 3]));
    expect(await balances()).toEqual([
      { id: 1, quota: 107, held: 2 },
      { id: 2, quota: 200, held: 0 },
      { id: 3, quota: 295, held: 0 },
    ]);
  });

  it('counts a row to which nothing was added as updated', async () => {
    expect(await incrementRows(db, 'users', [{ id: 1, quota: 0 }])).toEqual(new Set([1]));
    const adds = [1, 2].map((id) => ({ id, quota: 0 }));
    expect(await incrementRows(db, 'users', adds)).toEqual(new Set([1, 2]));
    expect(await incrementRows(db, 'users', [])).toEqual(new Set());
  });

  it('adds only if the condition holds, row by row', async () => {
    const adds = [1, 2, 3, 4].map((id) => ({ id, held: 150 }));
    const where = 't.quota - t.held >= v.held';
    expect(await incrementRows(db, 'users', adds, { where })).toEqual(new Set([2, 3]));
    expect(await incrementRows(db, 'users', adds, { where })).toEqual(new Set([3]));
    expect(await incrementRows(db, 'users', adds, { where })).toEqual(new Set());
    expect(await balances()).toEqual([
      { id: 1, quota: 100, held: 0 },
      { id: 2, quota: 200, held: 150 },
      { id: 3, quota: 300, held: 300 },
    ]);
  });

  it('keeps units exact up to 2^53 and refuses others', async () => {
    const most = Number.MAX_SAFE_INTEGER - 100;
    await incrementRows(db, 'users', [{ id: 1, quota: most }]);
    expect(await db('users').where({ id: 1 }).first('quota')).toEqual({ quota: most + 100 });
    for (const quota of [0.5, 2 ** 53, Number.NaN])
      await expect(incrementRows(db, 'users', [{ id: 1, quota }])).rejects.toThrow(
        'no exact integer',
      );
    const twice = [1, 1].map((id) => ({ id, quota: 1 }));
    await expect(incrementRows(db, 'users', twice)).rejects.toThrow('twice');
  });

  it('adds to more rows than fit in one statement', async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => index + 1_000);
    await insertRows(
      db,
      'users',
      ids.map((id) => ({ id, username: `many ${id}` })),
    );
    const updated = await db.transaction((trx) =>
      incrementRows(
        trx,
        'users',
        ids.map((id) => ({ id, quota: id })),
        { where: 'v.quota <> 1234' },
      ),
    );
    expect(updated.size).toBe(2_499);
    expect(await db('users').where('id', '>=', 1_000).sum({ total: 'quota' }).first()).toEqual({
      total: ids.reduce((sum, id) => sum + id, 0) - 1234,
    });
  });

  it('runs large and small batches over the same rows without a deadlock', async () => {
    // The rows are not in id order, which reveals a plan that follows the table.
    const ids = Array.from({ length: 1_000 }, (_, index) => 10_000 + index);
    await insertRows(
      db,
      'users',
      ids.toReversed().map((id) => ({ id, username: `many ${id}` })),
    );
    if (kind === 'postgres') await db.raw('analyze users');
    const small = [10_003, 10_990];
    const rounds = Array.from({ length: 40 }, (_, round) => round);
    const done = await Promise.all(
      rounds.map((round) =>
        db.transaction((trx) =>
          incrementRows(
            trx,
            'users',
            (round % 2 === 0 ? ids : small).map((id) => ({ id, held: 1 })),
            round % 4 < 2 ? { where: 't.held >= 0' } : {},
          ),
        ),
      ),
    );
    expect(done.map((updated) => updated.size)).toEqual(
      rounds.map((round) => (round % 2 === 0 ? 1_000 : 2)),
    );
    expect(await db('users').whereIn('id', small).orderBy('id').pluck('held')).toEqual([40, 40]);
  });

  it('deletes by key and returns the deleted rows, once', async () => {
    const hold = (request_id: string) => ({
      request_id,
      user_id: 1,
      user_units: 5,
      node: 'n',
      created_at: 1,
      expires_at: 2,
    });
    await insertRows(db, 'holds', ['a', 'b', 'c'].map(hold));
    const take = () =>
      db.transaction((trx) =>
        deleteReturning(
          trx,
          'holds',
          'request_id',
          ['a', 'c', 'none', 'a'],
          ['request_id', 'user_units'],
        ),
      );
    const taken = await Promise.all([take(), take(), take()]);
    expect(
      taken.flat().sort((x, y) => String(x.request_id).localeCompare(String(y.request_id))),
    ).toEqual([
      { request_id: 'a', user_units: 5 },
      { request_id: 'c', user_units: 5 },
    ]);
    expect(await db('holds').pluck('request_id')).toEqual(['b']);
    expect(await deleteReturning(db, 'holds', 'request_id', [], ['node'])).toEqual([]);
  });

  it('searches for literal text, ignoring letter case', async () => {
    const names = ['50%_off!', '50 percent', 'Back\\slash', 'back/slash', 'ÉTÉ'];
    await insertRows(
      db,
      'channels',
      names.map((name) => ({ name })),
    );
    const found = (condition: [string, string[]]) =>
      db('channels')
        .whereRaw(...condition)
        .orderBy('id')
        .pluck('name');
    expect(await found(likeContains('name', '0%_OFF!'))).toEqual(['50%_off!']);
    expect(await found(likeContains('channels.name', '_'))).toEqual(['50%_off!']);
    expect(await found(likeContains('name', 'k\\S'))).toEqual(['Back\\slash']);
    expect(await found(likeContains('name', 'ÉT'))).toEqual(['ÉTÉ']);
    expect(await found(likePrefix('name', '50'))).toEqual(['50%_off!', '50 percent']);
    expect(await found(likePrefix('name', '0'))).toEqual([]);
  });
});

/** SQLite has one writer and no row locks. */
const servers = databases.filter(({ kind }) => kind !== 'sqlite');

describe.each(servers)('rows locked by another transaction on $kind', async ({ kind }) => {
  const database = await sharedDatabase(kind);
  const { db } = database;

  it('do not block a delete of others by key', async () => {
    const hold = (request_id: string) => ({
      request_id,
      user_id: 1,
      user_units: 5,
      node: 'n',
      created_at: 1,
      expires_at: 2,
    });
    await db('holds').delete();
    await insertRows(db, 'holds', ['a', 'b', 'c', 'd', 'e'].map(hold));
    await db.transaction(async (other) => {
      await insertRows(other, 'holds', [hold('b2')]);
      await other('holds').where({ request_id: 'd' }).update({ user_units: 6 });
      await db.transaction(async (trx) => {
        await trx.raw(SHORT_WAIT[kind] ?? '');
        expect(
          await deleteReturning(trx, 'holds', 'request_id', ['a', 'c'], ['request_id']),
        ).toEqual([{ request_id: 'a' }, { request_id: 'c' }]);
        await deleteKeys(trx, 'holds', 'request_id', ['b', 'e']);
      });
    });
    expect((await db('holds').pluck('request_id')).sort()).toEqual(['b2', 'd']);
  });
});
