import { describe, expect, it } from 'vitest';
import { type Databases, openDatabases } from '../../src/store/connection/database.ts';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { applyBatch, post } from '../../src/store/ledger/ledger.ts';
import type { Entry, Operation } from '../../src/store/ledger/ledger-operations.ts';
import { channelUse, sumLedger } from '../../src/store/ledger/ledger-sums.ts';
import { databases } from '../support/databases.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import {
  aCharge,
  aLog,
  anAccount,
  aRequestId,
  close,
  hold,
  tokenBalance,
  userBalance,
} from '../system/ledger/operations.ts';

describe.each(databases)('the ledger on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const apply = (...operations: Operation[]) =>
    inTransaction(site.ctx, (ctx) => applyBatch(ctx.db, operations));
  const posted = (entry: Entry, floor?: number | null) =>
    inTransaction(site.ctx, (ctx) => post(ctx.db, entry, floor));
  const rowsOf = (table: string, requestId: string) =>
    site.ctx.db(table).where({ request_id: requestId });
  const expectProof = async () =>
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true, differences: [] });

  describe('holds', () => {
    it('reserve on the user and on a limited token, without a ledger entry', async () => {
      const account = await anAccount(site, 100, 50);
      const one = hold(account, 40, { tokenUnits: 40 });
      expect(await apply(one)).toEqual(['done']);
      expect(await userBalance(site, account)).toEqual({ quota: 100, held: 40 });
      expect(await tokenBalance(site, account)).toEqual({ quota: 50, held: 40 });
      expect(await rowsOf('holds', one.requestId)).toMatchObject([
        { user_units: 40, node: 'test-node' },
      ]);
      await expectProof();
    });

    it('do not change an unlimited token', async () => {
      const account = await anAccount(site, 100);
      expect(await apply(hold(account, 40))).toEqual(['done']);
      expect(await tokenBalance(site, account)).toEqual({ quota: 0, held: 0 });
    });

    it("are granted in order as far as an account's balance allows", async () => {
      const poor = await anAccount(site, 100);
      const rich = await anAccount(site, 1_000);
      const outcomes = await apply(
        hold(poor, 60),
        hold(rich, 900),
        hold(poor, 50),
        hold(poor, 30),
        hold(poor, 11),
        hold(poor, 10),
      );
      expect(outcomes).toEqual(['done', 'done', 'user_short', 'done', 'user_short', 'done']);
      expect(await userBalance(site, poor)).toEqual({ quota: 100, held: 100 });
      expect(await userBalance(site, rich)).toEqual({ quota: 1_000, held: 900 });
      await expectProof();
    });

    it('leave nothing of a single refused hold that is too large', async () => {
      const account = await anAccount(site, 100);
      const large = hold(account, 101);
      expect(await apply(large)).toEqual(['user_short']);
      expect(await userBalance(site, account)).toEqual({ quota: 100, held: 0 });
      expect(await rowsOf('holds', large.requestId)).toEqual([]);
    });

    it("release the user's reservation if the token's quota is too small", async () => {
      const account = await anAccount(site, 1_000, 50);
      const [first, second] = [
        hold(account, 40, { tokenUnits: 40 }),
        hold(account, 20, { tokenUnits: 20 }),
      ];
      expect(await apply(first, second)).toEqual(['done', 'token_short']);
      expect(await userBalance(site, account)).toEqual({ quota: 1_000, held: 40 });
      expect(await tokenBalance(site, account)).toEqual({ quota: 50, held: 40 });
      expect(await rowsOf('holds', second.requestId)).toEqual([]);
      await expectProof();
    });

    it('count once when repeated, in one batch or in two', async () => {
      const account = await anAccount(site, 100, 100);
      const one = hold(account, 40, { tokenUnits: 40 });
      expect(await apply(one, { ...one })).toEqual(['done', 'repeat']);
      expect(await apply(one)).toEqual(['repeat']);
      expect(await userBalance(site, account)).toEqual({ quota: 100, held: 40 });
      expect(await tokenBalance(site, account)).toEqual({ quota: 100, held: 40 });
      await expectProof();
    });

    it('return user_short for an account that does not exist', async () => {
      expect(await apply(hold({ userId: 2_000_000, tokenId: 0 }, 1))).toEqual(['user_short']);
    });
  });

  describe('settlements', () => {
    it('change user and token together, end the hold, write the log and leave the channel to the sums', async () => {
      const account = await anAccount(site, 1_000, 500);
      const channel = await site.aChannel({ name: 'charged' });
      const held = hold(account, 300, { tokenUnits: 300 });
      await apply(held);
      const charge = aCharge(held.requestId, account, 120, channel.id);
      const logs = [aLog(held.requestId, account, { quota: 120 })];
      expect(await apply(close(held, undefined, { charge, logs }))).toEqual(['done']);
      const { ctx } = site;
      expect(await ctx.db('users').where({ id: account.userId }).first()).toMatchObject({
        quota: 880,
        held: 0,
        used_quota: 120,
        request_count: 1,
      });
      expect(await ctx.db('tokens').where({ id: account.tokenId }).first()).toMatchObject({
        remain_quota: 380,
        held: 0,
        used_quota: 120,
      });
      expect(await ctx.db('channels').where({ id: channel.id }).first()).toMatchObject({
        used_quota: 0,
      });
      await sumLedger(ctx);
      expect(await channelUse(ctx.db, [channel.id])).toEqual(new Map([[channel.id, 120]]));
      expect(await rowsOf('logs', held.requestId)).toMatchObject([{ quota: 120 }]);
      expect(await rowsOf('holds', held.requestId)).toEqual([]);
      await expectProof();
    });

    it('precede the holds of their batch, so that released quota is available to them', async () => {
      const account = await anAccount(site, 100);
      const first = hold(account, 100);
      await apply(first);
      expect(await apply(hold(account, 90), close(first, 10))).toEqual(['done', 'done']);
      expect(await userBalance(site, account)).toEqual({ quota: 90, held: 90 });
      await expectProof();
    });

    it('charge once when repeated, and the repeat still ends a remaining hold', async () => {
      const account = await anAccount(site, 1_000);
      const held = hold(account, 100);
      const logs = [aLog(held.requestId, account)];
      const end = close(held, 70, { logs });
      await apply(held);
      expect(await apply(end, { ...end })).toEqual(['done', 'repeat']);
      await apply(held);
      expect(await apply(end)).toEqual(['repeat']);
      expect(await userBalance(site, account)).toEqual({ quota: 930, held: 0 });
      expect(await rowsOf('logs', held.requestId)).toHaveLength(1);
      await expectProof();
    });

    it('change nothing for an unknown hold', async () => {
      const account = await anAccount(site, 100);
      const other = hold(account, 40);
      await apply(other);
      expect(await apply(close({ ...account, requestId: aRequestId() }))).toEqual(['done']);
      expect(await userBalance(site, account)).toEqual({ quota: 100, held: 40 });
      await expectProof();
    });

    it('charge the full price if it exceeds the hold, even below zero', async () => {
      const account = await anAccount(site, 100);
      const held = hold(account, 100);
      await apply(held);
      await apply(close(held, 130));
      expect(await userBalance(site, account)).toEqual({ quota: -30, held: 0 });
      expect(await apply(hold(account, 1))).toEqual(['user_short']);
      await expectProof();
    });

    it('are posted for a channel that was deleted during the call', async () => {
      const account = await anAccount(site, 100);
      const channel = await site.aChannel({ name: 'short-lived' });
      const held = hold(account, 50);
      await apply(held);
      await site.as(OPERATOR).channel.remove({ id: channel.id });
      const charge = aCharge(held.requestId, account, 20, channel.id);
      expect(await apply(close(held, undefined, { charge }))).toEqual(['done']);
      expect(await userBalance(site, account)).toEqual({ quota: 80, held: 0 });
      await expectProof();
    });

    it('of many calls of many accounts in one batch add up per account', async () => {
      const accounts = await Promise.all([1_000, 2_000, 3_000].map((q) => anAccount(site, q, q)));
      const holds = accounts.flatMap((account) =>
        Array.from({ length: 40 }, (_, index) =>
          hold(account, index + 1, { tokenUnits: index + 1 }),
        ),
      );
      expect(new Set(await apply(...holds))).toEqual(new Set(['done']));
      await apply(...holds.map((held, index) => close(held, index % 7)));
      for (const [index, account] of accounts.entries()) {
        const spent = Array.from({ length: 40 }, (_, n) => (index * 40 + n) % 7);
        const left = (index + 1) * 1_000 - spent.reduce((sum, units) => sum + units, 0);
        expect(await userBalance(site, account)).toEqual({ quota: left, held: 0 });
        expect(await tokenBalance(site, account)).toEqual({ quota: left, held: 0 });
      }
      await expectProof();
    });
  });

  describe('two concurrent pools', () => {
    it('never grant more than the balance, and lose nothing', async () => {
      const account = await anAccount(site, 1_000, 700);
      const second = await openDatabases(site.databases.dsn);
      const pools = [site.databases, second];
      const batches = Array.from({ length: 24 }, (_, index) => ({
        pool: pools[index % 2] ?? second,
        holds: Array.from({ length: 4 }, (_, n) => {
          const units = 5 + ((index * 7 + n * 13) % 40);
          return hold(account, units, { tokenUnits: n % 2 === 0 ? units : 0 });
        }),
      }));
      const outcomes = await Promise.all(
        batches.map(({ pool, holds }) => inTransaction(pool, (tx) => applyBatch(tx.db, holds))),
      );
      const granted = batches.flatMap(({ holds }, at) =>
        holds.filter((_, n) => outcomes[at]?.[n] === 'done'),
      );
      const heldUnits = granted.reduce((sum, one) => sum + one.userUnits, 0);
      expect(heldUnits).toBeGreaterThan(900);
      expect(await userBalance(site, account)).toEqual({ quota: 1_000, held: heldUnits });
      await expectProof();

      await Promise.all(
        granted.map((held, index) =>
          inTransaction(pools[index % 2] ?? second, (tx) => applyBatch(tx.db, [close(held, 3)])),
        ),
      );
      const left = 1_000 - 3 * granted.length;
      expect(await userBalance(site, account)).toEqual({ quota: left, held: 0 });
      expect((await tokenBalance(site, account)).held).toBe(0);
      await expectProof();
      await second.close();
    });

    it('do not deadlock, whichever accounts their batches contain', async () => {
      const accounts = await Promise.all(
        Array.from({ length: 6 }, () => anAccount(site, 100_000, 100_000)),
      );
      const second = await openDatabases(site.databases.dsn);
      const account = (index: number) =>
        accounts[index % accounts.length] ?? { userId: 0, tokenId: 0 };
      let runs = 0;
      const endAndBegin = async (pool: Databases, shift: number) => {
        for (let round = 0; round < 15; round += 1) {
          const operations = [0, 1].flatMap((index) => [
            hold(account(index + shift + round), 2, { tokenUnits: 2 }),
            close(hold(account(index + shift), 1), 1),
          ]);
          await inTransaction(pool, (tx) => {
            runs += 1;
            return applyBatch(tx.db, operations);
          });
        }
      };
      const nodes = [site.databases, second, site.databases, second];
      await Promise.all(nodes.map((pool, index) => endAndBegin(pool, index * 3 + (index % 2))));
      // A transaction that lost a deadlock would have run more than once.
      expect(runs).toBe(nodes.length * 15);
      await expectProof();
      await second.close();
    });

    it('that settle the same calls charge each of them once', async () => {
      const account = await anAccount(site, 1_000);
      const holds = Array.from({ length: 20 }, () => hold(account, 10));
      await apply(...holds);
      const second = await openDatabases(site.databases.dsn);
      const batch = holds.map((held) => close(held, 7));
      const outcomes = await Promise.all(
        [site.databases, second, site.databases, second].map((pool, index) =>
          inTransaction(pool, (tx) =>
            applyBatch(tx.db, index % 2 === 0 ? batch : batch.toReversed()),
          ),
        ),
      );
      expect(outcomes.flat().filter((outcome) => outcome === 'done')).toHaveLength(20);
      expect(await userBalance(site, account)).toEqual({ quota: 860, held: 0 });
      await expectProof();
      await second.close();
    });
  });

  describe('single ledger entries', () => {
    const grant = (userId: number, userUnits: number, key = aRequestId()): Entry => ({
      key,
      cause: 'grant',
      userId,
      userUnits,
      createdAtSec: 1_000,
    });

    it('are posted once per key', async () => {
      const account = await anAccount(site, 100);
      const entry = grant(account.userId, 30);
      expect(await Promise.all([posted(entry), posted(entry), posted(entry)])).toEqual(
        expect.arrayContaining(['done', 'repeat', 'repeat']),
      );
      expect(await userBalance(site, account)).toEqual({ quota: 130, held: 0 });
      await expectProof();
    });

    it('are refused below their minimum free balance, and change nothing', async () => {
      const account = await anAccount(site, 100);
      await apply(hold(account, 60));
      const tooMuch = grant(account.userId, -41);
      expect(await posted(tooMuch, 0)).toBe('short');
      expect(await site.ctx.db('ledger').where({ key: tooMuch.key })).toEqual([]);
      expect(await posted({ ...tooMuch, userUnits: -40 }, 0)).toBe('done');
      expect(await userBalance(site, account)).toEqual({ quota: 60, held: 60 });
      await expectProof();
    });

    it('may make the balance negative without a minimum', async () => {
      const account = await anAccount(site, 10);
      expect(await posted(grant(account.userId, -25))).toBe('done');
      expect(await userBalance(site, account)).toEqual({ quota: -15, held: 0 });
    });

    it('of a refund reduce the used quota', async () => {
      const account = await anAccount(site, 100, 100);
      const held = hold(account, 50, { tokenUnits: 50 });
      await apply(held);
      await apply(close(held, 30));
      const refund = { ...grant(account.userId, 30), cause: 'refund', tokenId: account.tokenId };
      await posted({ ...refund, cause: 'refund', tokenUnits: 30 });
      const user = await site.ctx.db('users').where({ id: account.userId }).first();
      expect(user).toMatchObject({ quota: 100, used_quota: 0, request_count: 1 });
      const token = await site.ctx.db('tokens').where({ id: account.tokenId }).first();
      expect(token).toMatchObject({ remain_quota: 100, used_quota: 0 });
      await expectProof();
    });
  });

  it('the ledger check names the account, the column and both amounts after a manual change', async () => {
    const account = await anAccount(site, 100);
    await site.ctx.db('users').where({ id: account.userId }).update({ quota: 101, held: 7 });
    const proof = await site.as(OPERATOR).ledger.verify({});
    expect(proof.ok).toBe(false);
    expect(proof.differences).toEqual([
      { table: 'users', id: account.userId, column: 'quota', stored: 101, expected: 100 },
      { table: 'users', id: account.userId, column: 'held', stored: 7, expected: 0 },
    ]);
    await site.ctx.db('users').where({ id: account.userId }).update({ quota: 100, held: 0 });
    await expectProof();
  });
});
