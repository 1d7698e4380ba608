import { describe, expect, it } from 'vitest';
import { openDatabases } from '../../src/store/connection/database.ts';
import type { HoldOperation, Operation } from '../../src/store/ledger/ledger-operations.ts';
import { settleBatch } from '../../src/store/ledger/settlement-batch.ts';
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

const SPOKEN = "it's \\' \\\\ \"quoted\"\n; '); delete from users; -- $1 ? 世界 🌍 \\u0000";

describe.each(databases.filter(({ kind }) => kind !== 'mysql'))(
  'the settlement batch on $kind',
  async ({ kind }) => {
    const site = await sharedLocalSite(kind);

    const run = async (...operations: Operation[]) => {
      const balances = new Map<number, number>();
      const end = await settleBatch(site.ctx, operations, balances);
      const reason = end.kind === 'failed' ? end.reason : undefined;
      return { done: end.kind === 'done', reason, balances };
    };
    const counts = async (requestId: string) => ({
      ledger: (await site.ctx.db('ledger').where({ key: `call:${requestId}` })).length,
      logs: (await site.ctx.db('logs').where({ request_id: requestId })).length,
    });
    const expectProof = async () =>
      expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({
        ok: true,
        differences: [],
      });
    const call = async (quota: number, tokenQuota?: number) => ({
      ...(await anAccount(site, quota, tokenQuota)),
      requestId: aRequestId(),
    });

    it('charges every account once, with its log entries', async () => {
      const one = await call(1_000, 500);
      const other = await call(2_000);
      const again = { ...one, requestId: aRequestId() };
      const operations = [one, other, again].map((made) =>
        close(made, 30, { logs: [aLog(made.requestId, made)], tokenUsedAtSec: 77 }),
      );
      expect((await run(...operations)).done).toBe(true);
      expect(await userBalance(site, one)).toMatchObject({ quota: 940 });
      expect(await userBalance(site, other)).toMatchObject({ quota: 1_970 });
      const tokens = await site.ctx.db('tokens').whereIn('id', [one.tokenId]);
      expect(tokens).toMatchObject([{ remain_quota: 440, used_quota: 60, accessed_time: 77 }]);
      expect(await counts(again.requestId)).toEqual({ ledger: 1, logs: 1 });
      await expectProof();
    });

    it.each([
      [939.5, false],
      [940, false],
      [940.5, true],
      [1_000, true],
      [1_000.5, false],
    ])(
      'reports a balance that falls from 1,000 to 940 only if it crosses %d: %s',
      async (warnBelow, goes) => {
        const account = await anAccount(site, 1_000);
        const ends = [1, 2].map(() => {
          const made = { ...account, requestId: aRequestId() };
          return close(made, 30, { warnBelow });
        });
        const { done, reason, balances } = await run(close(await call(50), 10), ...ends);
        const isLeft = kind === 'sqlite' && goes;
        expect(done).toBe(!isLeft);
        expect(reason).toBe(isLeft ? 'check_failed' : undefined);
        if (done && goes) expect(balances.get(account.userId)).toBe(940);
        expect(await userBalance(site, account)).toMatchObject({ quota: isLeft ? 1_000 : 940 });
      },
    );

    it.each([
      ['alone', [SPOKEN]],
      ['beside others', [SPOKEN, 'NULL', '', '{"a","b"}', ' , ']],
    ])('keeps every text unchanged, %s', async (_how, texts) => {
      const ends = [];
      for (const text of texts) {
        const made = await call(100);
        const charge = { ...aCharge(made.requestId, made, 1), detail: text };
        const logs = [aLog(made.requestId, made, { token_name: text, other: text })];
        ends.push(close(made, 1, { charge, logs }));
      }
      expect((await run(...ends)).done).toBe(true);
      for (const [index, { requestId }] of ends.entries()) {
        const [log] = await site.ctx.db('logs').where({ request_id: requestId });
        const [row] = await site.ctx.db('ledger').where({ key: `call:${requestId}` });
        const text = texts[index];
        expect([log.token_name, log.other, row.detail]).toEqual([text, text, text]);
      }
    });

    it('does not release a hold twice in one batch', async () => {
      const account = await anAccount(site, 100);
      const [twice, other] = [hold(account, 30), hold(account, 20)];
      expect((await run(twice, other)).done).toBe(true);
      const refused = await run(close(twice), close(twice), close(other));
      expect(refused).toMatchObject({ done: false, reason: 'check_failed' });
      expect(await userBalance(site, account)).toEqual({ quota: 100, held: 50 });
    });

    it('writes nothing of a batch with a repeat, and the connection remains usable', async () => {
      const made = await call(100);
      const before = close(made, 10);
      expect((await run(before)).done).toBe(true);
      const fresh = { ...made, requestId: aRequestId() };
      const next = close(fresh, 10, { logs: [aLog(fresh.requestId, fresh)] });
      expect(await run(next, before)).toMatchObject({ done: false, reason: 'repeat' });
      expect(await run(next, next)).toMatchObject({ done: false, reason: 'repeat' });
      expect(await counts(fresh.requestId)).toEqual({ ledger: 0, logs: 0 });
      expect(await userBalance(site, made)).toMatchObject({ quota: 90 });
      expect((await run(next)).done).toBe(true);
      await expectProof();
    });

    it('makes and releases holds', async () => {
      const account = await anAccount(site, 100, 80);
      const [ended, failed, next] = [30, 20, 40].map((units) =>
        hold(account, units, { tokenUnits: units }),
      ) as [HoldOperation, HoldOperation, HoldOperation];
      expect((await run(ended, failed)).done).toBe(true);
      expect(await userBalance(site, account)).toEqual({ quota: 100, held: 50 });
      expect((await run(close(ended, 35), close(failed), next)).done).toBe(true);
      expect(await userBalance(site, account)).toEqual({ quota: 65, held: 40 });
      expect(await tokenBalance(site, account)).toEqual({ quota: 45, held: 40 });
      const [row] = await site.ctx.db('holds').where({ user_id: account.userId });
      const { requestId: request_id, node, createdAtSec: created_at } = next;
      expect(row).toMatchObject({ request_id, node, created_at, user_units: 40, token_units: 40 });
      const nowSec = Date.now() / 1000;
      expect(Math.abs(Number(row.expires_at) - next.lifetimeSec - nowSec)).toBeLessThan(60);
      await expectProof();
    });

    it.each([
      ['the user does not cover', async () => hold(await anAccount(site, 9), 10)],
      [
        'the token does not cover',
        async () => hold(await anAccount(site, 100, 9), 10, { tokenUnits: 10 }),
      ],
      ['belongs to no user', async () => hold({ userId: 999_999, tokenId: 0 }, 10)],
      ['was released before', async () => close(hold(await anAccount(site, 100), 10))],
      [
        'had other amounts',
        async () => {
          const made = hold(await anAccount(site, 100), 10);
          expect((await run(made)).done).toBe(true);
          return close({ ...made, userUnits: 11 });
        },
      ],
    ])('writes nothing of a batch with a hold that %s', async (_what, make) => {
      const other = await call(100);
      const batch = [close(other, 10), await make()];
      expect(await run(...batch)).toMatchObject({ done: false, reason: 'check_failed' });
      expect(await counts(other.requestId)).toEqual({ ledger: 0, logs: 0 });
      await expectProof();
    });

    it.each([['a text that no script can hold', async () => [withNull(await call(100))]]])(
      'leaves %s to the general method',
      async (_what, make) => {
        const operations: Operation[] = await make();
        expect(await run(...operations)).toMatchObject({ done: false, reason: undefined });
        for (const { requestId } of operations)
          expect(await counts(requestId)).toEqual({ ledger: 0, logs: 0 });
      },
    );

    // Not skipped elsewhere: only PostgreSQL has the setting.
    if (kind !== 'postgres') return;
    it('does not interpret escapes that the server would', async () => {
      const [{ name }] = (await site.ctx.db.raw('select current_database() as name')).rows;
      await site.ctx.db.raw('alter database ?? set standard_conforming_strings = off', [name]);
      const old = await openDatabases(site.databases.dsn);
      try {
        const made = await call(100);
        const charge = { ...aCharge(made.requestId, made, 1), detail: SPOKEN };
        const operation = close(made, 1, { charge });
        expect(await settleBatch(old, [operation], new Map())).toEqual({ kind: 'done' });
        expect(await site.ctx.db('ledger').where({ key: charge.key }).pluck('detail')).toEqual([
          SPOKEN,
        ]);
      } finally {
        await old.close();
      }
    });
  },
);

function withNull(made: { requestId: string; userId: number; tokenId: number }) {
  return close(made, 1, { logs: [aLog(made.requestId, made, { other: 'a\0b' })] });
}
