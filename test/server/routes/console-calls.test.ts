/** Options, public texts, prices and messages over HTTP, as the console uses them. */
import { expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';

const site = await sharedSite({ config: { apiRateLimitEnabled: false } });
const guest = apiClient(site);
const admin = await signedIn(site, await site.addUser({ role: 10 }));
const root = await signedIn(site, await site.addUser({ role: 100 }));

it('option values may be strings, booleans or numbers, and the list has keys and strings', async () => {
  for (const body of [
    { key: 'RetryTimes', value: '2' },
    { key: 'RetryTimes', value: 3 },
    { key: 'DefaultCollapseSidebar', value: true },
  ]) {
    const reply = await admin.send('PUT', '/api/option/', { body });
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
  }
  const { body } = await admin.send('GET', '/api/option');
  expect(body.data).toContainEqual({ key: 'RetryTimes', value: '3', changed: true });
  expect(body.data).toContainEqual({ key: 'DefaultCollapseSidebar', value: 'true', changed: true });
  expect(JSON.stringify(body.data)).not.toMatch(/SMTP|Secret/);
});

it("a refused option returns its key and the reason in the reader's language", async () => {
  const reply = await admin.send('PUT', '/api/option/', {
    body: { key: 'FailedCallDays', value: 101 },
    headers: { 'accept-language': 'zh-CN' },
  });
  expect(reply).toMatchObject({
    status: 200,
    body: { success: false, code: 'option_invalid', param: 'FailedCallDays' },
  });
  expect(reply.body.message).toContain('不能大于 90');
});

it('a batch of options is saved atomically, and its audit is readable with permission', async () => {
  const options = [
    { key: 'TelegramBotToken', value: '1:abc' },
    { key: 'TelegramOAuthEnabled', value: true },
  ];
  expect((await root.send('PUT', '/api/option/batch', { body: { options } })).body.success).toBe(
    true,
  );
  const { body } = await root.send('GET', '/api/option/audit', { query: { page_size: 2 } });
  expect(body.data.items).toMatchObject([
    { key: 'TelegramOAuthEnabled', old_value: 'false', new_value: 'true' },
    { key: 'TelegramBotToken', old_value: '', new_value: '***' },
  ]);
  const seen = await admin.send('GET', '/api/option/audit', { query: { page_size: 100 } });
  expect(JSON.stringify(seen.body.data)).not.toContain('TelegramBotToken');
  expect((await guest.send('GET', '/api/option/audit')).status).toBe(401);
});

it('visitors can read the texts and the prices beside success', async () => {
  await site.option('Notice', 'Hello');
  expect((await guest.send('GET', '/api/notice')).body).toEqual({
    success: true,
    message: '',
    data: 'Hello',
  });
  const { body } = await guest.send('GET', '/api/pricing');
  expect(body).toMatchObject({ success: true, group_ratio: { default: 1 } });
  expect(body.data[0]).toMatchObject({ owner_by: '', enable_groups: ['default'] });
  expect((await guest.send('GET', '/api/models')).status).toBe(401);
  expect((await admin.send('GET', '/api/models')).body.data['1']).toContain('gpt-4o');
  expect((await admin.send('GET', '/api/status/test')).body).toEqual({
    success: true,
    message: '',
    data: null,
  });
});

it('a message is readable by its receiver only', async () => {
  const ann = await site.addUser();
  const bob = await signedIn(site, await site.addUser());
  const inbox = await signedIn(site, ann);
  const sent = await admin.send('POST', '/api/admin/messages', {
    body: { title: ' Hi ', content: 'There', user_ids: [ann.id, ann.id] },
  });
  expect(sent.body.data).toMatchObject({ title: 'Hi', stats: { total_recipients: 1 } });
  const path = `/api/user/messages/${sent.body.data.id}`;
  expect((await bob.send('GET', path)).body).toMatchObject({ code: 'message_missing' });
  expect((await bob.send('PUT', `${path}/read`)).body).toMatchObject({ code: 'message_missing' });
  expect((await bob.send('GET', '/api/user/messages/')).body.data.items).toEqual([]);
  const unread = () => inbox.send('GET', '/api/user/messages/unread_count');
  expect((await unread()).body.data).toEqual({ unread_count: 1 });
  expect((await inbox.send('PUT', `${path}/read`)).body).toEqual({
    success: true,
    message: '',
    data: null,
  });
  expect((await unread()).body.data).toEqual({ unread_count: 0 });
  expect((await inbox.send('GET', '/api/user/messages')).body.data.items).toMatchObject([
    { title: 'Hi', is_read: true, created_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  for (const [method, suffix] of [
    ['GET', ''],
    ['GET', '/recipients'],
    ['DELETE', ''],
  ] as const) {
    const other = `/api/admin/messages/${sent.body.data.id}${suffix}`;
    expect((await inbox.send(method, other)).body).toMatchObject({ code: 'permission_denied' });
  }
});
