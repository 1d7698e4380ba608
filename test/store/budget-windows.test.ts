import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HeldWindow } from '../../src/domain/budgets/budget.ts';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { releaseHoldsOf } from '../../src/store/ledger/holds.ts';
import { applyBatch, post } from '../../src/store/ledger/ledger.ts';
import type {
  HoldOperation,
  Operation,
  Outcome,
} from '../../src/store/ledger/ledger-operations.ts';
import { openBudgetWindow } from '../../src/store/ledger/open-budget-window.ts';
import { settleBatch } from '../../src/store/ledger/settlement-batch.ts';
import { aBudget, aWindow, windowsOf } from '../support/budgets.ts';
import { databases } from '../support/databases.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import {
  aCharge,
  anAccount,
  aRequestId,
  close,
  hold,
  userBalance,
} from '../system/ledger/operations.ts';

describe.each(databases)('windows of budgets on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const account = await anAccount(site, 1_000_000);

  /** By statements, which decide everything; by the script, which commits what has room. */
  const apply = (...operations: Operation[]) =>
    inTransaction(site.ctx, ({ db }) => applyBatch(db, operations));
  const script = async (...operations: Operation[]) =>
    (await settleBatch(site.ctx, operations, new Map())).kind;
  const holdOf = (units: number, ...windows: HeldWindow[]): HoldOperation =>
    hold(account, units, { windows });
  const charged = (call: HoldOperation, units: number) =>
    close(call, undefined, {
      charge: {
        ...aCharge(call.requestId, call, units),
        windows: (call.windows ?? []).map((window) => ({ ...window, amount: units })),
      },
    });
  const edit = (id: number, fields: object) => site.ctx.db('budgets').where({ id }).update(fields);

  it.each(['statements', 'script'] as const)(
    'count a call while it runs and what it cost, by %s',
    async (way) => {
      if (kind === 'mysql' && way === 'script') return expect(await script()).toBe('unsuited');
      const commit = async (...operations: Operation[]) =>
        way === 'script'
          ? expect(await script(...operations)).toBe('done')
          : expect(await apply(...operations)).toEqual(operations.map(() => 'done'));
      const [one, other] = [await aBudget(site.ctx, { limit_amount: 100 }), 0];
      const two = await aBudget(site.ctx, { limit_amount: 100, measure: 'calls' });
      const first = holdOf(60, await aWindow(site.ctx, one, 60), await aWindow(site.ctx, two, 1));
      const second = holdOf(40, await aWindow(site.ctx, one, 40));
      await commit(first, second);
      expect(await windowsOf(site.ctx, one)).toEqual([{ spent: other, held: 100 }]);
      expect(await windowsOf(site.ctx, two)).toEqual([{ spent: 0, held: 1 }]);
      await commit(charged(first, 25), close(second));
      expect(await windowsOf(site.ctx, one)).toEqual([{ spent: 25, held: 0 }]);
      const key = `call:${first.requestId}`;
      const entry = await site.ctx.db('ledger').where({ key }).first('windows');
      expect(JSON.parse(entry.windows)).toHaveLength(2);
    },
  );

  it('get back what the database holds, if a hold shrank before it ends', async () => {
    const id = await aBudget(site.ctx, { limit_amount: 100, measure: 'calls' });
    const window = await aWindow(site.ctx, id, 80);
    const block = holdOf(60, window);
    const to = { ...block, windows: [{ ...window, amount: 3 }] };
    expect(await apply(block)).toEqual(['done']);
    await apply({ kind: 'shrink', requestId: block.requestId, to });
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 3 }]);
    if (kind !== 'mysql') expect(await script(close(block))).toBe('failed');
    expect(await apply(close(block))).toEqual(['done']);
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 0 }]);
  });

  it('refuse what they have no room for and nothing else, in order', async () => {
    const tight = await aBudget(site.ctx, { limit_amount: 100 });
    const wide = await aBudget(site.ctx, { limit_amount: 1_000 });
    const both = async (units: number) =>
      holdOf(units, await aWindow(site.ctx, tight, units), await aWindow(site.ctx, wide, units));
    const holds = [await both(70), await both(31), await both(30), await both(0), await both(1)];
    const before = await userBalance(site, account);
    const short = { budgetShort: tight };
    expect(await apply(...holds)).toEqual(['done', short, 'done', 'done', short]);
    expect(await windowsOf(site.ctx, tight)).toEqual([{ spent: 0, held: 100 }]);
    expect(await windowsOf(site.ctx, wide)).toEqual([{ spent: 0, held: 100 }]);
    expect(await userBalance(site, account)).toEqual({ ...before, held: before.held + 100 });
    if (kind !== 'mysql') expect(await script(await both(1))).toBe('failed');
    // What a batch releases is free for the holds of the same batch.
    expect(await apply(await both(70), charged(holds[0] ?? holdOf(0), 30))).toEqual([
      short,
      'done',
    ]);
    expect(await apply(await both(40))).toEqual(['done']);
  });

  it('follow a limit that was lowered, raised for a time, or is only counted', async () => {
    const id = await aBudget(site.ctx, { limit_amount: 100 });
    const one = async (units: number) => apply(holdOf(units, await aWindow(site.ctx, id, units)));
    expect(await one(60)).toEqual(['done']);
    await edit(id, { limit_amount: 50 });
    expect(await one(1)).toEqual([{ budgetShort: id }]);
    await edit(id, { raised_amount: 20, raised_until: 4_000_000_000 });
    expect(await one(11)).toEqual([{ budgetShort: id }]);
    expect(await one(10)).toEqual(['done']);
    await edit(id, { raised_until: 1_000 });
    expect(await one(1)).toEqual([{ budgetShort: id }]);
    await edit(id, { shadow: true });
    expect(await one(500)).toEqual(['done']);
    await edit(id, { shadow: false, status: 2 });
    expect(await one(500)).toEqual(['done']);
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 1_070 }]);
  });

  it('of a deleted budget refuse and count nothing', async () => {
    const id = await aBudget(site.ctx, { limit_amount: 100 });
    const running = holdOf(60, await aWindow(site.ctx, id, 60));
    expect(await apply(running)).toEqual(['done']);
    await site.ctx.db('budgets').where({ id }).delete();
    await site.ctx.db('budget_windows').where({ budget_id: id }).delete();
    const late = holdOf(900, { budgetId: id, startsAtSec: 1, measure: 'units', amount: 900 });
    expect(await apply(late, charged(running, 60))).toEqual(['done', 'done']);
    expect(await inTransaction(site.ctx, ({ db }) => openBudgetWindow(db, id))).toBeUndefined();
  });

  it('are released when the node of a call is gone, and refunded by name', async () => {
    const id = await aBudget(site.ctx, { limit_amount: 100 });
    const window = await aWindow(site.ctx, id, 60);
    const lost = holdOf(60, window);
    await apply(lost);
    await inTransaction(site.ctx, ({ db }) => releaseHoldsOf(db, [lost.requestId]));
    await inTransaction(site.ctx, ({ db }) => releaseHoldsOf(db, [lost.requestId]));
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 0, held: 0 }]);
    const charge = { ...aCharge(aRequestId(), account, 50), windows: [{ ...window, amount: 50 }] };
    const refund = {
      ...aCharge(aRequestId(), account, -20),
      cause: 'refund' as const,
      windows: [{ ...window, amount: -20 }],
    };
    for (const entry of [charge, refund, refund])
      await inTransaction(site.ctx, ({ db }) => post(db, entry));
    expect(await windowsOf(site.ctx, id)).toEqual([{ spent: 30, held: 0 }]);
  });

  it('are opened once by many nodes, and never overlap', async () => {
    const id = await aBudget(site.ctx, { limit_amount: 1, period: '5h', anchor: 'first_use' });
    const opened = await Promise.all(
      Array.from({ length: 8 }, () =>
        inTransaction(site.ctx, ({ db }) => openBudgetWindow(db, id)),
      ),
    );
    expect(new Set(opened.map((span) => span?.startsAtSec)).size).toBe(1);
    expect(await windowsOf(site.ctx, id)).toHaveLength(1);
    // A shorter period ends the running window.
    const startsAtSec = (opened[0]?.startsAtSec ?? 0) - 7_200;
    await site.ctx.db('budget_windows').where({ budget_id: id }).update({ starts_at: startsAtSec });
    await edit(id, { period: 'hour', anchor: 'calendar' });
    const next = await inTransaction(site.ctx, ({ db }) => openBudgetWindow(db, id));
    const rows = await site.ctx.db('budget_windows').where({ budget_id: id }).orderBy('starts_at');
    expect(rows.map((row) => Number(row.starts_at))).toEqual([startsAtSec, next?.startsAtSec]);
    expect(Number(rows[0].ends_at)).toBe(next?.startsAtSec);
  });

  it('are compared with the entries and holds that name them', async () => {
    const verify = () => site.as(OPERATOR).ledger.verify({ full: true });
    const id = await aBudget(site.ctx, { limit_amount: 100 });
    const running = holdOf(10, await aWindow(site.ctx, id, 10));
    const ended = holdOf(20, await aWindow(site.ctx, id, 20));
    await apply(running, ended);
    await apply(charged(ended, 15));
    expect(await verify()).toMatchObject({ ok: true, differences: [] });
    await site.ctx.db('budget_windows').where({ budget_id: id }).update({ spent: 16, held: 11 });
    const { differences } = await verify();
    expect(differences).toMatchObject([
      { table: 'budget_windows', id, stored: 16, expected: 15 },
      { table: 'budget_windows', id, stored: 11, expected: 10 },
    ]);
    await site.ctx.db('budget_windows').where({ budget_id: id }).update({ spent: 15, held: 10 });
  });

  it('are never exceeded, and are used up, by batches of several processes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ units: fc.integer({ min: 1, max: 30 }), of: fc.nat(2) }), {
          minLength: 20,
          maxLength: 40,
        }),
        async (calls) => {
          const budgets = await Promise.all(
            [100, 150, 200].map((limit_amount) => aBudget(site.ctx, { limit_amount })),
          );
          const granted: HoldOperation[] = [];
          const batches = [0, 1, 2, 3].map((at) =>
            calls.filter((_call, index) => index % 4 === at),
          );
          await Promise.all(
            batches.map(async (batch) => {
              const holds = await Promise.all(
                batch.map(async ({ units, of }) => {
                  const ids = budgets.filter((_id, index) => index !== of).reverse();
                  const windows = ids.map((id) => aWindow(site.ctx, id, units));
                  return holdOf(units, ...(await Promise.all(windows)));
                }),
              );
              const outcomes: Outcome[] = await apply(...holds);
              granted.push(...holds.filter((_hold, index) => outcomes[index] === 'done'));
              await apply(...granted.splice(0, 1).map((call) => charged(call, call.userUnits)));
            }),
          );
          for (const [index, id] of budgets.entries()) {
            const [window] = await windowsOf(site.ctx, id);
            const { spent = 0, held = 0 } = window ?? {};
            expect(spent + held).toBeLessThanOrEqual([100, 150, 200][index] ?? 0);
            const running = granted.flatMap(({ windows = [] }) =>
              windows.filter(({ budgetId }) => budgetId === id),
            );
            expect(held).toBe(running.reduce((sum, { amount }) => sum + amount, 0));
          }
          await apply(...granted.map((call) => close(call)));
        },
      ),
      { numRuns: 5 },
    );
  });
});
