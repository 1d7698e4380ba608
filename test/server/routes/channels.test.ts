/** Channels over HTTP, as existing clients call them. */
import { afterAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../../src/services/credentials/passwords.ts';
import { type ApiClient, type ApiRequest, apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually } from '../../support/site.ts';

const PASSWORD = 'right password';

const site = await sharedSite({ config: { apiRateLimitEnabled: false } });
const admin = await signedIn(site, await site.addUser({ role: 10 }));
const root = await signedIn(site, await site.addUser({ role: 100 }));

const send = async (method: string, path: string, request: ApiRequest = {}) =>
  (await admin.send(method, path, request)).body;

test('a channel is created, edited, tested, copied and deleted', async () => {
  const made = await send('POST', '/api/channel/', {
    body: {
      type: 1,
      name: 'c',
      key: 'sk-secret-one\nsk-secret-two',
      models: 'a,b',
      group: 'default',
    },
  });
  expect(made).toMatchObject({ success: true, message: '' });
  const { id } = made.data;
  for (const field of [{ status: 2 }, { priority: 5 }, { weight: 3 }, { max_input_tokens: 9 }])
    expect(await send('PUT', '/api/channel/', { body: { id, ...field } })).toMatchObject({
      success: true,
      data: field,
    });
  const { data: read } = await send('GET', `/api/channel/${id}`);
  expect(read).toMatchObject({ status: 2, priority: 5, weight: 3, base_url: '', setting: '' });
  // A client that sends back everything it read changes nothing, the masked key included.
  const { data: same } = await send('PUT', '/api/channel/', { body: { ...read, name: 'renamed' } });
  expect(same).toEqual({ ...read, name: 'renamed', other_info: same.other_info });
  const whole = await root.send('GET', `/api/channel/${id}`, { query: { reveal: true } });
  expect(whole.body.data.key).toBe('sk-secret-one,sk-secret-two');
  expect(await send('DELETE', `/api/channel/${id}/`)).toEqual({
    success: true,
    message: '',
    data: null,
  });
  expect(await send('GET', `/api/channel/${id}`)).toMatchObject({
    success: false,
    code: 'channel_missing',
  });
});

describe('a masked key', () => {
  const stored = 'sk-stored-key-000001';
  const mask = 'sk-oth***0009';
  const own = 'sk-sto***0001';
  const fields = { name: 'masked', models: 'masked-model' };
  const refused = { success: false, code: 'channel_key_masked' };
  const taken = { success: true };
  afterAll(async () => {
    const { data } = await send('GET', '/api/channel/search', {
      query: { keyword: 'masked', page_size: 100 },
    });
    const ids = data.items.map((channel: { id: number }) => channel.id);
    await send('POST', '/api/channel/batch', { body: { ids } });
  });

  test.each<[string, string, string, (id: number) => object, object]>([
    ['an edit', 'PUT', '', (id) => ({ id, key: mask }), refused],
    ['an edit that adds it', 'PUT', '', (id) => ({ id, key: `${stored},${mask}` }), refused],
    ['an edit with its own mask', 'PUT', '', (id) => ({ id, key: own }), taken],
    ['a new channel', 'POST', '', () => ({ ...fields, key: mask }), refused],
    [
      'a channel of each key',
      'POST',
      '',
      () => ({ ...fields, key: `sk-1\n${own}`, mode: 'batch' }),
      refused,
    ],
    ['a batch edit', 'POST', 'batch/edit', (id) => ({ ids: [id], priority: 4, key: mask }), taken],
    ['a batch tag', 'POST', 'batch/tag', (id) => ({ ids: [id], tag: 'masks', key: mask }), taken],
    ['an edit of a tag', 'PUT', 'tag', () => ({ tag: 'masks', priority: 5, key: mask }), taken],
    [
      'an imported edit',
      'POST',
      'import',
      (id) => ({ channels: [{ id, name: 'masked', key: mask }] }),
      refused,
    ],
    [
      'an imported channel',
      'POST',
      'import',
      () => ({ channels: [{ ...fields, name: 'n', key: own }] }),
      refused,
    ],
    [
      'a dry run of an import',
      'POST',
      'import',
      () => ({ channels: [{ ...fields, name: 'n', key: own }], dry_run: true }),
      refused,
    ],
    ['a copy', 'POST', ':id/copy', () => ({ key: mask }), taken],
  ])('is not stored as a key by %s', async (_what, method, path, body, answer) => {
    const { id } = await site.addChannel({ key: stored, tag: 'masks', ...fields });
    const reply = await send(method, `/api/channel/${path.replace(':id', String(id))}`, {
      body: body(id),
    });
    expect(reply).toMatchObject(answer);
    const { data } = (await root.send('POST', '/api/channel/export', { body: { keys: true } }))
      .body;
    const keys = data.channels.map((channel: { key: string }) => channel.key).join();
    expect(keys).toContain(stored);
    expect(keys).not.toContain('***');
    const whole = await root.send('GET', `/api/channel/${id}`, { query: { reveal: true } });
    expect(whole.body.data.key).toBe(stored);
  });
});

describe('an export of many channels', () => {
  test('can be imported again, whatever its size', async () => {
    const many = await aSite({ config: { apiRateLimitEnabled: false } });
    const owner = await signedIn(many, await many.addUser({ role: 100 }));
    const channels = Array.from({ length: 100 }, (_, at) => ({
      ...{ name: `channel-${at}`, type: 'openai', key: `sk-${at}-`.padEnd(50_000, 'x') },
      ...{ models: ['gpt-4o'], group: ['default'], base_url: 'https://upstream.example' },
    }));
    expect(JSON.stringify({ channels }).length).toBeGreaterThan(4 * 1024 * 1024);
    const created = await owner.send('POST', '/api/channel/import', { body: { channels } });
    expect(created.body.data).toMatchObject({ created: 100 });
    const { data } = (await owner.send('POST', '/api/channel/export', { body: { keys: true } }))
      .body;
    const again = await owner.send('POST', '/api/channel/import', { body: data });
    expect(again.body.data).toMatchObject({ created: 0, updated: 0 });
    await many.close();
  });

  test('is not read from someone who may not import it', async () => {
    const body = { channels: [{ name: 'x'.repeat(20 * 1024 * 1024) }] };
    for (const by of [apiClient(site), await signedIn(site, await site.addUser())])
      expect((await by.send('POST', '/api/channel/import', { body })).status).not.toBe(413);
  });
});

test('mode "batch" creates a channel for each key', async () => {
  const { data } = await send('POST', '/api/channel/', {
    body: { name: 'n', key: 'key-number-one\nkey-number-two', models: 'a', mode: 'batch' },
  });
  expect(data.ids).toHaveLength(2);
  const { data: found } = await send('GET', '/api/channel/search', { query: { keyword: 'n-' } });
  expect(found.items.map((channel: { name: string }) => channel.name).sort()).toEqual([
    'n-1',
    'n-2',
  ]);
  expect(await send('POST', '/api/channel/batch', { body: { ids: data.ids } })).toMatchObject({
    data: 2,
  });
});

test('a test and a balance return fields beside success and message', async () => {
  const { id } = site.channel;
  for (const method of ['GET', 'POST'])
    expect(
      await send(method, `/api/channel/test/${id}`, { query: { model: 'gpt-4o' } }),
    ).toMatchObject({
      success: true,
      message: '',
      time: expect.any(Number),
    });
  expect(await send('GET', `/api/channel/update_balance/${id}/`)).toMatchObject({
    success: true,
    message: '',
    balance: 75,
  });
  site.upstream.script('status:500');
  expect(await send('GET', `/api/channel/test/${id}`)).toMatchObject({
    success: false,
    message: expect.stringMatching(/./),
    time: expect.any(Number),
  });
});

test('a test of all channels starts immediately and sends its results as events', async () => {
  expect(await send('GET', '/api/channel/test')).toMatchObject({
    success: true,
    data: { channels: 1 },
  });
  const answer = await admin.send('GET', '/api/channel/test/stream');
  expect(answer.headers['content-type']).toContain('text/event-stream');
  expect(answer.text).toMatch(/^event: result\ndata: \{.*\}\n\nevent: end\ndata: \{.*\}\n\n$/);
});

test('responses have the form that existing clients read', async () => {
  const { id } = site.channel;
  expect((await send('GET', `/api/channel/fetch_models/${id}`)).data).toContain('gpt-4o');
  expect((await send('GET', '/api/channel/models')).data[0]).toHaveProperty('id');
  expect((await send('GET', '/api/channel/models_enabled')).data).toContain('gpt-4o');
  expect((await send('POST', '/api/channel/fix', { body: {} })).data).toBeGreaterThan(0);
  expect((await send('GET', `/api/channel/${id}/health`)).data.outcomes.length).toBeGreaterThan(0);
  expect((await send('GET', '/api/channel/health', { query: { ids: id } })).data).toHaveLength(1);
  const bad = await admin.send('POST', '/api/channel/fetch_models', { body: { type: 'nonsense' } });
  expect([bad.status, bad.body.success]).toEqual([400, false]);
});

test("a client's call appears in the history of the channel that answered it", async () => {
  const before = await site.as({ kind: 'operator' }).channelHealth.one({ id: site.channel.id });
  await site.call({ body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] } });
  await eventually('it is written', async () => {
    const { outcomes } = await site
      .as({ kind: 'operator' })
      .channelHealth.one({ id: site.channel.id });
    return outcomes.length > before.outcomes.length && outcomes.at(-1)?.source === 'call';
  });
});

