/** Requests as clients of this family of gateways send them, and what they read in the answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, type ApiRequest, apiClient, signedIn } from '../../support/api-client.ts';
import { aSite, type Site, type SiteUser } from '../../support/site.ts';

let site: Site;
let root: SiteUser;
let browser: ApiClient;
beforeAll(async () => {
  site = await aSite();
  root = await site.addUser({ role: 100 });
  browser = await signedIn(site, root);
});
afterAll(() => site.close());

const asOld = async (method: string, path: string, request: ApiRequest = {}) => {
  const headers = { 'new-api-user': String(root.id) };
  return (await browser.send(method, path, { ...request, headers })).body;
};

describe('lists', () => {
  const LISTS = ['/api/user/', '/api/channel/', '/api/token/', '/api/log/', '/api/redemption/'];
  test.each(LISTS)('%s with p=0 is a plain array', async (path) => {
    expect(await asOld('GET', path, { query: { p: 0 } })).toEqual({
      success: true,
      message: '',
      data: expect.any(Array),
    });
  });

  test('a search without a page has all rows', async () => {
    for (let made = 0; made < 12; made += 1) await site.addUser();
    const { data } = await asOld('GET', '/api/user/search', { query: { keyword: '' } });
    expect(data.length).toBeGreaterThan(10);
    expect(data[0]).toHaveProperty('username');
  });

  test('other clients and the console read pages', async () => {
    const path = '/api/user/?p=0';
    expect((await browser.send('GET', path)).body.data).toHaveProperty('items');
    const headers = { 'gateway-user': String(root.id) };
    expect((await browser.send('GET', path, { headers })).body.data).toHaveProperty('items');
  });

  test('count pages from 0 while the option is on', async () => {
    await site.option('LegacyListsEnabled', true);
    const page = async (p: number) =>
      (await browser.send('GET', '/api/user/', { query: { p, page_size: 5 } })).body.data;
    const [first, second] = [await page(0), await page(1)];
    const ids = [...first, ...second].map(({ id }: { id: number }) => id);
    expect(new Set(ids).size).toBe(10);
    const headers = { 'gateway-user': String(root.id) };
    const own = await browser.send('GET', '/api/user/?p=1&page_size=5', { headers });
    expect(own.body.data).toMatchObject({ items: first, page: 1 });
    await site.option('LegacyListsEnabled', false);
  });
});

describe('requests', () => {
  test.each([
    ['GET', '/api/log/?p=1&type=abc&start_timestamp=0&end_timestamp=NaN&group=null', undefined],
    ['GET', '/api/log/?p=1&end_timestamp=0', undefined],
    ['PUT', '/api/option/', { key: 'Notice' }],
    [
      'POST',
      '/api/token/',
      { name: 'old', remain_quota: -1, unlimited_quota: true, allow_ips: null },
    ],
    [
      'POST',
      '/api/channel/',
      {
        mode: 'multi_to_single',
        channel: { name: 'wrapped', type: 1, key: 'sk-a-1\nsk-b-2', models: 'a', group: 'default' },
      },
    ],
  ] as const)('%s %s is accepted', async (method, path, body) => {
    expect(await asOld(method, path, body && { body })).toMatchObject({ success: true });
  });

  test('an end of 0 bounds nothing', async () => {
    const { data } = await asOld('GET', '/api/log/?p=1&end_timestamp=0');
    expect(data.total).toBeGreaterThan(0);
  });

  test('a user is managed by name and topped up by id', async () => {
    const user = await site.addUser();
    const action = { username: user.username, action: 'disable' };
    expect((await asOld('POST', '/api/user/manage', { body: action })).data.status).toBe(2);
    const before = (await site.balance(user.id)).quota;
    const topUp = { user_id: user.id, quota: 700, remark: 'thanks' };
    expect(await asOld('POST', '/api/topup', { body: topUp })).toMatchObject({ success: true });
    expect((await site.balance(user.id)).quota - before).toBe(700);
  });

  test('a top-up that is sent again with its key adds once', async () => {
    const user = await site.addUser();
    const { quota: before } = await site.balance(user.id);
    const body = { user_id: user.id, quota: 700, key: 'order-1' };
    const sent = Array.from({ length: 8 }, () => asOld('POST', '/api/topup', { body }));
    const answers = await Promise.all(sent);
    expect(answers.every(({ success }) => success)).toBe(true);
    expect(answers.filter(({ data }) => !data.repeated)).toHaveLength(1);
    expect((await site.balance(user.id)).quota - before).toBe(700);
    await asOld('POST', '/api/topup', { body: { ...body, key: 'order-2' } });
    expect((await site.balance(user.id)).quota - before).toBe(1400);
  });

  test('the log of a key needs only the key', async () => {
    const guest = apiClient(site);
    const { body } = await guest.send('GET', '/api/log/token', { query: { key: site.token.key } });
    expect(body).toMatchObject({ success: true, data: { items: [] } });
    const wrong = await guest.send('GET', '/api/log/token', { query: { key: 'sk-nothing' } });
    expect(wrong.body.success).toBe(false);
  });

  test('a channel is copied, its keys are read, and prices name their endpoints', async () => {
    const { id } = site.channel;
    const copied = await asOld('POST', `/api/channel/copy/${id}`);
    expect(copied.data.id).toBeGreaterThan(id);
    expect((await asOld('POST', `/api/channel/${id}/key`)).data.key).toMatch(/^sk-/);
    const { data } = await asOld('GET', '/api/pricing');
    expect(data.find((one: { model_name: string }) => one.model_name === 'gpt-4o')).toMatchObject({
      supported_endpoint_types: ['openai', 'openai-response', 'anthropic', 'gemini'],
    });
    const ratios = (await asOld('GET', '/api/ratio_config')).data;
    expect(ratios.model_ratio['gpt-4o']).toBeGreaterThan(0);
  });
});
