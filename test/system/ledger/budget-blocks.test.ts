import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recallBlocks } from '../../../src/relay/billing/recalled-blocks.ts';
import { BudgetCache, type CountedBudget } from '../../../src/services/cache/budget-cache.ts';
import { Credit, type Trust } from '../../../src/services/cache/credit-cache.ts';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import { aBudget, type BudgetFields, windowsOf } from '../../support/budgets.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { eventually } from '../../support/site.ts';
import { type Account, aCharge, anAccount, hold, userBalance } from './operations.ts';

const OPENING = 1_000_000;

describe.each(databases)('blocks in windows of budgets on $kind', async ({ kind }) => {
  let account: Account;
  let credit: Credit;
  const site = await sharedLocalSite(kind);
  const budgets = new BudgetCache(site.ctx);
  await budgets.load();
  beforeEach(async () => {
    account = await anAccount(site, OPENING);
    credit = new Credit(site.ctx);
  });
  afterEach(() => credit.close());

  const call = { units: 10, tokens: 20 };
  const ofUser = (fields: BudgetFields) =>
    aBudget(site.ctx, { subject: 'user', subject_id: String(account.userId), ...fields });
  const counted = async (): Promise<readonly CountedBudget[]> => {
    const subjects = { token: undefined, group: undefined, channel: undefined, model: undefined };
    return budgets.windowsOf(budgets.of({ ...subjects, user: String(account.userId) }, 'model'));
  };
  const spender = () => ({ userId: account.userId, tokenId: 0 });
  const trust = (on: readonly CountedBudget[], by = credit) => by.trust(spender(), call, on);
  /** Makes calls until one runs on a block. */
  const place = (on: readonly CountedBudget[], by = credit): Promise<Trust> =>
    eventually('a block was reserved', () => trust(on, by));
  const charge = async (trusted: Trust, units: number) => {
    const entry = aCharge(crypto.randomUUID(), account, units);
    const windows = trusted.windows?.map(({ budgetId, startsAtSec, measure }) => {
      return { budgetId, startsAtSec, amount: { units, tokens: 15, calls: 1 }[measure] };
    });
    const requestId = entry.key;
    const settled = { ...entry, tokenUnits: 0, windows };
    await site.ctx.ledger.close({ kind: 'close', requestId, charge: settled, logs: [] });
    credit.release(trusted, { units, tokens: 15 });
  };
  const verified = async () => (await site.as(OPERATOR).ledger.verify({ full: true })).differences;

  it('hold a tenth of what is free in each window, for at most 256 calls', async () => {
    const small = await ofUser({ limit_amount: 2_000 });
    const large = await ofUser({ limit_amount: 900_000, period: 'day' });
    const calls = await ofUser({ limit_amount: 1_000, measure: 'calls' });
    const tokens = await ofUser({ limit_amount: 600_000, measure: 'tokens' });
    await place(await counted());
    for (const [id, held] of [
      [small, 200],
      [large, 200],
      [calls, 100],
      [tokens, 256 * 20],
    ] as const)
      expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held }]);
    expect(await userBalance(site, account)).toMatchObject({ held: 200 });
    expect(await verified()).toEqual([]);
  });

  it('let no more through than they hold, in any measure', async () => {
    const calls = await ofUser({ limit_amount: 100, measure: 'calls' });
    const units = await ofUser({ limit_amount: 1_000_000 });
    const on = await counted();
    const trusted = [await place(on)];
    for (let made = trust(on); made !== undefined; made = trust(on)) trusted.push(made);
    expect(trusted).toHaveLength(10);
    for (const one of trusted) await charge(one, 7);
    expect(await windowsOf(site.ctx, units)).toMatchObject([{ spent: 70 }]);
    expect(await windowsOf(site.ctx, calls)).toMatchObject([{ spent: 10 }]);
    expect(await verified()).toEqual([]);
  });

  it('are not opened where the call is large, or blocks hold half of the window', async () => {
    const id = await ofUser({ limit_amount: 399 });
    const on = await counted();
    for (const _call of [1, 2, 3]) expect(trust(on)).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 0 }]);
    const half = await ofUser({ limit_amount: 2_000 });
    const windows = (await counted()).map(({ budget, span: { startsAtSec } }) => {
      const amount = budget.id === half ? 1_000 : 0;
      return { budgetId: budget.id, startsAtSec, measure: 'units' as const, amount };
    });
    expect(await site.ctx.ledger.hold(hold(account, 1_000, { windows }))).toBe('done');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(trust(await counted())).toBeUndefined();
  });

  it('charge the window in which a call started, and end with it', async () => {
    const id = await ofUser({ limit_amount: 10_000 });
    const before = await place(await counted());
    await writing(site.ctx, async ({ db }) => {
      await db('budget_windows').where({ budget_id: id }).update({ ends_at: 2_000 });
      await announceChange(db, 'budgets', id);
    });
    const on = await counted();
    expect(trust(on)).toBeUndefined();
    const after = await place(on);
    await charge(before, 8);
    await charge(after, 9);
    await eventually('the first block is given back', async () => {
      const [first, second] = await windowsOf(site.ctx, id);
      expect(first?.spent).toBe(8);
      expect(second?.spent).toBe(9);
      return first?.held === 0;
    });
    expect(await verified()).toEqual([]);
  });

  it('end when a limit is changed', async () => {
    const id = await ofUser({ limit_amount: 10_000 });
    credit.release(await place(await counted()), undefined);
    await writing(site.ctx, async ({ db }) => {
      await db('budgets').where({ id }).update({ limit_amount: 5 });
      await announceChange(db, 'budgets', id);
    });
    expect(trust(await counted())).toBeUndefined();
    await eventually('given back', async () => (await windowsOf(site.ctx, id))[0]?.held === 0);
  });

  it('of all processes give back what their running calls do not need', async () => {
    const id = await ofUser({ limit_amount: 10_000 });
    const other = new Credit({ ...site.ctx, node: 'other' });
    const on = await counted();
    const mine = await place(on);
    await place(on, other);
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 1_000 + 900 }]);
    await writing(site.ctx, ({ db }) => announceChange(db, 'budget_blocks', id));
    await eventually('given back', async () => (await windowsOf(site.ctx, id))[0]?.held === 20);
    expect(trust(on)).toBeUndefined();
    await charge(mine, 10);
    await eventually('released', async () => (await windowsOf(site.ctx, id))[0]?.held === 10);
    expect(await verified()).toEqual([]);
    await other.close();
  });

  it('of another process give back what a call needs that would be refused', async () => {
    const id = await ofUser({ limit_amount: 10_000 });
    const other = new Credit({ ...site.ctx, node: 'other' });
    const on = await counted();
    const recall = (units: number) => {
      const relay = { ctx: site.ctx, budgets, credit };
      return recallBlocks(relay, { budgetShort: id }, { counted: on }, { units, tokens: 0 });
    };
    expect(await recall(9_990)).toBe(false);
    await place(on, other);
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 1_000 }]);
    expect(await recall(9_990)).toBe(true);
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 10 }]);
    expect(await recall(9_991)).toBe(false);
    await other.close();
  });

  it('are lowered once, also if the operation is repeated', async () => {
    const one = hold(account, 500);
    await site.ctx.ledger.hold(one);
    const lower = {
      kind: 'shrink',
      requestId: one.requestId,
      to: { ...one, userUnits: 70 },
    } as const;
    for (const _time of [1, 2]) {
      await site.ctx.ledger.shrink(lower);
      expect(await userBalance(site, account)).toMatchObject({ held: 70 });
    }
    await site.ctx.ledger.close({ kind: 'close', requestId: one.requestId, hold: one, logs: [] });
    await site.ctx.ledger.shrink(lower);
    expect(await userBalance(site, account)).toMatchObject({ held: 0 });
  });
});
