import { describe, expect, it } from 'vitest';
import { priceTables } from '../../../src/services/cache/effective-prices.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const site = await sharedLocalSite();
const api = site.as(OPERATOR);
await site.aChannel({
  models: 'gpt-4o,in-house,alias',
  model_mapping: '{"alias":"gpt-4o"}',
  group: 'default',
});

describe('an amount beyond any real price', () => {
  const MODEL_PARTS = [
    ['ModelPrice', 1_000_000],
    ['WebSearchPrice', 1_000_000],
    ['FileSearchPrice', 1_000_000],
    ['CodeInterpreterPrice', 1_000_000],
    ['ModelRatio', 500_000],
    ['CompletionRatio', 500_000],
    ['CacheRatio', 500_000],
    ['CacheCreationRatio', 500_000],
    ['AudioRatio', 500_000],
    ['AudioCompletionRatio', 500_000],
    ['GroupRatio', 500_000],
    ['TopupGroupRatio', 500_000],
  ] as const;

  it.each(MODEL_PARTS)('is refused in the option %s', async (key, most) => {
    const before = await api.option.get({ key });
    for (const amount of [most * 1.01, '1e300', '1e999', -1, 'NaN', 'null', '"5"'])
      await expect(
        api.option.set({ key, value: `{"default":${amount}}` }),
        String(amount),
      ).rejects.toMatchObject({ code: 'option_invalid', param: key });
    expect(await api.option.get({ key })).toEqual(before);
    await api.option.set({ key, value: `{"default":${most},"vip":1,"svip":1}` });
    await api.option.unset({ key });
  });

  it.each([
    ['fallback_single_price', 1_000_000],
    ['fallback_input_ratio', 500_000],
  ] as const)('is refused in the price option %s', async (key, most) => {
    for (const value of [most * 1.01, '1e300', '1e999', '-1', 'NaN', 'Infinity'])
      await expectRefusal(api.option.set({ key, value }), 'option_invalid', { param: key });
    await api.option.set({ key, value: most });
    await api.option.unset({ key });
  });

  it('is refused in a tier of service', async () => {
    const value = { m: { flex: 500_001 } };
    await expectRefusal(api.option.set({ key: 'ServiceTierRatio', value }), 'option_invalid');
  });

  it.each([
    ['in', 1_000_000],
    ['out', 1_000_000],
    ['perCall', 1_000_000],
    ['ratio', 500_000],
    ['completion', 500_000],
    ['cache', 500_000],
    ['cacheWrite', 500_000],
    ['audio', 500_000],
    ['audioCompletion', 500_000],
  ] as const)('is refused as the %s of a price', async (field, most) => {
    const rest = ['in', 'ratio', 'perCall'].includes(field) ? {} : { ratio: 1 };
    const price = (amount: number) => ({ model: 'odd', ...rest, [field]: amount });
    for (const amount of [most * 1.01, 1e300, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const refused = { code: 'input_invalid', param: field };
      await expect(api.price.set(price(amount))).rejects.toMatchObject(refused);
      await expect(api.price.setMany({ prices: [price(amount)] })).rejects.toMatchObject({
        param: `prices.0.${field}`,
      });
    }
    expect(await api.price.get({ model: 'odd' })).toMatchObject({ source: 'unset' });
    const isOut = field === 'out';
    await api.price.set(isOut ? { model: 'odd', in: 2, out: most } : price(most));
    await api.price.unset({ model: 'odd' });
  });

  it('is refused where the output price is too far above the input price', async () => {
    const odd = (input: number) => api.price.set({ model: 'odd', in: input, out: 10 });
    const refused = { code: 'input_invalid', param: 'out' };
    await expect(odd(1e-5)).rejects.toMatchObject({ ...refused, params: { most: 5 } });
    await expect(odd(5e-324)).rejects.toMatchObject(refused);
    await odd(2e-5);
    await api.price.unset({ model: 'odd' });
  });

  it('is refused as the factor of a group', async () => {
    for (const ratio of [500_001, 1e300, -1, Number.NaN])
      await expect(api.group.set({ name: 'odd', ratio })).rejects.toMatchObject({ param: 'ratio' });
  });

  it('is not read from a string that is not a whole number', async () => {
    for (const prompt of ['1e3', '0x10', '1.5', '-1', '', ' 5', true as never])
      await expect(
        api.price.calc({ model: 'gpt-4o', prompt }),
        String(prompt),
      ).rejects.toMatchObject({ param: 'prompt' });
    expect(await api.price.calc({ model: 'gpt-4o', prompt: '1000' })).toMatchObject({
      lines: [{ tokens: 1000 }],
    });
  });
});

describe('prices', () => {
  it('come from the built-in list until set, and again after unset', async () => {
    const book = await api.price.get({ model: 'gpt-4o' });
    expect(book).toMatchObject({
      source: 'catalog',
      billing: 'per_token',
      model_ratio: 1.25,
      usd_in: 2.5,
      usd_out: 10,
      enabled: true,
    });
    const own = await api.price.set({ model: 'gpt-4o', in: 3, out: 12.6 });
    expect(own).toMatchObject({
      source: 'override',
      model_ratio: 1.5,
      completion_ratio: 4.2,
      usd_in: 3,
      usd_out: 12.6,
    });
    await api.price.unset({ model: 'gpt-4o' });
    expect(await api.price.get({ model: 'gpt-4o' })).toEqual(book);
    await expectRefusal(api.price.unset({ model: 'gpt-4o' }), 'price_unknown');
  });

  it('are set in bulk, all or none, and dropped together', async () => {
    const prices = [
      { model: 'm1', in: 1, out: 2 },
      { model: 'm2', perCall: 0.1 },
    ];
    await expectRefusal(
      api.price.setMany({ prices: [...prices, { model: 'm3', completion: 2 }] }),
      'input_invalid',
    );
    await expectRefusal(
      api.price.setMany({ prices: [...prices, { model: 'm1', in: 3 }] }),
      'input_invalid',
    );
    expect(await api.price.get({ model: 'm1' })).toMatchObject({ source: 'unset' });
    await api.price.setMany({ prices });
    expect(await api.price.get({ model: 'm1' })).toMatchObject({ usd_in: 1, usd_out: 2 });
    expect(await api.price.get({ model: 'm2' })).toMatchObject({ model_price: 0.1 });
    expect(await api.price.reset({})).toBe(2);
    expect(await api.price.get({ model: 'm2' })).toMatchObject({ source: 'unset' });
    expect(await api.price.reset({})).toBe(0);
  });

  it('accept ratios as well as dollars', async () => {
    await api.price.set({ model: 'r', ratio: 0.5, completion: 3, cache: 0.1, cacheWrite: 1.5 });
    expect(await api.price.get({ model: 'r' })).toMatchObject({
      usd_in: 1,
      usd_out: 3,
      usd_cache_read: 0.1,
      usd_cache_write: 1.5,
    });
    await api.price.set({ model: 'r', out: 4 });
    expect(await api.price.get({ model: 'r' })).toMatchObject({ usd_in: 1, usd_out: 4 });
  });

  it('of the catalogue that are estimates are marked, until set', async () => {
    const guess = { model: 'bge-m3' };
    expect(await api.price.get(guess)).toMatchObject({ source: 'catalog', is_estimated: true });
    expect(await api.price.get({ model: 'gpt-4o' })).toMatchObject({ is_estimated: false });
    expect(await api.price.set({ ...guess, in: 5, out: 25 })).toMatchObject({
      source: 'override',
      is_estimated: false,
    });
    await api.price.unset(guess);
  });

  it('per call replace ratios, and the other way round', async () => {
    await api.price.set({ model: 'both', ratio: 2 });
    expect(await api.price.set({ model: 'both', perCall: 0.04 })).toMatchObject({
      billing: 'per_call',
      model_price: 0.04,
    });
    expect(site.ctx.options().get('ModelRatio')).not.toHaveProperty('both');
    expect(await api.price.set({ model: 'both', in: 1 })).toMatchObject({ billing: 'per_token' });
    expect(site.ctx.options().get('ModelPrice')).not.toHaveProperty('both');
    const task = await api.price.get({ model: 'mj_imagine' });
    expect(task).toMatchObject({ billing: 'per_call', source: 'catalog' });
  });

  it.each([
    [{ in: 1, ratio: 1 }, 'ratio'],
    [{ in: 1, out: 2, completion: 3 }, 'completion'],
    [{ perCall: 1, in: 1 }, 'perCall'],
    [{}, 'ratio'],
    [{ out: 5 }, 'ratio'],
    [{ in: 0, out: 5 }, 'out'],
    [{ in: -1 }, 'in'],
  ])('for an unknown model cannot be %o', async (amounts, param) => {
    const set = api.price.set({ model: 'unheard-of', ...amounts });
    await expectRefusal(set, 'input_invalid', { param });
  });

  it('are reported missing for a served model; one mapped to a priced one is not', async () => {
    expect(await api.price.unpriced({})).toEqual(['in-house']);
    const unset = await api.price.list({ unset: 'true' });
    expect(unset.items.map((entry) => [entry.model, entry.billing])).toEqual([
      ['alias', 'none'],
      ['in-house', 'none'],
    ]);
    await expectRefusal(api.price.calc({ model: 'in-house', prompt: 1 }), 'price_missing');
  });

  it('a change requires an amount', async () => {
    await expect(api.price.set({ model: 'gpt-4o' })).rejects.toMatchObject({ param: 'ratio' });
  });

  it('the list can be searched, sorted and paginated', async () => {
    const first = await api.price.list({ q: 'GPT-4O', page_size: 3 });
    expect(first.items).toHaveLength(3);
    expect(first.total).toBeGreaterThan(3);
    const second = await api.price.list({ q: 'gpt-4o', page_size: 3, p: 2 });
    const names = [...first.items, ...second.items].map((entry) => entry.model);
    expect(names).toEqual([...names].sort());
    const served = await api.price.list({ enabled: 'true' });
    expect(served.items.map((entry) => entry.model)).toEqual(['alias', 'gpt-4o', 'in-house']);
  });

  it('a calculated call includes cached tokens in the prompt and applies the group ratio', async () => {
    await api.group.set({ name: 'vip', ratio: 0.8 });
    const cost = await api.price.calc({
      model: 'gpt-4o-mini',
      prompt: 2000,
      cached: 1500,
      completion: 100,
      group: 'vip',
    });
    expect(cost).toMatchObject({ units: 99, usd: 0.000198, group_ratio: 0.8 });
    expect(cost.lines.map((line) => [line.kind, line.tokens])).toEqual([
      ['input', 500],
      ['cache_read', 1500],
      ['output', 100],
    ]);
    const wrong = api.price.calc({ model: 'gpt-4o', prompt: 1, cached: 2 });
    await expect(wrong).rejects.toMatchObject({ param: 'cached' });
  });

  it('have built-in factors for service tiers, which a custom entry replaces', async () => {
    const factors = (model: string) => {
      const { variants = [] } = priceTables(site.ctx.options()).models.get(model) ?? {};
      const tiers = variants.filter(({ when }) => when.tier !== undefined);
      return Object.fromEntries(tiers.map(({ when, factor }) => [when.tier, factor]));
    };
    expect(factors('gpt-6-sol')).toEqual({ priority: 2 });
    const own = { 'gpt-6-sol': { flex: 0.5 }, 'gpt-5.5': {} };
    await api.option.set({ key: 'ServiceTierRatio', value: own });
    expect(factors('gpt-6-sol')).toEqual({ flex: 0.5 });
    expect(factors('gpt-5.5')).toEqual({});
    expect(factors('gpt-5.4')).toEqual({ priority: 2, flex: 0.5, batch: 0.5 });
    await api.option.unset({ key: 'ServiceTierRatio' });
  });

  it('are computed once per snapshot of the options', async () => {
    const options = site.ctx.options();
    expect(priceTables(options)).toBe(priceTables(options));
    await api.price.set({ model: 'fresh', in: 1 });
    expect(priceTables(site.ctx.options()).models.get('fresh')?.rates.input).toBe(1);
    expect(priceTables(options).models.has('fresh')).toBe(false);
  });
});
