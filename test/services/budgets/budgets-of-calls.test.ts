/** Budgets that are managed while calls are made. */
import { describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR } from '../../support/site.ts';

const BODY = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };

describe.each(databases)('managed budgets on $kind', async ({ kind }) => {
  const site = await sharedSite({ database: kind });
  const api = site.as(OPERATOR);

  it('refuse calls from their creation on, until they are raised, disabled or deleted', async () => {
    const token = await site.addToken();
    const call = async () => (await site.call({ key: token.key, body: BODY })).status;
    expect(await call()).toBe(200);
    const subject = { subject: 'token', subject_id: String(token.id) } as const;
    const made = await api.budget.create({
      ...subject,
      measure: 'calls',
      limit_amount: 1,
      period: 'month',
    });
    const { id } = made;
    expect(await call()).toBe(200);
    expect(await call()).toBe(403);
    await site.settled();
    expect(await api.budget.get({ id })).toMatchObject({
      state: 'full',
      spent_amount: 1,
      held_amount: 0,
      left_amount: 0,
    });
    expect((await api.budget.list({ ...subject, state: 'full' })).total).toBe(1);

    expect(await api.budget.raise({ id, amount: 1 })).toMatchObject({ left_amount: 1 });
    expect(await call()).toBe(200);
    expect(await call()).toBe(403);
    await api.budget.edit({ id, status: 2 });
    expect(await call()).toBe(200);
    await api.budget.edit({ id, status: 1 });
    await site.settled();
    const { items } = await api.budget.windows({ id });
    expect(items).toMatchObject([{ is_current: true, measure: 'calls', spent_amount: 2 }]);
    expect(await call()).toBe(403);
    await api.budget.remove({ id });
    expect(await call()).toBe(200);
    await eventually('settled', async () => (await site.verify()).ok || undefined);
  });

  it('count only the calls of their models', async () => {
    const token = await site.addToken();
    const { id } = await api.budget.create({
      subject: 'token',
      subject_id: token.id,
      limit_amount: 1_000_000,
      period: 'day',
      models: ['gpt-4o'],
    });
    await site.call({ key: token.key, body: BODY });
    await site.settled();
    expect(await api.budget.get({ id })).toMatchObject({ spent_amount: 0 });
    await site.call({ key: token.key, body: { ...BODY, model: 'gpt-4o' } });
    await site.settled();
    const { spent_amount, held_amount } = await api.budget.get({ id });
    expect(spent_amount).toBeGreaterThan(0);
    expect(held_amount).toBe(0);
  });
});
