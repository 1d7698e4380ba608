/** Samples of calls about tokens, codes, payments, options and prices. */

import type { tokenCalls } from '../../../../src/api/accounts/token.ts';
import type { tokenUsageCalls } from '../../../../src/api/accounts/token-usage.ts';
import type { budgetCalls } from '../../../../src/api/billing/budget.ts';
import type { priceCalls } from '../../../../src/api/billing/price.ts';
import type { priceSourceCalls } from '../../../../src/api/billing/price-source.ts';
import type { redemptionCalls } from '../../../../src/api/billing/redemption.ts';
import type { walletCalls } from '../../../../src/api/billing/wallet.ts';
import type { optionCalls } from '../../../../src/api/site/option.ts';
import type { publicCalls } from '../../../../src/api/site/public.ts';
import { type Fixtures, ordered } from '../fixtures.ts';
import { By, type SamplesOf } from './sample.ts';

export const token: SamplesOf<typeof tokenCalls> = {
  list: {},
  search: { keyword: 'token' },
  get: ({ site }) => ({ id: site.token.id }),
  create: { name: 'made', remain_quota: 100, count: 2 },
  ensure: { name: 'ensured', unlimited_quota: true },
  edit: async (fixtures) => ({ ...(await aToken(fixtures)), name: 'edited' }),
  setStatus: async (fixtures) => ({ ...(await aToken(fixtures)), status: 2 }),
  remove: aToken,
  removeMany: async (fixtures) => ({ ids: [(await aToken(fixtures)).id] }),
  setStatusMany: async (fixtures) => ({ ids: [(await aToken(fixtures)).id], status: 2 }),
  reveal: aToken,
  key: aToken,
  keys: async (fixtures) => ({ ids: [(await aToken(fixtures)).id] }),
  revealMany: async (fixtures) => ({ ids: [(await aToken(fixtures)).id] }),
};

export const tokenUsage: SamplesOf<typeof tokenUsageCalls> = {
  show: ({ anonymous, site }) => new By(anonymous(), { key: site.token.key }),
};

export const redemption: SamplesOf<typeof redemptionCalls> = {
  list: async (fixtures) => {
    await aCode(fixtures);
    return {};
  },
  search: async (fixtures) => ({ keyword: (await aCode(fixtures)).name }),
  countByName: async (fixtures) => ({ name: (await aCode(fixtures)).name }),
  get: async (fixtures) => ({ id: (await aCode(fixtures)).id }),
  create: { name: 'walk', quota: 100, count: 2 },
  edit: async (fixtures) => ({ id: (await aCode(fixtures)).id, quota: 200 }),
  batchDisable: async (fixtures) => ({ ids: [(await aCode(fixtures)).id] }),
  removeByName: async (fixtures) => ({ name: (await aCode(fixtures)).name }),
  removeDisabled: {},
  removeUsed: {},
  remove: async (fixtures) => ({ id: (await aCode(fixtures)).id }),
};

export const budget: SamplesOf<typeof budgetCalls> = {
  list: async (fixtures) => {
    await aBudget(fixtures);
    return { subject: 'token', state: 'ok' };
  },
  listOwn: {},
  get: aBudget,
  create: ({ site }) => ({ ...DAILY, subject_id: site.token.id }),
  edit: async (fixtures) => ({ ...(await aBudget(fixtures)), limit_amount: 2000 }),
  raise: async (fixtures) => ({ ...(await aBudget(fixtures)), amount: 500 }),
  remove: aBudget,
  windows: async (fixtures) => {
    const { id } = await aBudget(fixtures);
    const window = { budget_id: id, starts_at: 86_400, ends_at: 172_800, spent: 5 };
    await fixtures.site.ctx.db('budget_windows').insert(window);
    return { id };
  },
};

export const wallet: SamplesOf<typeof walletCalls> = {
  outlook: {},
  redeem: async (fixtures) => ({ key: (await aCode(fixtures)).key }),
  amount: { amount: 1 },
  pay: { amount: 1, payment_method: 'zfb' },
  notify: async (fixtures) => {
    const notice = fixtures.epay.notice(await ordered(fixtures.person(1)));
    return new By(fixtures.anonymous(), { provider: 'epay', ...notice });
  },
  orders: async (fixtures) => {
    await ordered(fixtures.person(1));
    return {};
  },
  payOrder: async (fixtures) => ({ trade_no: await ordered(fixtures.person(1)) }),
  cancelOrder: async (fixtures) => ({ trade_no: await ordered(fixtures.person(1)) }),
  allOrders: async (fixtures) => {
    await ordered(fixtures.person(1));
    return {};
  },
  completeOrder: async (fixtures) => ({ trade_no: await ordered(fixtures.person(1)) }),
};

export const option: SamplesOf<typeof optionCalls> = {
  list: {},
  get: { key: 'RetryTimes' },
  set: { key: 'RetryTimes', value: 1 },
  setMany: { options: [{ key: 'RetryTimes', value: 2 }] },
  audit: async ({ api }) => {
    await api.option.set({ key: 'RetryTimes', value: 3 });
    return {};
  },
  unset: { key: 'RetryTimes' },
  resetModelRatio: {},
  validateFallbackPricing: { enabled: true, single_price: 0.01 },
};

export const priceSource: SamplesOf<typeof priceSourceCalls> = {
  // Another gateway's pricing page: here the site's own.
  changes: async ({ api, site }) => {
    await api.option.set({ key: 'PriceSourceUrl', value: `${site.url}/api/pricing` });
    return {};
  },
  apply: (fixtures) => ({
    source: 'a list',
    prices: [{ model: fixtures.fresh('synced'), rates: { input: 1 } }],
  }),
  remove: {},
};

export const price: SamplesOf<typeof priceCalls> = {
  list: {},
  get: { model: 'gpt-4o' },
  set: (fixtures) => ({ model: fixtures.fresh('priced'), in: 2, out: 8 }),
  setMany: (fixtures) => ({ prices: [{ model: fixtures.fresh('priced'), perCall: 0.01 }] }),
  unset: async (fixtures) => {
    const { model } = await fixtures.api.price.set({ model: fixtures.fresh('priced'), ratio: 1 });
    return { model };
  },
  reset: {},
  unpriced: async (fixtures) => {
    await fixtures.site.addChannel({ models: fixtures.fresh('nobodys') });
    return {};
  },
  calc: { model: 'gpt-4o', prompt: 100, completion: 10 },
};

const publicInfo: SamplesOf<typeof publicCalls> = {
  notice: {},
  about: {},
  userAgreement: {},
  privacyPolicy: {},
  homePage: {},
  models: {},
  ratioConfig: {},
  pricing: {},
};

const DAILY = { subject: 'token', limit_amount: 1_000_000_000, period: 'day' } as const;

/** On a token that makes no calls, made by its owner. */
async function aBudget({ site, person }: Fixtures): Promise<{ id: number }> {
  const { id: subject_id } = await site.addToken();
  const { id } = await site.as(person(1).actor).budget.create({ ...DAILY, subject_id });
  return { id };
}

async function aToken({ site }: Fixtures): Promise<{ id: number }> {
  const { id } = await site.addToken();
  return { id };
}

/** A new code with a unique name. */
async function aCode({ api, fresh }: Fixtures) {
  const name = fresh('code');
  await api.redemption.create({ name, quota: 100 });
  const { items } = await api.redemption.list({ keyword: name });
  const found = items.find((code) => code.name === name);
  if (found === undefined) throw new Error(`no code ${name}`);
  return found;
}

export { publicInfo as public };