describe('permissions of channel calls', () => {
  test('users may use none of them', async () => {
    const user = await signedIn(site, site.user);
    for (const [method, path] of [
      ['GET', '/api/channel/'],
      ['GET', `/api/channel/${site.channel.id}`],
      ['GET', `/api/channel/test/${site.channel.id}`],
      ['GET', '/api/channel/export'],
      ['POST', '/api/channel/batch'],
      ['PUT', '/api/channel/tag'],
      ['DELETE', '/api/channel/disabled'],
      ['GET', '/api/channel/test/stream'],
    ] as const)
      expect(
        (await user.send(method, path, method === 'GET' ? {} : { body: {} })).body,
      ).toMatchObject({
        success: false,
        code: 'permission_denied',
      });
  });

  test.each([
    ['keys of a channel', 'POST', '/api/channel/ID', { reveal: true }],
    ['an export with keys', 'POST', '/api/channel/export', { keys: true }],
  ] as const)('%s require the password or a recent session', async (_what, method, path, body) => {
    const owner = await site.addUser({ role: 100, password: await hashPassword(PASSWORD) });
    const { id } = await site.addChannel({ key: 'sk-proof-key-000001' });
    const browser = await signedIn(site, owner);
    const program = apiClient(site, (await browser.send('GET', '/api/user/token')).body.data);
    const show = async (who: ApiClient, password?: string) =>
      (await who.send(method, path.replace('ID', String(id)), { body: { ...body, password } }))
        .body;
    const needed = { success: false, code: 'password_needed', param: 'password' };
    expect(JSON.stringify(await show(browser))).toContain('sk-proof-key-000001');
    await site.ctx.db('sessions').where({ user_id: owner.id }).decrement('created_at', 601);
    for (const who of [program, browser]) {
      expect(await show(who)).toMatchObject(needed);
      expect(await show(who, 'wrong')).toMatchObject({ code: 'input_invalid', param: 'password' });
      expect(JSON.stringify(await show(who, PASSWORD))).toContain('sk-proof-key-000001');
    }
  });

  test('no call shows a key to an admin', async () => {
    const secret = 'sk-very-secret-upstream-key';
    const { id } = await site.addChannel({ key: secret, models: 'secret-model' });
    const replies = [
      await admin.send('GET', '/api/channel/'),
      await admin.send('GET', '/api/channel/search', { query: { keyword: secret } }),
      await admin.send('GET', `/api/channel/${id}`),
      await admin.send('GET', `/api/channel/${id}`, { query: { reveal: true } }),
      await admin.send('GET', '/api/channel/export', { query: { keys: true } }),
      await admin.send('GET', '/api/channel/export'),
      await admin.send('PUT', '/api/channel/', { body: { id, name: 'x' } }),
      await admin.send('POST', `/api/channel/${id}/copy`, { body: {} }),
      await admin.send('GET', `/api/channel/test/${id}`),
    ];
    for (const { text } of replies) expect(text).not.toContain(secret);
  });
});
