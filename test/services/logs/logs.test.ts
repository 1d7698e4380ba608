import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/api/call.ts';
import type { LogRow } from '../../../src/store/logs/log-row.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { anEntry, DAY, NOON, writeEntries } from './log-entries.ts';

describe.each(databases)('the usage log on $kind', async ({ kind }) => {
  const entry = (fields: Partial<LogRow>): LogRow =>
    anEntry({ user_id: ann.id, channel_id: channelId, ...fields });

  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);
  const ann = await site.aUser({ username: 'ann' });
  const bob = await site.aUser({ username: 'bob' });
  const channelId = (await site.aChannel({ name: 'main', tag: 'eu' })).id;
  await site.aChannel({ name: 'other', tag: 'us' });
  await site.ctx.db('logs').delete();
  const other = JSON.stringify({ model_ratio: 1.25, admin_info: { use_channel: ['1'] } });
  const error = JSON.stringify({ status_code: 500, channel_id: 1, channel_name: 'main' });
  const rows = [
    entry({ request_id: 'r1', created_at: NOON - 2 * DAY, quota: 10, prompt_tokens: 5 }),
    entry({ request_id: 'r2', created_at: NOON - DAY, quota: 20, model_name: 'gpt_4o' }),
    entry({
      request_id: 'r3',
      created_at: NOON - 30,
      quota: 30,
      cost: 4711,
      prompt_tokens: 7,
      completion_tokens: 3,
      client_ip: '10.0.0.1',
      other,
    }),
    entry({
      request_id: 'r4',
      user_id: bob.id,
      username: 'bob',
      quota: 40,
      model_name: 'o3',
      token_id: 2,
    }),
    entry({ request_id: 'r5', type: 6, other: error }),
  ];
  await writeEntries(site.ctx, rows);

  const requests = async (query: Parameters<typeof api.log.list>[0]) =>
    (await api.log.list(query)).items.map((row) => row.request_id);

  it('is newest first and paginated', async () => {
    expect(await requests({})).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
    expect(await requests({ p: 2, page_size: 2 })).toEqual(['r3', 'r2']);
    expect(await api.log.list({ size: 2 })).toMatchObject({ page: 1, page_size: 2, total: 5 });
  });

  it('filters by the tag that channels have now', async () => {
    expect(await requests({ tag: 'eu', username: 'bob' })).toEqual(['r4']);
    expect(await requests({ tag: 'us' })).toEqual([]);
    expect(await api.log.stat({ tag: 'eu', type: 'spend' })).toMatchObject({ quota: 100 });
    expect(await api.log.stat({ tag: 'us', type: 'spend' })).toMatchObject({ quota: 0 });
  });

  it('filters by every field; names are exact, or patterns of a model or token', async () => {
    expect(await requests({ type: '6' })).toEqual(['r5']);
    expect(await requests({ type: '0', username: 'bob', token_name: '' })).toEqual(['r4']);
    expect(await requests({ model_name: 'gpt_4o' })).toEqual(['r2']);
    expect(await requests({ model_name: 'GPT_*' })).toEqual(['r2']);
    expect(await requests({ model_name: 'gpt*' })).toEqual(['r5', 'r3', 'r2', 'r1']);
    expect(await requests({ model_name: 'gpt%' })).toEqual([]);
    expect(await requests({ token_name: 'ci', username: 'bob' })).toEqual(['r4']);
    expect(await requests({ token_name: 'c*', username: 'bob' })).toEqual(['r4']);
    expect(await requests({ token_name: '*I', channel: channelId, request_id: 'r3' })).toEqual([
      'r3',
    ]);
    expect(await requests({ token_name: 'c' })).toEqual([]);
    expect(await requests({ client_ip: '10.0.0.1' })).toEqual(['r3']);
    expect(await requests({ username: 'nobody' })).toEqual([]);
    expect(await requests({ channel: channelId, request_id: 'r3' })).toEqual(['r3']);
    expect(await requests({ since: NOON - DAY, until: NOON - 30 })).toEqual(['r3', 'r2']);
    expect(await requests({ start_timestamp: NOON, end_timestamp: NOON })).toEqual(['r5', 'r4']);
    expect(await requests({ group: 'vip' })).toEqual([]);
    // Both are named ci.
    expect(await requests({ token_id: 2 })).toEqual(['r4']);
    expect(await api.log.stat({ token_id: '2', type: 'spend' })).toMatchObject({ quota: 40 });
    const own = site.as(ann.actor).log;
    expect((await own.listOwn({ token_id: 2 })).items).toEqual([]);
  });

  it('shows administrators the channel, and the address only if it was recorded', async () => {
    const [r3] = (await api.log.list({ request_id: 'r3' })).items;
    expect(r3).toMatchObject({ channel: channelId, channel_name: 'main', client_ip: '10.0.0.1' });
    const [r4] = (await api.log.list({ request_id: 'r4' })).items;
    expect(r4).not.toHaveProperty('client_ip');
  });

  it('shows costs to administrators only, also of the own entries', async () => {
    const entries = (await api.log.list({ until: NOON - 1 })).items;
    expect(entries.map((row) => row.cost)).toEqual([4711, null, null]);
    expect((await api.log.get({ request_id: 'r3' }))[0]?.cost).toBe(4711);
    const costs = { cost: 4711, costed_quota: 30, margin: -4681 };
    const stat = await api.log.stat({ by: 'channel' });
    expect(stat).toMatchObject({ costs, groups: [{ costs }] });
    expect(await api.log.stat({ username: 'bob' })).not.toHaveProperty('costs');

    const admin: Actor = { ...ann.actor, role: 10 };
    for (const { log } of [site.as(ann.actor), site.as(admin)]) {
      const own = await log.listOwn({ request_id: 'r3' });
      const [entry] = own.items;
      const seen = [
        own,
        await log.detailOwn({ id: entry?.id ?? 0 }),
        await log.searchOwn({ keyword: '2' }),
        await log.statOwn({ by: 'model' }),
      ];
      expect(JSON.stringify(seen)).not.toMatch(/cost|4711/);
    }
    const { log, ledger } = site.as(ann.actor);
    const request = [
      await log.get({ request_id: 'r3' }),
      await ledger.explain({ request_id: 'r3' }),
    ];
    expect(JSON.stringify(request)).not.toMatch(/cost|4711/);
  });

  it('shows users their own entries without upstreams, under opaque ids', async () => {
    const own = site.as(ann.actor).log;
    const { items, total } = await own.listOwn({});
    expect(total).toBe(4);
    expect(items.map((row) => [row.channel, row.channel_name])).toEqual(
      Array.from({ length: 4 }, () => [0, '']),
    );
    expect(JSON.parse(items[1]?.other ?? '')).toEqual({ model_ratio: 1.25 });
    expect(JSON.parse(items[0]?.other ?? '')).toEqual({ status_code: 500 });
    const again = await own.listOwn({});
    expect(again.items.map((row) => row.id)).toEqual(items.map((row) => row.id));
    expect(new Set(items.map((row) => row.id)).size).toBe(4);
    expect(items.every((row) => row.id > 1000)).toBe(true);
  });

  it('shows no user the entries of another', async () => {
    const own = site.as(ann.actor).log;
    await expect(own.get({ request_id: 'r4' })).rejects.toMatchObject({ code: 'request_missing' });
    expect(await own.get({ request_id: 'r3' })).toHaveLength(1);
    expect((await own.list({ username: 'bob' })).total).toBe(4);
    expect((await own.tail({})).length).toBe(4);
  });

  it('sums the range, with the rate of the last minute whatever the range', async () => {
    expect(await api.log.stat({ until: NOON - DAY })).toEqual({
      quota: 30,
      refunds: 0,
      count: 2,
      rpm: 2,
      tpm: 10,
      token_total: 5,
      token_input: 5,
      token_output: 0,
    });
    expect(await api.log.stat({ username: 'bob', type: 2 })).toMatchObject({ quota: 40, rpm: 1 });
    expect(await site.as(bob.actor).log.statOwn({})).toMatchObject({ quota: 40, count: 1 });
    expect(await api.log.stat({ username: 'nobody' })).toMatchObject({ quota: 0, count: 0 });
  });

  it('sums one type when filtered by it, without a call rate', async () => {
    const none = { quota: 0, rpm: 0, tpm: 0, token_total: 0 };
    const { items } = await api.log.list({ type: 6 });
    const errors = { ...none, count: items.length };
    expect(await api.log.stat({ type: 6 })).toMatchObject(errors);
    expect(await site.as(ann.actor).log.statOwn({ type: 6 })).toMatchObject(errors);
    expect(await api.log.stat({ username: 'bob', type: 6 })).toMatchObject({ ...none, count: 0 });
    const topUps = [10, 20].map((quota) => entry({ request_id: '', type: 1, quota }));
    await writeEntries(site.ctx, topUps);
    const { groups, ...sums } = await api.log.stat({ type: 1, by: 'user' });
    expect(sums).toMatchObject({ ...none, quota: 30, count: 2 });
    expect(groups).toMatchObject([{ key: 'ann', quota: 30, count: 2 }]);
    await site.ctx.db('logs').where({ type: 1 }).delete();
  });

  it('groups the sums', async () => {
    const keys = async (by: 'model' | 'day' | 'user' | 'channel') =>
      (await api.log.stat({ by })).groups?.map((group) => [group.key, group.quota, group.count]);
    expect(await keys('model')).toEqual([
      ['gpt-4o', 40, 2],
      ['o3', 40, 1],
      ['gpt_4o', 20, 1],
    ]);
    expect(await keys('user')).toEqual([
      ['ann', 60, 3],
      ['bob', 40, 1],
    ]);
    expect(await keys('channel')).toEqual([[`${channelId} main`, 100, 4]]);
    const noonDay = NOON - (NOON % DAY);
    expect(await keys('day')).toEqual([
      [String(noonDay), 70, 2],
      [String(noonDay - DAY), 20, 1],
      [String(noonDay - 2 * DAY), 10, 1],
    ]);
  });

  it('follows new entries after an id, oldest first; without an id returns the latest', async () => {
    const last = await api.log.tail({ limit: 2 });
    expect(last.map((row) => row.request_id)).toEqual(['r4', 'r5']);
    const after = await api.log.tail({ after: (last[0]?.id ?? 0) - 2, limit: 2 });
    expect(after.map((row) => row.request_id)).toEqual(['r3', 'r4']);
    expect(await api.log.tail({ after: last[1]?.id })).toEqual([]);
  });

  it('deletes entries older than a time, whatever the number, and returns the count', async () => {
    const old = Array.from({ length: 2500 }, () => entry({ created_at: NOON - 90 * DAY }));
    await writeEntries(site.ctx, old);
    expect(await api.log.clear({ target_timestamp: NOON - 2 * DAY })).toBe(2500);
    expect(await api.log.clear({ before: String(NOON - DAY) })).toBe(1);
    expect(await requests({ type: 2 })).toEqual(['r4', 'r3', 'r2']);
    const [note] = (await api.log.list({ type: 3 })).items;
    expect(note?.content).toBe('1 log entry from before 2026-11-20 12:00:00 UTC deleted');
    await expect(api.log.clear({})).rejects.toMatchObject({ param: 'target_timestamp' });
  });
});
