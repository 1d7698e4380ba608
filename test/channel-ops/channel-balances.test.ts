/** Channel balances: the requests to each provider, and the stored result. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { updateAllBalances } from '../../src/channel-ops/channel-balance.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';

interface BalanceRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A provider that responds from a table of pages and records its requests. */
interface Provider {
  readonly url: string;
  readonly requested: BalanceRequest[];
  pages: Readonly<Record<string, unknown>>;
}

let server: Server;
let provider: Provider;

const site = await sharedLocalSite();
const api = site.as(OPERATOR);
server = createServer((request, response) => {
  const path = request.url ?? '';
  provider.requested.push({ path, headers: request.headers });
  const page = provider.pages[path.split('?')[0] ?? ''];
  const status = page === undefined ? 404 : 200;
  response.writeHead(typeof page === 'number' ? page : status, {
    'content-type': 'application/json',
  });
  response.end(JSON.stringify(page ?? { error: { message: 'no such page' } }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
provider = { url: `http://127.0.0.1:${port}`, requested: [], pages: {} };
beforeEach(async () => {
  provider.requested.length = 0;
  provider.pages = {};
  await site.ctx.db('channels').delete();
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const BILLING = {
  '/v1/dashboard/billing/subscription': { hard_limit_usd: 20, has_payment_method: true },
  '/v1/dashboard/billing/usage': { total_usage: 550 },
};

const aChannel = (fields: object = {}) =>
  site.aChannel({ base_url: provider.url, key: 'sk-first-key-1\nsk-second-key', ...fields });

test('subtracts month-to-date usage from the limit and stores the balance with its time', async () => {
  provider.pages = BILLING;
  const { id } = await aChannel();
  expect(await api.channelBalance.update({ id })).toMatchObject({
    success: true,
    message: '',
    balance: 14.5,
    currency: 'USD',
  });
  expect(provider.requested.map(({ path }) => path)).toEqual([
    '/v1/dashboard/billing/subscription',
    '/v1/dashboard/billing/usage?start_date=2026-11-01&end_date=2026-11-22',
  ]);
  expect(provider.requested[0]?.headers.authorization).toBe('Bearer sk-first-key-1');
  expect(await api.channel.get({ id })).toMatchObject({
    balance: 14.5,
    balance_currency: 'USD',
    balance_updated_time: Date.UTC(2026, 10, 21, 12) / 1000,
  });
});

test.each([
  [12, '', { '/dashboard/billing/credit_grants': { total_remaining: 3 } }, 3, 'USD'],
  [13, '', { '/dashboard/billing/credit_grants': { total_available: 9 } }, 9, 'USD'],
  [6, '', { '/dashboard/billing/credit_grants': { total_available: 4 } }, 4, 'USD'],
  [8, '/v1/chat/completions', BILLING, 14.5, 'USD'],
  [20, '/api', { '/api/v1/credits': { data: { total_credits: 10, total_usage: 2 } } }, 8, 'USD'],
  [25, '', { '/v1/users/me/balance': { data: { available_balance: 49.58 } } }, 49.58, 'CNY'],
  [40, '/v1', { '/v1/user/info': { data: { totalBalance: '88.8' } } }, 88.8, 'CNY'],
  [
    43,
    '',
    { '/user/balance': { balance_infos: [{ currency: 'CNY', total_balance: '110.00' }] } },
    110,
    'CNY',
  ],
  [
    43,
    '',
    { '/user/balance': { balance_infos: [{ currency: 'USD', total_balance: '1.5' }] } },
    1.5,
    'USD',
  ],
])('queries type %i at "%s" on its own page', async (type, base, pages, balance, currency) => {
  provider.pages = pages;
  const { id } = await aChannel({ type, base_url: provider.url + base });
  expect(await api.channelBalance.update({ id })).toMatchObject({ balance, currency });
  expect(await api.channel.get({ id })).toMatchObject({ balance, balance_currency: currency });
});

test('queries the credit of a gateway without billing pages', async () => {
  provider.pages = { '/dashboard/billing/credit_grants': { total_available: 7 } };
  const { id } = await aChannel();
  expect(await api.channelBalance.update({ id })).toMatchObject({ balance: 7 });
});

describe('balances that cannot be read are reported', () => {
  test.each([
    ['a provider without balances', { type: 14 }, {}, 'balance_unsupported'],
    ['no page at all', {}, {}, 'upstream_status'],
    ['a refusal', {}, { '/v1/dashboard/billing/subscription': 403 }, 'upstream_status_only'],
    ['nonsense', {}, { '/v1/dashboard/billing/subscription': 'x' }, 'upstream_garbled'],
    ['a line that breaks', { base_url: 'http://127.0.0.1:9' }, {}, 'upstream_failed'],
  ])('%s', async (_what, fields, pages, code) => {
    provider.pages = { '/v1/dashboard/billing/usage': {}, ...pages };
    const { id } = await aChannel(fields);
    await expect(api.channelBalance.update({ id })).rejects.toMatchObject({ code });
    expect((await api.channel.get({ id })).balance_updated_time).toBe(0);
  });

  test("with the provider's message", async () => {
    const { id } = await aChannel();
    await expect(api.channelBalance.update({ id })).rejects.toMatchObject({
      params: { status: 404, message: 'no such page' },
    });
  });
});

describe('all balances at once', () => {
  test('query enabled channels with a balance API, and disable those without credit', async () => {
    provider.pages = {
      '/v1/dashboard/billing/subscription': { hard_limit_usd: 5 },
      '/v1/dashboard/billing/usage': { total_usage: 500 },
    };
    const empty = await aChannel({ name: 'empty' });
    const kept = await aChannel({ name: 'kept', auto_ban: 0 });
    const off = await aChannel({ status: 2 });
    await aChannel({ type: 14 });
    const broken = await aChannel({ base_url: 'http://127.0.0.1:9' });
    const { finished, results } = await api.channelBalance.updateAll({});
    expect(finished).toBe(true);
    expect(
      results
        .map(({ channel_id, success, disabled }) => [channel_id, success, disabled])
        .sort(([a], [b]) => Number(a) - Number(b)),
    ).toEqual([
      [empty.id, true, true],
      [kept.id, true, false],
      [broken.id, false, false],
    ]);
    const gone = await api.channel.get({ id: empty.id });
    expect(gone.status).toBe(3);
    expect(JSON.parse(gone.other_info).status_reason).toBe(
      'No balance left at the provider: 0 USD',
    );
    expect((await api.channel.get({ id: kept.id })).status).toBe(1);
    expect((await api.channel.get({ id: off.id })).balance_updated_time).toBe(0);
  });

  test('run only once at a time', async () => {
    provider.pages = BILLING;
    await aChannel();
    const outcomes = await Promise.allSettled([
      updateAllBalances(site.ctx),
      updateAllBalances(site.ctx),
      api.channelBalance.updateAll({}),
    ]);
    const codes = outcomes.map((one) => (one.status === 'rejected' ? one.reason.code : 'done'));
    expect(codes.sort()).toEqual(['already_running', 'already_running', 'done']);
    expect(await updateAllBalances(site.ctx)).toMatchObject([{ balance: 14.5, success: true }]);
  });

  test('a query of a single balance disables no channel', async () => {
    provider.pages = {
      '/v1/dashboard/billing/subscription': { hard_limit_usd: 0 },
      '/v1/dashboard/billing/usage': { total_usage: 0 },
    };
    const { id } = await aChannel();
    expect(await api.channelBalance.update({ id })).toMatchObject({ balance: 0, disabled: false });
    expect((await api.channel.get({ id })).status).toBe(1);
  });
});
