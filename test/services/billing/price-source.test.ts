import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nowSec } from '../../../src/context.ts';
import { JOB_FUNCTIONS } from '../../../src/jobs/job-functions.ts';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { type RawUpstream, rawUpstream, whole } from '../../relay/raw-upstream.ts';
import { runJob } from '../../support/alerts.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite, sharedWebhookReceiver } from '../../support/shared-site.ts';
import { CA_FILE } from '../../support/tls.ts';
import { anEntry, DAY, writeEntries } from '../logs/log-entries.ts';

/** In the form of OpenRouter: USD per token. */
const MODEL_LIST = {
  data: [
    { id: 'claude-opus-4-5', pricing: { prompt: '0.000006', completion: '0.00003' } },
    { id: 'new/model', pricing: { prompt: '0.000001', completion: '0.000002' } },
    { id: 'auto', pricing: { prompt: '-1', completion: '-1' } },
  ],
};

const source = await rawUpstream();
const site = await sharedLocalSite('sqlite', { egressAllow: '127.0.0.1' });
const api = site.as(OPERATOR);
await site.aChannel({ models: 'claude-opus-4-5,gemini-3-pro-image', group: 'default' });
afterAll(() => source.close());

async function named(path = '/prices.json'): Promise<void> {
  await api.option.set({ key: 'PriceSourceUrl', value: source.url + path });
}

