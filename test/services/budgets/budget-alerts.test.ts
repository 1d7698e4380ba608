import { describe, expect, it } from 'vitest';
import { inInbox, runJob } from '../../support/alerts.ts';
import { aBudget, aWindow } from '../../support/budgets.ts';
import { databases } from '../../support/databases.ts';
import type { TestUser } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

describe.each(databases)('alerts about budgets on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const run = () => runJob(site.ctx, 'alerts');
  const titles = async (user: TestUser) =>
    (await site.as(user.actor).message.inbox({})).items.map(({ title }) => title);
  /** Spends in the running window as charges do. */
  const spend = async (budgetId: number, spent: number) => {
    await aWindow(site.ctx, budgetId, 0);
    await site.ctx.db('budget_windows').where({ budget_id: budgetId }).update({ spent });
  };

  it('reach the owner once at the warning and once at the limit, from two processes too', async () => {
    const user = await inInbox(site);
    const token = await site.aToken(user, { name: 'ci' });
    const subject = { subject: 'token', subject_id: String(token.id) };
    const id = await aBudget(site.ctx, { ...subject, limit_amount: 100, warn_at: 80 });
    await spend(id, 79);
    await run();
    expect(await titles(user)).toEqual([]);
    await spend(id, 80);
    await Promise.all([run(), run()]);
    expect(await titles(user)).toEqual(['A budget is nearly spent']);
    await spend(id, 100);
    await Promise.all([run(), run()]);
    await run();
    expect((await titles(user)).sort()).toEqual(['A budget is nearly spent', 'A budget is spent']);
  });

  it('reach the owner once at each further level that was asked for', async () => {
    const user = await inInbox(site);
    const token = await site.aToken(user, { name: 'ci' });
    const subject = { subject: 'token', subject_id: String(token.id) };
    const levels = { warn_at: 80, notify_at: '[95,50]' };
    const id = await aBudget(site.ctx, { ...subject, limit_amount: 200, ...levels });
    const counts: number[] = [];
    for (const spent of [99, 100, 120, 159, 160, 189, 190, 199, 200]) {
      await spend(id, spent);
      await Promise.all([run(), run()]);
      counts.push((await titles(user)).length);
    }
    expect(counts).toEqual([0, 1, 1, 1, 2, 2, 3, 3, 4]);
  });

  it('reach super administrators for a budget without an owner, and no one without a level', async () => {
    const admin = await inInbox(site, 100);
    const group = { subject: 'group', subject_id: 'default', limit_amount: 10 };
    await spend(await aBudget(site.ctx, group), 10);
    await run();
    expect(await titles(admin)).toEqual([]);
    const budget = await aBudget(site.ctx, { ...group, warn_at: 50 });
    await spend(budget, 10);
    await run();
    const { items } = await site.as(admin.actor).message.inbox({});
    expect(items).toEqual([
      expect.objectContaining({
        title: 'A budget is spent',
        content: expect.stringMatching(/default \(in total\)[\s\S]*100 %/),
      }),
    ]);
  });

  it('are not sent while the limit is raised', async () => {
    const user = await inInbox(site);
    const subject = { subject: 'user', subject_id: String(user.id) };
    const raised = { raised_amount: 100, raised_until: Math.floor(site.ctx.now() / 1000) + 60 };
    const id = await aBudget(site.ctx, { ...subject, limit_amount: 10, warn_at: 50, ...raised });
    await spend(id, 10);
    await run();
    expect(await titles(user)).toEqual([]);
    site.pass(61);
    await run();
    expect(await titles(user)).toEqual(['A budget is spent']);
  });
});
