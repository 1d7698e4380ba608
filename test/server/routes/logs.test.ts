/** The log and the dashboard over HTTP: permissions, and what must stay hidden. */
import { describe, expect, it } from 'vitest';
import { anEntry, writeEntries } from '../../services/logs/log-entries.ts';
import { type ApiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';

const messages = { input_content: 'q'.repeat(2_000), output_content: 'answer' };
const upstream = { admin_info: { use_channel: ['1'] }, channel_name: 'secret upstream' };

const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const ann = await site.addUser();
const bob = await site.addUser();
const annsToken = await site.addToken({ owner: ann, name: 'anns' });
const asAnn = await signedIn(site, ann);
const asBob = await signedIn(site, bob);
const asAdmin = await signedIn(site, await site.addUser({ role: 10 }));
const asRoot = await signedIn(site, await site.addUser({ role: 100 }));
await site.ctx.db('logs').delete();
const created_at = Math.floor(Date.now() / 1000) - 100;
const ofAnn = { user_id: ann.id, token_id: annsToken.id, token_name: 'anns', created_at };
const other = JSON.stringify({ model_ratio: 1, ...messages, ...upstream });
await writeEntries(site.ctx, [
  anEntry({ ...ofAnn, request_id: 'a1', quota: 5, other, channel_id: site.channel.id }),
  anEntry({ ...ofAnn, request_id: 'a2', token_id: 0, type: 1, content: 'Topped up' }),
  anEntry({ user_id: bob.id, request_id: 'b1', created_at, quota: 7 }),
]);

const ADMINS_ONLY = [
  ['GET', '/api/log/'],
  ['GET', '/api/log'],
  ['GET', '/api/log/stat'],
  ['GET', '/api/log/search'],
  ['GET', '/api/log/tail'],
  ['GET', '/api/log/1'],
  ['GET', '/api/log/export'],
  ['GET', '/api/log/export.csv'],
  ['GET', '/api/log/export.jsonl'],
  ['DELETE', '/api/log/?target_timestamp=1'],
  ['GET', '/api/data/'],
  ['GET', '/api/data/overview'],
] as const;

describe('calls for administrators only', () => {
  it.each(ADMINS_ONLY)('%s %s is refused to a user', async (method, path) => {
    const reply = await asAnn.send(method, path);
    expect(reply.body).toMatchObject({ success: false, code: 'permission_denied' });
    expect(reply.text).not.toContain('b1');
  });
});

describe('the own log entries', () => {
  it('are listed with and without the slash, under ids that can be opened', async () => {
    const list = (await asAnn.send('GET', '/api/log/self/')).body.data;
    expect((await asAnn.send('GET', '/api/log/self')).body.data).toEqual(list);
    expect(list).toMatchObject({ total: 2, page: 1, page_size: 10, total_is_estimate: false });
    const entry = list.items.find((row: { request_id: string }) => row.request_id === 'a1');
    const whole = (await asAnn.send('GET', `/api/log/self/${entry.id}`)).body.data;
    expect(whole).toMatchObject({ request_id: 'a1', channel: 0, other: messages });
    expect(JSON.stringify(whole)).not.toContain('secret upstream');
  });

  it('include full messages only when a single one is requested', async () => {
    const { items } = (await asAnn.send('GET', '/api/log/self?type=2')).body.data;
    const other = JSON.parse(items[0].other);
    expect(other).toMatchObject({ model_ratio: 1, output_content: 'answer', is_cut: true });
    expect(other.input_content).toHaveLength(501);
  });

  it('are shown to no other user, whichever id is tried', async () => {
    const { items } = (await asAnn.send('GET', '/api/log/self')).body.data;
    const ids = [...items.map((row: { id: number }) => row.id), 1, 2, 3, 2 ** 48 - 1, 2 ** 52];
    for (const id of ids)
      expect((await asBob.send('GET', `/api/log/self/${id}`)).body).toMatchObject({
        success: false,
        code: 'log_missing',
      });
    for (const id of ['x', '-1', '0', '1.5', '1e99'])
      expect((await asBob.send('GET', `/api/log/self/${id}`)).body.success).toBe(false);
    const bobs = (await asBob.send('GET', '/api/log/self')).body.data;
    expect(bobs.items.map((row: { request_id: string }) => row.request_id)).toEqual(['b1']);
  });

  it('are never extended by query parameters', async () => {
    const reply = await asBob.send(
      'GET',
      `/api/log/self?username=${ann.username}&user_id=${ann.id}`,
    );
    expect(reply.body.data.total).toBe(1);
    const stat = await asBob.send('GET', `/api/log/self/stat?username=${ann.username}`);
    expect(stat.body.data.quota).toBe(7);
    const data = await asBob.send('GET', `/api/data/self?username=${ann.username}`);
    expect(data.body.data.map((row: { quota: number }) => row.quota)).toEqual([7]);
    const overview = await asBob.send('GET', `/api/data/self/overview?username=${ann.username}`);
    expect(overview.body.data.totals.quota).toBe(7);
  });

  it('can be searched by type and by the beginning of the content', async () => {
    const search = async (keyword: string) =>
      (await asAnn.send('GET', '/api/log/self/search', { query: { keyword } })).body.data.total;
    expect(await search('1')).toBe(1);
    expect(await search('topped')).toBe(1);
    expect(await search('%')).toBe(0);
    expect(await search('up')).toBe(0);
    expect((await asAdmin.send('GET', '/api/log/search?keyword=')).body.data.total).toBe(3);
  });
});

describe('the log entries of a token', () => {
  it('are available to its owner by its key', async () => {
    const query = { key: annsToken.key };
    const reply = await asAnn.send('GET', '/api/log/token', { query });
    expect(reply.body.data.items).toMatchObject([{ request_id: 'a1', channel: 0 }]);
  });

  it('are refused to a different user who has the key', async () => {
    for (const visitor of [asBob, asAdmin, asRoot]) {
      const reply = await visitor.send('GET', '/api/log/token', { query: { key: annsToken.key } });
      expect(reply.body).toMatchObject({ success: false, code: 'token_missing_row' });
      expect(reply.text).not.toContain(annsToken.key);
    }
  });
});

describe('a full log entry', () => {
  it('shows administrators everything', async () => {
    const { items } = (await asAdmin.send('GET', '/api/log/?request_id=a1')).body.data;
    const whole = (await asAdmin.send('GET', `/api/log/${items[0].id}`)).body.data;
    expect(whole).toMatchObject({ channel: site.channel.id, other: { ...messages, ...upstream } });
    expect((await asAdmin.send('GET', '/api/log/999999')).body.code).toBe('log_missing');
  });
});

describe('a log export', () => {
  it('has the content type of its format', async () => {
    const csv = await asAdmin.send('GET', '/api/log/export');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.text).toContain('b1');
    const entries = await asAdmin.send('GET', `/api/log/export.jsonl?username=${bob.username}`);
    expect(entries.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(
      entries.text
        .trim()
        .split('\n')
        .map((entry) => JSON.parse(entry).request_id),
    ).toEqual(['b1']);
  });

  it('of the own entries contains no others', async () => {
    for (const path of ['/api/log/self/export', '/api/log/self/export.jsonl']) {
      const reply = await asBob.send('GET', `${path}?username=${ann.username}`);
      expect(reply.text).toContain('b1');
      expect(reply.text).not.toContain('a1');
    }
  });
});

describe('clearing the log', () => {
  it('requires a time', async () => {
    const reply = await asAdmin.send('DELETE', '/api/log/');
    expect(reply.body).toMatchObject({ success: false, param: 'target_timestamp' });
  });

  it('is limited to super admins when configured', async () => {
    await site.option('LogClearRootOnly', true);
    const clear = (visitor: ApiClient) => visitor.send('DELETE', '/api/log/?target_timestamp=1');
    expect((await clear(asAdmin)).body.code).toBe('permission_denied');
    expect((await clear(asRoot)).body).toMatchObject({ success: true, data: 0 });
    await site.option('LogClearRootOnly', false);
    expect((await clear(asAdmin)).body.success).toBe(true);
  });
});

it('the cost of a call appears on the dashboard immediately', async () => {
  const user = await site.addUser();
  const { key } = await site.addToken({ owner: user });
  const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };
  const { requestId } = await site.call({ key, body });
  await site.settled(user.id);
  const charged = (await site.logOf(requestId))?.quota;
  const visitor = await signedIn(site, user);
  const overview = (await visitor.send('GET', '/api/data/self/overview')).body.data;
  expect(overview.totals).toMatchObject({ calls: 1, quota: charged });
  const [usage] = (await visitor.send('GET', '/api/data/self')).body.data;
  expect(usage).toMatchObject({ model_name: 'gpt-4o-mini', count: 1, quota: charged });
});
