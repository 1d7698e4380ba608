/** Requests as clients of this family of gateways send them, and what they read in the answers. */
import { describe, expect, test } from 'vitest';
import { anEntry, writeEntries } from '../../services/logs/log-entries.ts';
import { type ApiRequest, apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';

const site = await sharedSite();
const root = await site.addUser({ role: 100 });
const browser = await signedIn(site, root);

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

  test('a search without a page has all rows, also those of further pages', async () => {
    const rows = Array.from({ length: 104 }, (_, at) => ({ name: `found ${at}`, quota: 1 }));
    for (const body of rows) await asOld('POST', '/api/redemption/', { body });
    const { data } = await asOld('GET', '/api/redemption/search', { query: { keyword: 'found' } });
    expect(new Set(data.map(({ id }: { id: number }) => id)).size).toBe(rows.length);
  });

  test('other clients and the console read pages', async () => {
    const path = '/api/user/?p=0';
    expect((await browser.send('GET', path)).body.data).toHaveProperty('items');
    const headers = { 'gateway-user': String(root.id) };
    expect((await browser.send('GET', path, { headers })).body.data).toHaveProperty('items');
  });

  test('count pages from 0 while the option is on', async () => {
    for (let made = 0; made < 10; made += 1) await site.addUser();
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

describe('with the key of an API token alone', () => {
  const bearer = (key: string): ApiRequest => ({ headers: { authorization: `Bearer ${key}` } });
  const send = async (path: string, request: ApiRequest = {}) =>
    (await apiClient(site).send('GET', path, request)).body;

  test.each([
    ['in the query', (key: string): ApiRequest => ({ query: { key } })],
    ['as the credential', bearer],
  ])('its log is an array of more than one page, with the key %s', async (_, withKey) => {
    const { id, key } = await site.addToken({ name: `logged ${_}` });
    const entry = anEntry({ user_id: site.user.id, token_id: id });
    await writeEntries(
      site.ctx,
      Array.from({ length: 104 }, () => entry),
    );
    const { success, data } = await send('/api/log/token', withKey(key));
    expect([success, data.length]).toEqual([true, 104]);
    const asked = withKey(key);
    const page = await send('/api/log/token', { ...asked, query: { ...asked.query, p: 2 } });
    expect(page.data).toMatchObject({ page: 2, total: 104 });
  });

  test('its usage has the form of the family', async () => {
    const { key } = await site.addToken({
      name: 'counted',
      remain_quota: 700,
      model_limits_enabled: true,
      model_limits: 'gpt-4o',
    });
    expect(await send('/api/usage/token/', bearer(key))).toEqual({
      success: true,
      code: true,
      message: 'ok',
      data: {
        object: 'token_usage',
        name: 'counted',
        total_granted: 700,
        total_used: 0,
        total_available: 700,
        unlimited_quota: false,
        model_limits: { 'gpt-4o': true },
        model_limits_enabled: true,
        expires_at: 0,
      },
    });
  });

  test.each(['/api/usage/token', '/api/log/token'])('%s needs a key that exists', async (path) => {
    for (const request of [{}, bearer('sk-nothing'), { query: { key: 'sk-nothing' } }])
      expect(await send(path, request)).toMatchObject({ success: false });
  });

  test('the key of a banned user shows nothing', async () => {
    const user = await site.addUser();
    const { key } = await site.as(user.actor).token.create({ name: 'banned' });
    await asOld('POST', '/api/user/manage', { body: { id: user.id, action: 'disable' } });
    expect(await send('/api/usage/token', bearer(key))).toMatchObject({ code: 'account_banned' });
  });
});

describe('single keys of a channel', () => {
  const manage = (channel_id: number, action: string, fields: object = {}) =>
    asOld('POST', '/api/channel/multi_key/manage', { body: { channel_id, action, ...fields } });
  const statusOf = async (id: number) => (await asOld('GET', `/api/channel/${id}`)).data.status;

  test('are listed with their status, and disabled until a person enables them', async () => {
    const { id } = await site.addChannel({ key: 'sk-first-0001\nsk-second-0002\nsk-third-0003' });
    const off = (await manage(id, 'disable_key', { key_index: 1 })).data;
    expect(off).toMatchObject({
      total: 3,
      page: 1,
      total_pages: 1,
      enabled_count: 2,
      manual_disabled_count: 1,
      auto_disabled_count: 0,
    });
    expect(off.keys[1]).toMatchObject({ index: 1, status: 2, key_preview: 'sk-sec***0002' });
    await site.option('AutomaticEnableChannelEnabled', true);
    await asOld('GET', `/api/channel/test/${id}`);
    const listed = await manage(id, 'get_key_status', { status: 2, page: 1, page_size: 1 });
    expect(listed.data).toMatchObject({ total: 1, keys: [{ index: 1 }] });
    const on = await manage(id, 'enable_key', { key_index: 1 });
    expect(on.data).toMatchObject({ enabled_count: 3 });
  });

  test('without an enabled one the channel is off, with one it is on again', async () => {
    const { id } = await site.addChannel({ key: 'sk-first-0001\nsk-second-0002' });
    expect((await manage(id, 'disable_all_keys')).data).toMatchObject({ manual_disabled_count: 2 });
    expect(await statusOf(id)).toBe(3);
    await asOld('GET', `/api/channel/test/${id}`);
    expect(await statusOf(id)).toBe(3);
    await manage(id, 'enable_key', { key_index: 0 });
    expect(await statusOf(id)).toBe(1);
  });

  test('are deleted, except the last one', async () => {
    const { id } = await site.addChannel({ key: 'sk-first-0001\nsk-second-0002' });
    const { data } = await manage(id, 'delete_key', { key_index: 0 });
    expect(data.keys).toMatchObject([{ index: 0, key_preview: 'sk-sec***0002' }]);
    expect(await manage(id, 'delete_key', { key_index: 0 })).toMatchObject({ param: 'key' });
    expect(await manage(id, 'delete_key', { key_index: 9 })).toMatchObject({ param: 'key_index' });
    expect(await manage(id, 'delete_key')).toMatchObject({ param: 'key_index' });
    expect((await manage(id, 'delete_disabled_keys')).data.total).toBe(1);
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

  test('a channel is copied, its keys are read, and prices name their endpoints', async () => {
    const { id } = site.channel;
    const copied = await asOld('POST', `/api/channel/copy/${id}`);
    expect(copied.data.id).toBeGreaterThan(id);
    const named = await asOld('POST', `/api/channel/copy/${id}?suffix=_2&reset_balance=true`);
    expect(named.data.name).toBe(`${site.channel.name}_2`);
    expect((await asOld('POST', `/api/channel/${id}/key`)).data.key).toMatch(/^sk-/);
    const prices = await asOld('GET', '/api/pricing');
    const types = ['openai', 'openai-response', 'anthropic', 'gemini'];
    const vendor = prices.vendors.find(({ name }: { name: string }) => name === 'OpenAI');
    const { data } = prices;
    expect(data.find((one: { model_name: string }) => one.model_name === 'gpt-4o')).toMatchObject({
      supported_endpoint_types: types,
      vendor_id: vendor.id,
    });
    for (const type of types)
      expect(prices.supported_endpoint[type]).toMatchObject({ method: 'POST' });
    const ratios = (await asOld('GET', '/api/ratio_config')).data;
    expect(ratios.model_ratio['gpt-4o']).toBeGreaterThan(0);
    expect(ratios.create_cache_ratio).toHaveProperty('gpt-4o');
  });

  test('vendors are read as pages, by name and by id', async () => {
    const { data } = await asOld('GET', '/api/vendors/?p=1&page_size=5');
    expect(data).toMatchObject({ page: 1, page_size: 5 });
    expect(data.items).toHaveLength(5);
    const [found] = (await asOld('GET', '/api/vendors/search?keyword=anthro&p=1')).data.items;
    expect(found).toMatchObject({ name: 'Anthropic', status: 1 });
    expect((await asOld('GET', `/api/vendors/${found.id}`)).data).toEqual(found);
    expect((await asOld('GET', '/api/vendors/999')).success).toBe(false);
  });

  test.each([
    ['user-agreement', 'legal.user_agreement', 'user_agreement_enabled'],
    ['privacy-policy', 'legal.privacy_policy', 'privacy_policy_enabled'],
  ])('/api/%s is the text of an option, and the status has whether there is one', async (...of) => {
    const [path, key, field] = of;
    const guest = apiClient(site);
    const read = async () => [
      (await guest.send('GET', `/api/${path}`)).body,
      (await guest.send('GET', '/api/status')).body.data[field],
    ];
    expect(await read()).toEqual([{ success: true, message: '', data: '' }, false]);
    await asOld('PUT', '/api/option/', { body: { key, value: '# Be kind' } });
    expect(await read()).toEqual([{ success: true, message: '', data: '# Be kind' }, true]);
  });
});
