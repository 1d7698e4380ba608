import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/domain/errors/errors.ts';
import { databases } from '../../support/databases.ts';
import { type Clients, OPERATOR, type TestUser } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

/** The clock of the site stands still at this moment. */
const NOON = Date.UTC(2026, 10, 21, 12) / 1000;
const DAY = 86_400;
const MIDNIGHT = NOON - DAY / 2;
const DAILY = { limit_amount: 1000, period: 'day' } as const;

type NewBudget = Partial<Parameters<Clients['budget']['create']>[0]>;

describe.each(databases)('budgets on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const operator = site.as(OPERATOR);
  const owner = await site.aUser();
  const own = site.as(owner.actor);
  const tokenId = (await site.aToken(owner, { name: 'ci' })).id;

  const make = (fields: NewBudget = {}, api = operator) =>
    api.budget.create({ ...DAILY, subject: 'token', subject_id: tokenId, ...fields });
  /** A window as the ledger stores it. */
  const use = (id: number, amounts: { spent: number; held?: number }, starts_at = MIDNIGHT) =>
    site.ctx
      .db('budget_windows')
      .insert({ budget_id: id, starts_at, ends_at: starts_at + DAY, ...amounts });
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: AppError) => error,
    );

  it('show the window of today before any call', async () => {
    const made = await make();
    expect(made).toMatchObject({
      subject: 'token',
      subject_id: String(tokenId),
      subject_name: 'ci',
      username: owner.username,
      measure: 'units',
      state: 'ok',
      starts_at: MIDNIGHT,
      resets_at: MIDNIGHT + DAY,
      spent_amount: 0,
      held_amount: 0,
      left_amount: 1000,
      created_by: 0,
      created_at: NOON,
    });
    expect(await operator.budget.get({ id: made.id })).toEqual(made);
  });

  it('show what their window has spent, holds and has left', async () => {
    const { id } = await make({ warn_at: 60 });
    await use(id, { spent: 300, held: 400 });
    expect(await operator.budget.get({ id })).toMatchObject({
      state: 'ok',
      spent_amount: 300,
      held_amount: 400,
      left_amount: 300,
    });
  });

  it('are listed by the state of their current window', async () => {
    const subject = { subject: 'model', subject_id: 'states' } as const;
    const ids: Record<string, number> = {};
    for (const [state, spent] of [
      ['ok', 799],
      ['near', 800],
      ['full', 1000],
    ] as const) {
      const { id } = await make(subject);
      await use(id, { spent });
      ids[state] = id;
    }
    const unused = await make(subject);
    // Full yesterday.
    await use(unused.id, { spent: 1000 }, MIDNIGHT - DAY);
    const listed = async (state: 'ok' | 'near' | 'full') => {
      const { items } = await operator.budget.list({ ...subject, state });
      expect(items.every((item) => item.state === state)).toBe(true);
      return items.map(({ id }) => id).reverse();
    };
    expect(await listed('ok')).toEqual([ids.ok, unused.id]);
    expect(await listed('near')).toEqual([ids.near]);
    expect(await listed('full')).toEqual([ids.full]);
  });

  it('are found by the name of their subject, and of the owner of a token', async () => {
    const user = await site.aUser({ username: 'finder%7' });
    const channel = await site.aChannel({ name: 'Finder channel' });
    const token = await site.aToken(user, { name: 'plain' });
    const ids = [
      (await make({ subject: 'model', subject_id: 'finder-model' })).id,
      (await make({ subject: 'channel', subject_id: channel.id })).id,
      (await make({ subject: 'user', subject_id: user.id })).id,
      (await make({ subject: 'token', subject_id: token.id })).id,
    ];
    const found = async (keyword: string, subject?: 'token') =>
      (await operator.budget.list({ keyword, subject })).items.map(({ id }) => id).reverse();
    expect(await found('FINDER')).toEqual(ids);
    expect(await found('finder', 'token')).toEqual(ids.slice(3));
    expect(await found('finder%')).toEqual(ids.slice(2));
    expect(await found('plain')).toEqual(ids.slice(3));
    expect(await found('no such')).toEqual([]);
  });

  it('begin their windows with a call if they are anchored there', async () => {
    const made = await make({ anchor: 'first_use', period: '5h' });
    expect(made).toMatchObject({ starts_at: 0, resets_at: 0, left_amount: 1000 });
    const ends_at = NOON + 3600;
    await site.ctx
      .db('budget_windows')
      .insert({ budget_id: made.id, starts_at: ends_at - 5 * 3600, ends_at, spent: 10 });
    expect(await operator.budget.get({ id: made.id })).toMatchObject({
      starts_at: ends_at - 5 * 3600,
      resets_at: ends_at,
      left_amount: 990,
    });
  });

  it('never reset if they count in total', async () => {
    expect(await make({ period: 'total' })).toMatchObject({ starts_at: NOON, resets_at: 0 });
  });

  it('list their windows, the latest first', async () => {
    const { id } = await make();
    await use(id, { spent: 1 }, MIDNIGHT - DAY);
    await use(id, { spent: 2, held: 3 });
    const { items, total } = await operator.budget.windows({ id });
    const [today, yesterday] = items;
    expect(total).toBe(2);
    expect(today).toEqual({
      starts_at: MIDNIGHT,
      resets_at: MIDNIGHT + DAY,
      measure: 'units',
      spent_amount: 2,
      held_amount: 3,
      is_current: true,
    });
    expect(yesterday).toMatchObject({ spent_amount: 1, is_current: false });
  });

  it('are raised until the end of the window, or until a time', async () => {
    const { id } = await make();
    expect(await operator.budget.raise({ id, amount: 500 })).toMatchObject({
      raised_amount: 500,
      raised_until: MIDNIGHT + DAY,
      left_amount: 1500,
    });
    const until = NOON + 60;
    expect(await operator.budget.raise({ id, amount: 7, until })).toMatchObject({
      raised_until: until,
      left_amount: 1007,
    });
    expect(await operator.budget.raise({ id, amount: 0 })).toMatchObject({
      raised_amount: 0,
      raised_until: 0,
      left_amount: 1000,
    });
    const past = await refusal(operator.budget.raise({ id, amount: 1, until: NOON }));
    expect(past).toMatchObject({ code: 'input_invalid', param: 'until' });
  });

  it('change the given fields, unless another has changed them meanwhile', async () => {
    const { id } = await make();
    const edited = await operator.budget.edit({
      id,
      limit_amount: 50,
      on_full: 'downgrade',
      downgrade_model: 'gpt-4o-mini',
      models: ['gpt-4o'],
      before: { limit_amount: 1000, models: [] },
    });
    expect(edited).toMatchObject({ limit_amount: 50, models: ['gpt-4o'], warn_at: 80 });
    const late = operator.budget.edit({ id, limit_amount: 60, before: { models: [] } });
    expect(await refusal(late)).toMatchObject({ code: 'changed_meanwhile' });
    // A model that is not used any more is not kept.
    expect(await operator.budget.edit({ id, on_full: 'refuse' })).toMatchObject({
      downgrade_model: '',
      limit_amount: 50,
    });
  });

  it('are limited in number for each subject', async () => {
    const subject = { subject: 'model', subject_id: 'crowded' } as const;
    for (let made = 0; made < 20; made += 1) await make(subject);
    expect(await refusal(make(subject))).toMatchObject({ code: 'budget_limit' });
  });

  it('end with their token, account or channel', async () => {
    const user = await site.aUser();
    const token = await site.aToken(user);
    const channel = await site.aChannel();
    const budgets = [
      await make({ subject_id: (await site.aToken(user)).id }),
      await make({ subject_id: token.id }),
      await make({ subject: 'user', subject_id: user.id }),
      await make({ subject: 'channel', subject_id: channel.id }),
    ];
    await operator.token.remove({ id: token.id });
    await operator.user.remove({ id: user.id });
    await operator.channel.remove({ id: channel.id });
    for (const { id } of budgets)
      expect(await refusal(operator.budget.get({ id }))).toMatchObject({ code: 'budget_missing' });
  });

  it('are announced to the caches of all processes', async () => {
    const before = await site.ctx.db('changes').where({ scope: 'budgets' }).max({ at: 'revision' });
    const { id } = await make();
    await operator.budget.edit({ id, limit_amount: 5 });
    await operator.budget.remove({ id });
    const changes = await site.ctx
      .db('changes')
      .where({ scope: 'budgets' })
      .where('revision', '>', Number(before[0]?.at));
    expect(changes.map(({ entity_id }) => Number(entity_id))).toEqual([id, id, id]);
  });

  // No SQL of an engine decides these.
  if (kind !== 'sqlite') return;

  it('are refused with a wrong amount, zone, pattern or subject', async () => {
    const wrong: readonly [NewBudget, string][] = [
      [{ limit_amount: 0 }, 'limit_amount'],
      [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
      [{ models: ['gpt-*'] }, 'models'],
      [{ on_full: 'downgrade' }, 'downgrade_model'],
      [{ subject: 'site' }, 'subject_id'],
      [{ subject: 'group', subject_id: '' }, 'subject_id'],
      [{ subject: 'user', subject_id: 'alice' }, 'subject_id'],
    ];
    for (const [fields, param] of wrong)
      expect(await refusal(make(fields))).toMatchObject({ code: 'input_invalid', param });
    const missing = await refusal(make({ subject: 'channel', subject_id: 999_999 }));
    expect(missing).toMatchObject({ code: 'channel_missing' });
    expect(await refusal(make({ subject: 'group', subject_id: 'nobodys' }))).toMatchObject({
      code: 'group_missing',
    });
  });

  it('of their own account and tokens are made, changed and deleted by users', async () => {
    const made = await make({}, own);
    expect(made).toMatchObject({ created_by: owner.id, is_editable: true });
    const account = await make({ subject: 'user', subject_id: '' }, own);
    expect(account).toMatchObject({ subject_id: String(owner.id), subject_name: owner.username });
    expect(await own.budget.edit({ id: made.id, limit_amount: 5 })).toMatchObject({
      limit_amount: 5,
    });
    await own.budget.remove({ id: made.id });
    expect(await refusal(own.budget.get({ id: made.id }))).toMatchObject({
      code: 'budget_missing',
    });
  });

  it('made by administrators are only seen by the users they limit', async () => {
    const { id } = await make();
    expect(await own.budget.get({ id })).toMatchObject({ is_editable: false });
    const changes = [
      () => own.budget.edit({ id, limit_amount: 5 }),
      () => own.budget.raise({ id, amount: 5 }),
      () => own.budget.remove({ id }),
    ];
    for (const change of changes)
      expect(await refusal(change())).toMatchObject({ code: 'permission_denied' });
  });

  it('of others and of what users share are hidden from users', async () => {
    const other = site.as((await site.aUser()).actor);
    const { id } = await make();
    const group = await make({ subject: 'group', subject_id: 'default' });
    expect(await refusal(other.budget.get({ id }))).toMatchObject({ code: 'budget_missing' });
    expect(await refusal(other.budget.windows({ id }))).toMatchObject({ code: 'budget_missing' });
    expect(await refusal(own.budget.get({ id: group.id }))).toMatchObject({
      code: 'budget_missing',
    });
    expect(await refusal(make({}, other))).toMatchObject({ code: 'token_missing_row' });
    expect((await other.budget.list({})).total).toBe(0);
    for (const subject of ['group', 'site'] as const)
      expect(await refusal(make({ subject, subject_id: '' }, other))).toMatchObject({
        code: 'permission_denied',
      });
    const mine = await own.budget.list({ page_size: 100 });
    const subjects = new Set(mine.items.map((item) => `${item.subject} ${item.subject_id}`));
    expect(subjects).toEqual(new Set([`token ${tokenId}`, `user ${owner.id}`]));
  });

  it('of administrators are hidden from other administrators', async () => {
    const admin = await site.aUser({ role: 10 });
    const peer = await site.aUser({ role: 10 });
    const token = await site.aToken(peer);
    const { id } = await make({ subject_id: token.id });
    const seen = async (actor: TestUser['actor']) => {
      const { items } = await site.as(actor).budget.list({ subject: 'token', page_size: 100 });
      return items.some((item) => item.id === id);
    };
    expect([await seen(admin.actor), await seen(peer.actor)]).toEqual([false, true]);
    expect(await refusal(site.as(admin.actor).budget.get({ id }))).toMatchObject({
      code: 'budget_missing',
    });
    expect(await refusal(site.as(peer.actor).budget.remove({ id }))).toMatchObject({
      code: 'permission_denied',
    });
    expect((await site.as(admin.actor).budget.listOwn({})).total).toBe(0);
  });
});
