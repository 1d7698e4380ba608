/** Samples of calls about tokens, codes, payments, options and prices. */

import type { tokenCalls } from '../../../../src/api/accounts/token.ts';
import type { priceCalls } from '../../../../src/api/billing/price.ts';
import type { priceSourceCalls } from '../../../../src/api/billing/price-source.ts';
import type { redemptionCalls } from '../../../../src/api/billing/redemption.ts';
import type { walletCalls } from '../../../../src/api/billing/wallet.ts';
import type { optionCalls } from '../../../../src/api/site/option.ts';
import type { publicCalls } from '../../../../src/api/site/public.ts';
import { ordered, type Walker } from '../walker.ts';
import { By, type SamplesOf } from './sample.ts';

export const token: SamplesOf<typeof tokenCalls> = {
  list: {},
  search: { keyword: 'token' },
  get: ({ site }) => ({ id: site.token.id }),
  create: { name: 'made', remain_quota: 100, count: 2 },
  ensure: { name: 'ensured', unlimited_quota: true },
  edit: async (walker) => ({ ...(await aToken(walker)), name: 'edited' }),
  setStatus: async (walker) => ({ ...(await aToken(walker)), status: 2 }),
  remove: aToken,
  removeMany: async (walker) => ({ ids: [(await aToken(walker)).id] }),
  setStatusMany: async (walker) => ({ ids: [(await aToken(walker)).id], status: 2 }),
  reveal: aToken,
  key: aToken,
  keys: async (walker) => ({ ids: [(await aToken(walker)).id] }),
  revealMany: async (walker) => ({ ids: [(await aToken(walker)).id] }),
};

export const redemption: SamplesOf<typeof redemptionCalls> = {
  list: async (walker) => {
    await aCode(walker);
    return {};
  },
  search: async (walker) => ({ keyword: (await aCode(walker)).name }),
  countByName: async (walker) => ({ name: (await aCode(walker)).name }),
  get: async (walker) => ({ id: (await aCode(walker)).id }),
  create: { name: 'walk', quota: 100, count: 2 },
  edit: async (walker) => ({ id: (await aCode(walker)).id, quota: 200 }),
  batchDisable: async (walker) => ({ ids: [(await aCode(walker)).id] }),
  removeByName: async (walker) => ({ name: (await aCode(walker)).name }),
  removeDisabled: {},
  remove: async (walker) => ({ id: (await aCode(walker)).id }),
};

export const wallet: SamplesOf<typeof walletCalls> = {
  redeem: async (walker) => ({ key: (await aCode(walker)).key }),
  amount: { amount: 1 },
  pay: { amount: 1, payment_method: 'zfb' },
  notify: async (walker) => {
    const notice = walker.epay.notice(await ordered(walker.person(1)));
    return new By(walker.stranger(), { provider: 'epay', ...notice });
  },
  orders: async (walker) => {
    await ordered(walker.person(1));
    return {};
  },
  allOrders: async (walker) => {
    await ordered(walker.person(1));
    return {};
  },
  completeOrder: async (walker) => ({ trade_no: await ordered(walker.person(1)) }),
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
  apply: (walker) => ({
    source: 'a list',
    prices: [{ model: walker.fresh('synced'), rates: { input: 1 } }],
  }),
  remove: {},
};

export const price: SamplesOf<typeof priceCalls> = {
  list: {},
  get: { model: 'gpt-4o' },
  set: (walker) => ({ model: walker.fresh('priced'), in: 2, out: 8 }),
  setMany: (walker) => ({ prices: [{ model: walker.fresh('priced'), perCall: 0.01 }] }),
  unset: async (walker) => {
    const { model } = await walker.api.price.set({ model: walker.fresh('priced'), ratio: 1 });
    return { model };
  },
  reset: {},
  unpriced: async (walker) => {
    await walker.site.addChannel({ models: walker.fresh('nobodys') });
    return {};
  },
  calc: { model: 'gpt-4o', prompt: 100, completion: 10 },
};

const publicInfo: SamplesOf<typeof publicCalls> = {
  notice: {},
  about: {},
  homePage: {},
  models: {},
  pricing: {},
};

async function aToken({ site }: Walker): Promise<{ id: number }> {
  const { id } = await site.addToken();
  return { id };
}

/** A new code with a unique name. */
async function aCode({ api, fresh }: Walker) {
  const name = fresh('code');
  await api.redemption.create({ name, quota: 100 });
  const { items } = await api.redemption.list({ keyword: name });
  const found = items.find((code) => code.name === name);
  if (found === undefined) throw new Error(`no code ${name}`);
  return found;
}

export { publicInfo as public };
