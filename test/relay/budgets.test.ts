import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { announceChange } from '../../src/store/tables/changes-table.ts';
import { aBudget, windowsOf } from '../support/budgets.ts';
import { sharedSite } from '../support/shared-site.ts';
import { eventually, type SiteAnswer, type SiteToken } from '../support/site.ts';
import { rawUpstream } from './raw-upstream.ts';

const MODELS = ['dear', 'cheap', 'free'];
const USAGE = { prompt_tokens: 300, completion_tokens: 200, total_tokens: 500 };
const messages = [{ role: 'user', content: 'hello' }];

/** One unit per token of the models but `free`, and the same usage for every answer. */
describe('budgets of model calls', async () => {
  let token: SiteToken;
  const upstream = await rawUpstream();
  upstream.answer = (response) => {
    response.setHeader('content-type', 'application/json');
    const choices = [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } },
    ];
    response.end(JSON.stringify({ choices, usage: USAGE }));
  };
  const site = await sharedSite({
    options: {
      ModelRatio: { dear: 1, cheap: 1, free: 0 },
      CompletionRatio: { dear: 1, cheap: 1, free: 1 },
      RetryTimes: 0,
    },
  });
  await site.addChannel({ models: MODELS.join(), base_url: upstream.url, name: 'first' });
  afterAll(() => upstream.close());
  beforeEach(async () => {
    await inTransaction(site.ctx, async ({ db }) => {
      for (const { id } of await db('budgets').select('id'))
        await announceChange(db, 'budgets', id);
      await db('budgets').delete();
      await db('budget_windows').delete();
    });
    await site.ctx.changes.committed();
    token = await site.addToken();
    upstream.requests.length = 0;
  });

  const call = (model = 'dear', fields: object = {}): Promise<SiteAnswer> =>
    site.call({ key: token.key, body: { model, messages, max_tokens: 40, ...fields } });
  const codeOf = ({ text }: { readonly text: string }) => JSON.parse(text).error?.code;

  const subjectIds = (): Readonly<Record<string, string>> => ({
    token: String(token.id),
    user: String(site.user.id),
    group: 'default',
    model: 'dear',
    site: '',
  });

  test.each(['token', 'user', 'group', 'model', 'site'])(
    'of a %s count what calls cost and refuse the next when it is spent',
    async (subject) => {
      const budget = await aBudget(site.ctx, {
        subject,
        subject_id: subjectIds()[subject] ?? '',
        limit_amount: 1_000,
      });
      expect((await call()).status).toBe(200);
      await site.settled();
      expect(await windowsOf(site.ctx, budget)).toEqual([{ spent: 500, held: 0 }]);
      // 500 units are left: the output limit is lowered to what they pay for.
      const last = await call('dear', { max_tokens: 4_000 });
      expect(last.status).toBe(200);
      expect(Number(last.headers['x-gateway-max-tokens'])).toBeLessThan(500);
      await site.settled();
      expect(await windowsOf(site.ctx, budget)).toEqual([{ spent: 1_000, held: 0 }]);
      const refused = await call();
      expect([refused.status, codeOf(refused)]).toEqual([403, 'budget_exhausted']);
      const isOwn = ['token', 'user'].includes(subject);
      expect(refused.headers).toMatchObject({
        'x-should-retry': 'false',
        ...(isOwn && { 'x-gateway-budget-remaining': '0' }),
        'x-gateway-budget-reset': 'never',
      });
      // What others have used is nothing for the caller.
      expect('x-gateway-budget-remaining' in refused.headers).toBe(isOwn);
      expect(refused.text).toContain(isOwn ? '$0.002 / $0.002' : '100 %');
      expect(upstream.requests).toHaveLength(2);
      expect(await site.verify()).toMatchObject({ ok: true });
    },
  );

  test('count calls and tokens, also of a free model, and give back what failed', async () => {
    const calls = await aBudget(site.ctx, { measure: 'calls', limit_amount: 2 });
    const tokens = await aBudget(site.ctx, { measure: 'tokens', limit_amount: 5_000 });
    expect((await call('free')).status).toBe(200);
    const { answer } = upstream;
    upstream.answer = (response) => response.writeHead(400).end('{}');
    expect((await call('free')).status).toBe(400);
    upstream.answer = answer;
    await site.settled();
    expect(await windowsOf(site.ctx, calls)).toEqual([{ spent: 1, held: 0 }]);
    expect(await windowsOf(site.ctx, tokens)).toEqual([{ spent: 500, held: 0 }]);
    expect((await call('free')).status).toBe(200);
    await site.settled();
    expect(codeOf(await call('free'))).toBe('budget_exhausted');
  });

  test('count only the models that they name', async () => {
    const models = '["dear"]';
    const budget = await aBudget(site.ctx, { models, measure: 'calls', limit_amount: 1 });
    for (const model of ['cheap', 'dear', 'cheap']) expect((await call(model)).status).toBe(200);
    expect((await call('dear')).status).toBe(403);
    expect(await windowsOf(site.ctx, budget)).toMatchObject([{ spent: 1 }]);
  });

  test('that are shadows count and never refuse', async () => {
    const budget = await aBudget(site.ctx, { limit_amount: 1, shadow: true });
    for (const _call of [1, 2]) expect((await call()).status).toBe(200);
    await site.settled();
    expect(await windowsOf(site.ctx, budget)).toEqual([{ spent: 1_000, held: 0 }]);
  });

  test('let a client wait for what running calls hold', async () => {
    await aBudget(site.ctx, { measure: 'calls', limit_amount: 1 });
    const { answer } = upstream;
    const sent = new Promise<() => void>((resolve) => {
      upstream.answer = (response, request) => resolve(() => answer(response, request));
    });
    const running = call();
    const finish = await sent;
    const refused = await call();
    expect([refused.status, codeOf(refused)]).toEqual([429, 'budget_exhausted']);
    expect(refused.headers['retry-after']).toBe('1');
    upstream.answer = answer;
    finish();
    expect((await running).status).toBe(200);
  });

  test('let a client wait for a window that begins soon', async () => {
    const period = { measure: 'calls', period: 'hour', limit_amount: 1 };
    const budget = await aBudget(site.ctx, period);
    const nowSec = Math.floor(Date.now() / 1000);
    await site.ctx.db('budget_windows').insert({
      budget_id: budget,
      starts_at: nowSec - 600,
      ends_at: nowSec + 4,
      spent: 1,
    });
    const refused = await call();
    expect([refused.status, codeOf(refused)]).toEqual([429, 'budget_exhausted']);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(4);
    await eventually('the next window has begun', async () => (await call()).status === 200);
    await site.settled();
    expect(await windowsOf(site.ctx, budget)).toEqual([
      { spent: 1, held: 0 },
      { spent: 1, held: 0 },
    ]);
  });

  test('of tokens lower the output limit to what they leave', async () => {
    const budget = await aBudget(site.ctx, { measure: 'tokens', limit_amount: 900 });
    const answer = await call('free', { max_tokens: 4_000 });
    expect(answer.status).toBe(200);
    expect(Number(answer.headers['x-gateway-max-tokens'])).toBeLessThan(900);
    await site.settled();
    expect(await windowsOf(site.ctx, budget)).toEqual([{ spent: 500, held: 0 }]);
  });

  test('of a channel move the call to another channel', async () => {
    const other = await site.addChannel({
      models: 'cheap',
      base_url: upstream.url,
      name: 'other',
      priority: 10,
    });
    const budget = await aBudget(site.ctx, {
      subject: 'channel',
      subject_id: String(other.id),
      measure: 'calls',
      limit_amount: 1,
    });
    for (const expected of [other.id, undefined]) {
      const answer = await call('cheap');
      expect(answer.status).toBe(200);
      const channel = (await site.logOf(answer.requestId))?.channel_id;
      if (expected !== undefined) expect(channel).toBe(expected);
      else expect(channel).not.toBe(other.id);
    }
    expect(await windowsOf(site.ctx, budget)).toMatchObject([{ spent: 1, held: 0 }]);
  });

  test('that name another model have it answer when they are full', async () => {
    const budget = await aBudget(site.ctx, {
      measure: 'calls',
      limit_amount: 1,
      on_full: 'downgrade',
      downgrade_model: 'cheap',
    });
    expect((await call()).headers).not.toHaveProperty('x-gateway-downgraded-model');
    const other = await call();
    expect(other.status).toBe(200);
    expect(other.headers['x-gateway-downgraded-model']).toBe('cheap');
    expect(JSON.parse(upstream.requests.at(-1)?.body ?? '')).toMatchObject({ model: 'cheap' });
    const log = await site.logOf(other.requestId);
    expect(log?.model_name).toBe('cheap');
    expect(log?.other).toContain('"downgraded_from":"dear"');
    expect(await windowsOf(site.ctx, budget)).toMatchObject([{ spent: 1 }]);
    // Not for a token that may not call the model.
    const key = (await site.addToken({ model_limits_enabled: true, model_limits: 'dear' })).key;
    const body = { model: 'dear', messages };
    expect((await site.call({ key, body })).status).toBe(403);
  });

  test('are shown to programs in the headers of answers and as a list', async () => {
    const user = { subject: 'user', subject_id: String(site.user.id), period: 'day' };
    await aBudget(site.ctx, { ...user, limit_amount: 1_000_000 });
    const id = await aBudget(site.ctx, {
      subject: 'token',
      subject_id: String(token.id),
      measure: 'calls',
      period: '5h',
      anchor: 'first_use',
      limit_amount: 4,
    });
    await aBudget(site.ctx, { limit_amount: 9_000 });
    const list = async () =>
      JSON.parse((await site.call({ key: token.key, path: '/v1/budget' })).text).data;
    expect(await list()).toMatchObject([
      { id, measure: 'calls', window: '5h', remaining: 4, resets_at: null },
      { subject: 'user', window: 'day', remaining: 1_000_000, resets_at: expect.any(Number) },
    ]);
    expect(await windowsOf(site.ctx, id)).toEqual([]);
    const { headers } = await call();
    expect(headers['x-gateway-budget-remaining']).toBe('3');
    expect(Date.parse(headers['x-gateway-budget-reset'] ?? '')).toBeGreaterThan(Date.now());
    await site.settled();
    const [own] = await list();
    expect(own).toMatchObject({ spent: 1, remaining: 3, resets_at: expect.any(Number) });
    expect((await site.call({ key: 'sk-none', path: '/v1/budget' })).status).toBe(401);
  });
});
