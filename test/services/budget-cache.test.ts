import { describe, expect, it } from 'vitest';
import { BudgetCache, type CallSubjects } from '../../src/services/cache/budget-cache.ts';
import { writing } from '../../src/services/cluster/announced-write.ts';
import { announceChange } from '../../src/store/tables/changes-table.ts';
import { aBudget, windowsOf } from '../support/budgets.ts';
import { databases } from '../support/databases.ts';
import { sharedLocalSite } from '../support/shared-site.ts';

const DAY_SEC = 86_400;
const CALL: CallSubjects = { token: '1', user: '2', group: 'vip', channel: '3', model: 'dear' };

describe.each(databases)('the budgets that a process knows on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const budgets = new BudgetCache(site.ctx);
  await budgets.load();

  const idsOf = (subjects: CallSubjects, model = 'dear') =>
    budgets.of(subjects, model).map(({ id }) => id);
  const edit = (id: number, fields: object | 'delete') =>
    writing(site.ctx, async ({ db }) => {
      const row = db('budgets').where({ id });
      await (fields === 'delete' ? row.delete() : row.update(fields));
      await announceChange(db, 'budgets', id);
    });

  it('are those of the subjects and models of a call, and follow every change', async () => {
    expect(budgets.isEmpty).toBe(true);
    const ofUser = await aBudget(site.ctx, { subject: 'user', subject_id: '2', limit_amount: 5 });
    const ofModels = await aBudget(site.ctx, { models: '["dear"]', limit_amount: 5 });
    const instead = { on_full: 'downgrade', downgrade_model: 'cheap' };
    const ofChannel = { subject: 'channel', subject_id: '3' };
    const downgrading = await aBudget(site.ctx, { ...ofChannel, ...instead, limit_amount: 5 });
    expect(idsOf(CALL)).toEqual([ofUser, downgrading, ofModels]);
    expect(idsOf(CALL, 'cheap')).toEqual([ofUser]);
    expect(idsOf({ ...CALL, user: '3', channel: undefined })).toEqual([ofModels]);

    await edit(ofUser, { subject_id: '3' });
    await edit(downgrading, { status: 2 });
    expect(idsOf(CALL)).toEqual([ofModels]);
    expect(idsOf({ ...CALL, user: '3' })).toEqual([ofUser, ofModels]);
    for (const id of [ofUser, ofModels, downgrading]) await edit(id, 'delete');
    expect(budgets.isEmpty).toBe(true);
  });

  it('have one window for nodes whose clocks are days apart', async () => {
    const id = await aBudget(site.ctx, { period: 'day', limit_amount: 5 });
    // The clock of the site is some days behind that of the database, then some days ahead.
    const open = async () => (await budgets.windowsOf(budgets.of(CALL, 'dear')))[0]?.span;
    const behind = await open();
    site.pass(30 * DAY_SEC);
    const ahead = await open();
    site.pass(-30 * DAY_SEC);
    const restarted = new BudgetCache(site.ctx);
    await restarted.load();
    const other = await restarted.windowsOf(restarted.of(CALL, 'dear'));
    expect(ahead).toEqual(behind);
    expect(other[0]?.span).toEqual(behind);
    expect(await windowsOf(site.ctx, id)).toHaveLength(1);
    await edit(id, 'delete');
  });

  it('keep what a window has used for a second, unless the budget changes', async () => {
    const id = await aBudget(site.ctx, { limit_amount: 5 });
    const counted = await budgets.windowsOf(budgets.of(CALL, 'dear'));
    const spent = async () => (await budgets.recentStandings(counted))[0]?.spent;
    const spend = (units: number) =>
      site.ctx.db('budget_windows').where({ budget_id: id }).update({ spent: units });
    await spend(2);
    expect(await spent()).toBe(2);
    await spend(3);
    expect(await spent()).toBe(2);
    site.pass(1);
    expect(await spent()).toBe(3);
    await spend(4);
    await edit(id, { limit_amount: 9 });
    expect(await spent()).toBe(4);
    await edit(id, 'delete');
  });

  it('run in turn for calls that share a window, and at once for others', async () => {
    const ids = [
      await aBudget(site.ctx, { limit_amount: 5 }),
      await aBudget(site.ctx, { limit_amount: 5 }),
    ];
    const [one, two] = await budgets.windowsOf(budgets.of(CALL, 'dear'));
    if (one === undefined || two === undefined) throw new Error('there are two budgets');
    const order: string[] = [];
    let finish = () => {};
    let first = Promise.resolve();
    await new Promise<void>((begun) => {
      first = budgets.inTurn([one, two], async () => {
        begun();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        order.push('first');
      });
    });
    const second = budgets.inTurn([two], async () => void order.push('second'));
    await budgets.inTurn([], async () => void order.push('free'));
    finish();
    await Promise.all([first, second]);
    expect(order).toEqual(['free', 'first', 'second']);
    await expect(budgets.inTurn([one], () => Promise.reject(new Error('refused')))).rejects.toThrow(
      'refused',
    );
    expect(await budgets.inTurn([one], async () => 'next')).toBe('next');
    for (const id of ids) await edit(id, 'delete');
  });
});