describe('a price source', () => {
  it('can be set by an admin only', async () => {
    await api.option.set({ key: 'PriceSourceUrl', value: '' });
    await expectRefusal(api.priceSource.changes({}), 'price_source_missing');
  });

  it('shows the differences from the current prices, which can be taken as shown', async () => {
    await named();
    source.answer = whole(MODEL_LIST);
    const served = await api.priceSource.changes({ enabled: 'true' });
    expect(source.requests.at(-1)).toMatchObject({ method: 'GET', path: '/prices.json' });
    expect(served.source).toBe(new URL(source.url).host);
    const all = await api.priceSource.changes({});
    expect(all.skipped).toEqual([{ reason: 'no_price', count: 1 }]);
    expect(all.items.length).toBeGreaterThan(served.items.length);
    const prices = all.items.map(({ price }) => price);
    expect(await api.priceSource.apply({ source: 'a list', prices })).toBe(prices.length);
    const after = await api.priceSource.changes({});
    expect(after).toMatchObject({ items: [], same: all.items.length + all.same });
    expect(await api.priceSource.remove({})).toBe(prices.length);
    expect(await api.priceSource.changes({})).toEqual(all);
  });

  it('gives prices between the catalogue and the own ones, with name and day', async () => {
    const model = 'claude-opus-4-5';
    const day = new Date(site.ctx.now()).toISOString().slice(0, 10);
    const built = await api.price.get({ model });
    const rates = { input: 4, output: 20 };
    await api.priceSource.apply({ source: 'a list', prices: [{ model, rates }] });
    expect(await api.price.get({ model })).toMatchObject({
      source: 'synced',
      origin: `a list ${day}`,
      usd_in: 4,
      model_ratio: 2,
    });
    await api.price.set({ model, ratio: 1 });
    expect(await api.price.get({ model })).toMatchObject({ source: 'override', usd_in: 2 });
    source.answer = whole({ prices: [{ model, in: 9, out: 9 }] });
    expect(await api.priceSource.changes({})).toMatchObject({ items: [], own: 1 });
    await api.price.unset({ model });
    expect(await api.priceSource.changes({})).toMatchObject({ items: [{ price: { model } }] });
    await api.priceSource.remove({});
    expect(await api.price.get({ model })).toEqual(built);
  });

  it('says where and when the current price was published', async () => {
    source.answer = whole({ prices: [{ model: 'claude-opus-4-5', in: 9, out: 9 }] });
    const { items, date } = await api.priceSource.changes({});
    const { origin } = await api.price.get({ model: 'claude-opus-4-5' });
    expect(items).toMatchObject([{ origin, since: origin.slice(-10) }]);
    expect(date).toBe(new Date(site.ctx.now()).toISOString().slice(0, 10));
  });

  it('can be taken in part: other rates stay as they are, also under a condition', async () => {
    const model = 'gemini-3.1-pro-preview';
    const built = await api.price.get({ model });
    const prices = [
      { model, rates: { input: 3 } },
      {
        model: 'gemini-3-pro-image',
        variants: [{ when: { tier: 'batch' }, rates: { output: 9 } }],
      },
    ];
    await api.priceSource.apply({ source: 'a list', prices });
    expect(await api.price.get({ model })).toMatchObject({
      source: 'synced',
      rates: { ...built.rates, input: 3 },
      variants: built.variants,
    });
    const { rates, variants } = await api.price.get({ model: 'gemini-3-pro-image' });
    expect(rates).toMatchObject({ input: 2, output: 12 });
    expect(variants.find(({ when }) => when.tier === 'batch')?.rates).toMatchObject({
      input: 1,
      output: 9,
    });
    await api.priceSource.remove({});
  });

  it('takes no part of a price that a model does not have', async () => {
    const prices = [{ model: 'unheard-of', rates: { output: 3 } }];
    await expectRefusal(api.priceSource.apply({ source: 'a list', prices }), 'option_invalid');
  });

  it('has the prices of hosts that the site has a channel of', async () => {
    const cost = (input: number) => ({ cost: { input, output: 3 } });
    source.answer = whole({
      openai: { models: { 'gpt-99': cost(1) } },
      groq: { models: { 'openai/gpt-99': cost(2) } },
    });
    expect((await api.priceSource.changes({})).skipped).toEqual([
      { reason: 'no_channel', count: 1 },
    ]);
    const { id } = await site.aChannel({ type: 1001, models: 'gpt-99', group: 'default' });
    const { items } = await api.priceSource.changes({});
    expect(items.map(({ price }) => price)).toEqual([
      {
        model: 'gpt-99',
        rates: { input: 1, output: 3 },
        variants: [{ when: { provider: 'groq' }, rates: { input: 2, output: 3 } }],
      },
    ]);
    await api.channel.remove({ id });
  });

  it('gives way to a catalogue that is newer', async () => {
    const price = { rates: { input: 4 }, variants: [], source: 'a list', date: '2020-01-01' };
    await api.option.set({ key: 'SyncedRates', value: { 'claude-opus-4-5': price, mine: price } });
    expect(await api.price.get({ model: 'claude-opus-4-5' })).toMatchObject({ source: 'catalog' });
    expect(await api.price.get({ model: 'mine' })).toMatchObject({ source: 'synced', usd_in: 4 });
    await api.priceSource.remove({});
  });

  it('is any address that is asked for', async () => {
    source.answer = whole({ prices: [{ model: 'fresh', in: 1, out: 2 }] });
    const { items } = await api.priceSource.changes({ source: `${source.url}/other.json` });
    expect(source.requests.at(-1)).toMatchObject({ path: '/other.json' });
    expect(items.map(({ price }) => price.model)).toEqual(['fresh']);
  });

  it('may be the pricing page or the ratios of another gateway', async () => {
    await named('/api/pricing');
    const entry = { model_name: 'claude-opus-4-5', quota_type: 0, model_ratio: 3 };
    source.answer = whole({ success: true, data: [{ ...entry, completion_ratio: 5 }] });
    const { items } = await api.priceSource.changes({});
    expect(items.map(({ changes }) => changes[0])).toEqual([{ field: 'input', from: 5, to: 6 }]);
    source.answer = whole({ data: { model_ratio: { 'claude-opus-4-5': 3 } } });
    expect((await api.priceSource.changes({})).items).toHaveLength(1);
  });

  it.each([
    ['what is no price list', whole('<html>'), 'price_source_unreadable'],
    [
      'a refusal',
      ((response) => response.writeHead(404).end('{}')) as RawUpstream['answer'],
      'fetch_failed',
    ],
    ['more than 16 MiB', whole(' '.repeat(16 * 1024 * 1024 + 1)), 'fetch_failed'],
  ])('reports %s', async (_what, answer, code) => {
    await named();
    source.answer = answer;
    await expect(api.priceSource.changes({})).rejects.toMatchObject({ code });
  });

  it('is fetched through the egress guard', async () => {
    await api.option.set({ key: 'PriceSourceUrl', value: 'http://169.254.169.254/prices' });
    await expectRefusal(api.priceSource.changes({}), 'fetch_refused');
  });
});

