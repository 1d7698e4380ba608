import { describe, expect, it } from 'vitest';
import { sumLedger } from '../../../src/store/ledger/ledger-sums.ts';
import { insertFailedCalls, pruneFailedCalls } from '../../../src/store/logs/failed-calls.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

describe.each(databases)('the ledger checks on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);
  const user = await site.aUser({ quota: 10_000 });
  const tokenId = (await site.aToken(user, { remain_quota: 5000 })).id;
  const channelId = (await site.aChannel()).id;

  const hold = (requestId: string) =>
    site.ctx.ledger.hold({
      kind: 'hold',
      requestId,
      userId: user.id,
      tokenId,
      userUnits: 300,
      tokenUnits: 300,
      node: 'test-node',
      createdAtSec: 100,
      lifetimeSec: 200,
    });
  const close = (requestId: string, units: number) =>
    site.ctx.ledger.close({
      kind: 'close',
      requestId,
      hold: { userId: user.id, tokenId, userUnits: 300, tokenUnits: 300 },
      charge: {
        key: `call:${requestId}`,
        cause: 'charge',
        userId: user.id,
        tokenId,
        channelId,
        userUnits: -units,
        tokenUnits: -units,
        channelUnits: units,
        createdAtSec: 150,
      },
      logs: [
        {
          request_id: requestId,
          user_id: user.id,
          created_at: 150,
          type: 2,
          content: '',
          username: user.username,
          token_name: '',
          model_name: 'gpt-4o',
          quota: units,
          cost: null,
          prompt_tokens: 1,
          completion_tokens: 1,
          use_time: 0,
          use_time_ms: 1,
          first_token_ms: 1,
          is_stream: false,
          channel_id: channelId,
          token_id: tokenId,
          group: 'default',
          client_ip: '',
          usage_source: 'upstream',
          other: JSON.stringify({ model_ratio: 1.25, admin_info: { use_channel: ['7', '9'] } }),
        },
      ],
    });

  it('agree with all balances after calls, including open holds', async () => {
    await Promise.all([hold('a'), hold('b'), hold('c')]);
    await Promise.all([close('a', 120), close('b', 80)]);
    expect(await api.ledger.verify({})).toEqual({
      ok: true,
      checked: { users: 1, tokens: 1, channels: 1, holds: 1, entries: 4 },
      differences: [],
    });
    expect(await api.user.get({ id: user.id })).toMatchObject({
      quota: 9800,
      used_quota: 200,
      held: 300,
      request_count: 2,
    });
  });

  it.each([
    ['users', 'quota', 9800, 1],
    ['users', 'used_quota', 200, 5],
    ['users', 'held', 300, -300],
    ['tokens', 'remain_quota', 4800, 2],
    ['tokens', 'used_quota', 200, 2],
    ['tokens', 'held', 300, 1],
  ] as const)('find a wrong %s.%s', async (table, column, expected, by) => {
    await site.ctx.db(table).increment(column, by);
    const { ok, differences } = await api.ledger.verify({});
    await site.ctx.db(table).decrement(column, by);
    expect(ok).toBe(false);
    expect(differences).toEqual([
      { table, id: expect.any(Number), column, stored: expected + by, expected },
    ]);
  });

  it('find a wrong use of a channel when every entry is read', async () => {
    expect(await api.channel.get({ id: channelId })).toMatchObject({ used_quota: 200 });
    await sumLedger(site.ctx);
    expect(await api.channel.get({ id: channelId })).toMatchObject({ used_quota: 200 });
    const sum = () => site.ctx.db('ledger_sums').where({ account: 'channels' });
    await sum().increment('units', 3);
    expect((await api.ledger.verify({ full: true })).differences).toEqual([
      { table: 'channels', id: channelId, column: 'used_quota', stored: 203, expected: 200 },
    ]);
    expect(await api.ledger.verify({ full: true })).toMatchObject({ ok: true });
    expect(await api.channel.get({ id: channelId })).toMatchObject({ used_quota: 200 });
  });

  it('read only what was appended, and find a changed old entry when every entry is read', async () => {
    const charge = () => site.ctx.db('ledger').where({ key: 'call:a' });
    await charge().decrement('user_units', 5);
    expect(await api.ledger.verify({})).toMatchObject({ ok: true });
    const changed = await api.ledger.verify({ full: true });
    expect(changed.checked.entries).toBe(4);
    expect(changed.differences).toEqual([
      { table: 'users', id: user.id, column: 'quota', stored: 9800, expected: 9795 },
      { table: 'users', id: user.id, column: 'used_quota', stored: 200, expected: 205 },
    ]);
    expect((await api.ledger.verify({})).differences).toEqual(changed.differences);
    await charge().increment('user_units', 5);
    expect((await api.ledger.verify({ full: true })).differences).toEqual([
      { table: 'users', id: user.id, column: 'quota', stored: 9795, expected: 9800 },
    ]);
    expect(await api.ledger.verify({ full: true })).toMatchObject({ ok: true });
  });

  it('find an old entry that was changed together with its balance', async () => {
    const change = async (by: number) => {
      await site.ctx.db('ledger').where({ key: 'call:b', user_id: user.id }).increment({
        user_units: by,
      });
      await site.ctx.db('users').where({ id: user.id }).increment('quota', by);
      await site.ctx.db('users').where({ id: user.id }).decrement('used_quota', by);
    };
    await change(7);
    expect(await api.ledger.verify({})).toMatchObject({ ok: false });
    expect((await api.ledger.verify({ full: true })).differences).toEqual([
      { table: 'users', id: user.id, column: 'quota', stored: 9800, expected: 9807 },
    ]);
    await change(-7);
    await api.ledger.verify({ full: true });
    expect(await api.ledger.verify({})).toMatchObject({ ok: true });
  });

  it('find ledger entries of a missing account', async () => {
    await site.ctx.db('ledger').insert({
      key: 'stray',
      cause: 'grant',
      user_id: 4711,
      user_units: 9,
      token_units: 0,
      channel_units: 0,
      detail: '',
      created_at: 1,
    });
    const { differences } = await api.ledger.verify({});
    await sumLedger(site.ctx);
    await site.ctx.db('ledger').where({ key: 'stray' }).delete();
    expect(await api.ledger.verify({})).toMatchObject({ differences });
    await api.ledger.verify({ full: true });
    expect(differences).toEqual([
      { table: 'users', id: 4711, column: 'quota', stored: 0, expected: 9 },
    ]);
  });

  it('agree after concurrent calls, grants and edits', async () => {
    const calls = Array.from({ length: 30 }, async (_, index) => {
      if ((await hold(`mix-${index}`)) === 'done') await close(`mix-${index}`, index);
    });
    const edits = Array.from({ length: 20 }, (_, index) => [
      api.user.setQuota({ id: user.id, mode: 'add', units: index }),
      api.token.edit({ id: tokenId, remain_quota: 20_000 + index }),
    ]);
    await Promise.all([...calls, ...edits.flat()]);
    expect(await api.ledger.verify({})).toMatchObject({ ok: true, differences: [] });
  });

  it('list entries by user, token, channel and cause, newest first', async () => {
    const causes = async (query: Parameters<typeof api.ledger.list>[0]) =>
      (await api.ledger.list(query)).items.map((item) => item.cause);
    const other = await site.aUser({ quota: 7 });
    const { id } = await site.aToken(other, { remain_quota: 5 });
    await api.user.setQuota({ id: other.id, mode: 'add', units: 1 });
    expect(await causes({ user: other.id })).toEqual(['admin_edit', 'token_grant', 'opening']);
    expect(await causes({ token: id })).toEqual(['token_grant']);
    expect(await causes({ user: other.id, cause: 'opening' })).toEqual(['opening']);
    expect(new Set(await causes({ channel: channelId }))).toEqual(new Set(['charge']));
    expect(await causes({ user: 4711 })).toEqual([]);
  });

  it('show the history of a finished call and of a running one', async () => {
    const done = await api.ledger.explain({ request_id: 'a' });
    expect(done).toMatchObject({
      hold: null,
      attempts: [{ channel_id: 7 }, { channel_id: 9 }],
      price: { model_ratio: 1.25 },
    });
    expect(done.logs.map((log) => log.quota)).toEqual([120]);
    expect(done.ledger.map((row) => [row.key, row.user_units])).toEqual([['call:a', -120]]);
    const open = await api.ledger.explain({ request_id: 'c' });
    expect(open).toMatchObject({ logs: [], ledger: [], attempts: [], price: {} });
    expect(open.hold).toMatchObject({ user_id: user.id, user_units: 300, node: 'test-node' });
    await expectRefusal(api.ledger.explain({ request_id: 'x' }), 'request_missing');
  });

  it('explain a failed call until its record is deleted', async () => {
    const attempt = { channel_id: 7, status: 503, code: 'busy', message: "it's \\ 世界 🌍" };
    const failed = {
      request_id: 'failed',
      created_at: 2_000,
      user_id: user.id,
      token_id: tokenId,
      token_name: 'one',
      group: 'default',
      model: 'gpt-4o',
      endpoint: 'chat',
      is_stream: true,
      duration_ms: 12,
      status: 503,
      source: 'upstream',
      code: 'busy',
      params: '',
      attempts: JSON.stringify([attempt]),
    } as const;
    await insertFailedCalls(site.ctx.db, [
      failed,
      { ...failed, request_id: 'later', created_at: 2_001 },
    ]);
    const { params: _, attempts: __, ...shown } = failed;
    expect(await api.ledger.explain({ request_id: 'failed' })).toMatchObject({
      failure: { ...shown, message: '', outcome: 'failed' },
      attempts: [attempt],
      logs: [],
      hold: null,
    });
    expect(await pruneFailedCalls(site.ctx.db, 2_001)).toBe(1);
    await expect(api.ledger.explain({ request_id: 'failed' })).rejects.toThrow('request_missing');
    expect((await api.ledger.explain({ request_id: 'later' })).failure?.created_at).toBe(2_001);
  });
});
