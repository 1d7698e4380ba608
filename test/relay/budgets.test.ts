import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { announceChange } from '../../src/store/tables/changes-table.ts';
import { aBudget, windowsOf } from '../support/budgets.ts';
import { aSite, type Site, type SiteToken } from '../support/site.ts';
import { type RawUpstream, rawUpstream } from './raw-upstream.ts';

const MODELS = ['dear', 'cheap', 'free'];
const USAGE = { prompt_tokens: 300, completion_tokens: 200, total_tokens: 500 };
const messages = [{ role: 'user', content: 'hello' }];

/** One unit per token of the models but `free`, and the same usage for every answer. */
describe('budgets of model calls', () => {
  let site: Site;
  let upstream: RawUpstream;
  let token: SiteToken;
  beforeAll(async () => {
    upstream = await rawUpstream();
    upstream.answer = (response) => {
      response.setHeader('content-type', 'application/json');
      const choices = [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } },
      ];
      response.end(JSON.stringify({ choices, usage: USAGE }));
    };
    site = await aSite({
      options: {
        ModelRatio: { dear: 1, cheap: 1, free: 0 },
        CompletionRatio: { dear: 1, cheap: 1, free: 1 },
        RetryTimes: 0,
      },
    });
    await site.addChannel({ models: MODELS.join(), base_url: upstream.url, name: 'first' });
  });
  afterAll(async () => {
    await site.close();
    await upstream.close();
  });
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

  const call = (model = 'dear', fields: object = {}) =>
    site.call({ key: token.key, body: { model, messages, max_tokens: 40, ...fields } });
  const codeOf = ({ text }: { readonly text: string }) => JSON.parse(text).error?.code;

  test.each([
    ['token', () => String(token.id)],
    ['user', () => String(site.user.id)],
    ['group', () => 'default'],
    ['model', () => 'dear'],
    ['site', () => ''],
  ] as const)(
    'of a %s count what calls cost and refuse the next when it is spent',
    async (subject, id) => {
      const budget = await aBudget(site.ctx, { subject, subject_id: id(), limit_amount: 1_000 });
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
      expect(refused.headers).toMatchObject({
        'x-should-retry': 'false',
        'x-gateway-budget-remaining': '0',
        'x-gateway-budget-reset': 'never',
      });
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
});