describe('the scheduled comparison', async () => {
  const NEVER = new AbortController().signal;
  const model = 'claude-opus-4-5';
  const receiver = await sharedWebhookReceiver();
  const watched = await sharedLocalSite('sqlite', {
    egressAllow: '127.0.0.1,::1',
    caFile: CA_FILE,
  });
  beforeAll(async () => {
    await watched.aChannel({ models: model, group: 'default' });
    const { id } = await watched.aUser({ role: 100 });
    const setting = { notify_type: 'webhook', webhook_url: receiver.url };
    await watched.ctx
      .db('users')
      .where({ id })
      .update({ setting: JSON.stringify(setting) });
    await option('PriceSourceUrl', `${source.url}/prices.json`);
    await writeEntries(watched.ctx, [
      anEntry({ created_at: nowSec(watched.ctx), model_name: model, quota: 1 }),
    ]);
    await aggregateLogs(watched.ctx);
  });

  const option = (key: string, value: string | number) =>
    watched.as(OPERATOR).option.set({ key, value });
  const priceNow = () => watched.as(OPERATOR).price.get({ model });
  const publish = (input: number) => {
    const other = { model: 'not-served', in: input, out: 1 };
    source.answer = whole({ prices: [{ model, in: input, out: 25 }, other] });
  };
  /** The notices that a run sends. */
  const run = async () => {
    receiver.hooks.length = 0;
    watched.pass(3600);
    await runJob(watched.ctx, 'price_sync');
    return receiver.hooks.map(({ raw }) => JSON.parse(raw));
  };

  it('runs at the interval of the option, which is off at first', async () => {
    const interval = async () =>
      (await watched.as(OPERATOR).job.list({})).find(({ name }) => name === 'price_sync')?.interval;
    expect(await interval()).toBeNull();
    await option('PriceSyncHours', 6);
    expect(await interval()).toBe(6 * 3600);
  });

  it('reports a price of a called model that moved once, and changes nothing', async () => {
    const before = await priceNow();
    publish(6);
    expect(await run()).toMatchObject([
      { type: 'prices_moved', values: ['1', new URL(source.url).host, expect.any(String)] },
    ]);
    expect(JSON.parse(receiver.hooks[0]?.raw ?? '').values[2]).toMatch(
      /^claude-opus-4-5: input 5 -> 6/,
    );
    expect(await run()).toEqual([]);
    expect(await priceNow()).toEqual(before);
    publish(7);
    expect(await run()).toHaveLength(1);
  });

  it('reports no change of one per cent, and none of a model without a call in 30 days', async () => {
    publish(5.05);
    expect(await run()).toEqual([]);
    await watched.ctx
      .db('log_hours')
      .where({ scope: 'model' })
      .decrement('hour', 31 * DAY);
    publish(7.5);
    expect(await run()).toEqual([]);
    await watched.ctx
      .db('log_hours')
      .where({ scope: 'model' })
      .increment('hour', 31 * DAY);
  });

  it('takes over the prices of served models if the option allows it', async () => {
    await option('PriceSyncTakes', 'served');
    publish(8);
    expect(await run()).toMatchObject([{ type: 'prices_taken' }]);
    expect(await priceNow()).toMatchObject({ source: 'synced', usd_in: 8 });
    expect(await watched.as(OPERATOR).price.get({ model: 'not-served' })).toMatchObject({
      source: 'unset',
    });
    expect(await run()).toEqual([]);
  });

  it.each([0, 0.5, 90])(
    'takes over no price of %d, which may be an error of the list',
    async (usd) => {
      publish(usd);
      expect(await run()).toMatchObject([{ type: 'prices_moved' }]);
      expect(await priceNow()).toMatchObject({ usd_in: 8 });
    },
  );

  it('takes over all prices if the option allows it', async () => {
    await option('PriceSyncTakes', 'all');
    publish(9);
    await run();
    expect(await watched.as(OPERATOR).price.get({ model: 'not-served' })).toMatchObject({
      usd_in: 9,
    });
  });

  it('fails without a source', async () => {
    await option('PriceSourceUrl', '');
    await expectRefusal(JOB_FUNCTIONS.price_sync(watched.ctx, NEVER), 'price_source_missing');
  });
});
