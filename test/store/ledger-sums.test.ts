import { describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { post } from '../../src/store/ledger/ledger.ts';
import {
  channelUse,
  currentRun,
  sumLedger,
  sumLedgerAgain,
} from '../../src/store/ledger/ledger-sums.ts';
import { databases } from '../support/databases.ts';
import { type LocalSite, OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import { anAccount, aRequestId } from '../system/ledger/operations.ts';

const grant = (userId: number, units: number, channelId = 0) => ({
  key: aRequestId(),
  cause: 'charge' as const,
  userId,
  channelId,
  userUnits: -units,
  channelUnits: units,
  createdAtSec: 1,
});

describe.each(databases)('sums of the ledger on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const verify = () => site.as(OPERATOR).ledger.verify({});
  const lastId = async () => Number((await site.ctx.db('ledger').max({ id: 'id' }).first())?.id);

  it('count each entry once while several processes write, sum and sum again', async () => {
    const { userId } = await anAccount(site, 1_000_000);
    const { id: channelId } = await site.aChannel();
    const writes = Array.from({ length: 60 }, (_, units) =>
      inTransaction(site.ctx, ({ db }) => post(db, grant(userId, units, channelId))),
    );
    const sums = Array.from({ length: 6 }, () => sumLedger(site.ctx));
    const again = Array.from({ length: 3 }, () => sumLedgerAgain(site.ctx, 10));
    await Promise.all([...writes, ...sums]);
    expect((await Promise.all(again)).flat()).toEqual([]);
    await sumLedger(site.ctx);
    expect((await currentRun(site.ctx.db)).summedId).toBe(await lastId());
    expect(await channelUse(site.ctx.db, [channelId])).toEqual(new Map([[channelId, 1_770]]));
    expect(await verify()).toMatchObject({ ok: true, checked: { entries: await lastCount() } });
    expect(await site.ctx.db('ledger_runs')).toHaveLength(1);
    expect(await site.ctx.db('ledger_sums').countDistinct({ n: 'run' }).first()).toEqual({ n: 1 });
  });

  const lastCount = async () => Number((await site.ctx.db('ledger').count({ n: '*' }).first())?.n);

  it('need several transactions for many ids', async () => {
    const { userId } = await anAccount(site, 0);
    const far = { ...grant(userId, 7), key: 'far', id: (await lastId()) + 50_000 };
    const { userUnits, channelUnits, channelId, createdAtSec, userId: user, ...row } = far;
    await inTransaction(site.ctx, async ({ db }) => {
      await db('ledger').insert({
        ...row,
        user_id: user,
        user_units: userUnits,
        detail: '',
        created_at: createdAtSec,
      });
      await db('users').where({ id: userId }).increment({ quota: -7, used_quota: 7 });
    });
    await sumLedger(site.ctx);
    expect((await currentRun(site.ctx.db)).summedId).toBe(far.id);
    expect(await verify()).toMatchObject({ ok: true });
  });
});

/** SQLite has one writer at a time. */
describe.each(databases.filter(({ kind }) => kind !== 'sqlite'))(
  'an entry that appears after one with a higher id on $kind',
  async ({ kind }) => {
    const site = await sharedLocalSite(kind);

    it('is waited for, and then in the sums', async () => {
      const verify = () => site.as(OPERATOR).ledger.verify({});
      const [late, early] = [await anAccount(site, 500), await anAccount(site, 500)];
      const { id: channelId } = await site.aChannel();
      const open = await site.ctx.db.transaction();
      await post(open, grant(late.userId, 40, channelId));
      await inTransaction(site.ctx, ({ db }) => post(db, grant(early.userId, 2, channelId)));
      const [lower, higher] = [
        await idOf(open, late.userId),
        await idOf(site.ctx.db, early.userId),
      ];
      expect(lower).toBeLessThan(higher);
      await sumLedger(site.ctx);
      expect(await verify()).toMatchObject({ ok: true });
      expect((await currentRun(site.ctx.db)).summedId).toBeLessThan(lower);
      await open.commit();
      await sumLedger(site.ctx);
      expect(await verify()).toMatchObject({ ok: true });
      expect((await currentRun(site.ctx.db)).summedId).toBe(higher);
      expect(await channelUse(site.ctx.db, [channelId])).toEqual(new Map([[channelId, 42]]));
      await site.ctx.db('users').where({ id: late.userId }).increment('quota', 40);
      expect((await verify()).differences).toEqual([
        { table: 'users', id: late.userId, column: 'quota', stored: 500, expected: 460 },
      ]);
    });

    const idOf = async (db: LocalSite['ctx']['db'], user_id: number) =>
      Number((await db('ledger').where({ user_id, cause: 'charge' }).first('id'))?.id);
  },
);
