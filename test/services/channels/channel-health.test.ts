import { describe, expect, it } from 'vitest';
import { localApi } from '../../../src/handlers.ts';
import {
  disableChannel,
  disableKey,
  enableKey,
} from '../../../src/services/channels/channel-health.ts';
import { refusalReason, storedReason } from '../../../src/services/channels/channel-reasons.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const REASON = refusalReason({ status: 401, message: 'no such key' });
const SLOW_EN = 'Slow: no answer within 2.5 s';

describe.each(databases)('channel health reports on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const shown = (id: number) => site.as(OPERATOR).channel.get({ id });
  const enabledAbilities = async (id: number) =>
    (await site.ctx.db('abilities').where({ channel_id: id, enabled: true })).length;

  it('disable a bad key alone while others are left, and the channel with its last key', async () => {
    const { id, keys } = await site.aChannel({ key: 'key-number-one,key-number-two' });
    const [first, second] = keys.map((key) => key.id);
    const report = (keyId = 0) => disableKey(site.ctx, { channelId: id, keyId, reason: REASON });
    expect(await report(first)).toBe('key');
    expect(await shown(id)).toMatchObject({ status: 1, keys: [{ status: 3 }, { status: 1 }] });
    expect(await report(first)).toBe('none');
    expect(await report(second)).toBe('channel');
    const off = await shown(id);
    expect(off.status).toBe(3);
    expect(JSON.parse(off.other_info)).toMatchObject({
      status_reason: 'The upstream answered 401: no such key',
    });
    expect(await enabledAbilities(id)).toBe(0);
  });

  it('disable the channel when two concurrent reports concern its last two keys', async () => {
    const { id, keys } = await site.aChannel({ key: 'key-number-one,key-number-two' });
    const outcomes = await Promise.all(
      keys.map((key) => disableKey(site.ctx, { channelId: id, keyId: key.id, reason: REASON })),
    );
    expect(outcomes.sort()).toEqual(['channel', 'key']);
    expect((await shown(id)).status).toBe(3);
  });

  it('do not change a manually disabled channel', async () => {
    const { id, keys } = await site.aChannel({ status: 2 });
    const [key] = keys;
    expect(await disableChannel(site.ctx, { channelId: id, reason: REASON })).toBe(false);
    await disableKey(site.ctx, { channelId: id, keyId: key?.id ?? 0, reason: REASON });
    expect((await shown(id)).status).toBe(2);
    expect(await enableKey(site.ctx, { channelId: id, keyId: key?.id ?? 0 })).toBe('none');
    expect((await shown(id)).status).toBe(2);
  });

  it('re-enable a key that works again, and its automatically disabled channel', async () => {
    const { id, keys } = await site.aChannel({ key: 'key-number-one,key-number-two' });
    const reports = keys.map((key) => ({ channelId: id, keyId: key.id, reason: REASON }));
    for (const report of reports) await disableKey(site.ctx, report);
    const [first, second] = reports;
    if (first === undefined || second === undefined) throw new Error('two keys were made');
    expect(await enableKey(site.ctx, second)).toBe('channel');
    expect(await shown(id)).toMatchObject({
      status: 1,
      keys: [{ status: 3 }, { status: 1, reason: '' }],
    });
    expect(await enabledAbilities(id)).toBe(1);
    expect(await enableKey(site.ctx, first)).toBe('key');
    expect(await enableKey(site.ctx, first)).toBe('none');
  });

  it('do not revert concurrent edits or balances', async () => {
    const { id } = await site.aChannel();
    await Promise.all([
      disableChannel(site.ctx, { channelId: id, reason: REASON }),
      site.as(OPERATOR).channel.edit({ id, name: 'renamed', priority: 5 }),
      site.ctx.db('channels').where({ id }).increment('balance', 9),
    ]);
    expect(await shown(id)).toMatchObject({
      name: 'renamed',
      priority: 5,
      balance: 9,
      status: 3,
    });
    expect(await enabledAbilities(id)).toBe(0);
  });

  it('store reasons as events, which are worded for the reader', async () => {
    const { id, keys } = await site.aChannel();
    const slow = { event: 'channel_slow', params: { seconds: 2.5 } } as const;
    await disableChannel(site.ctx, { channelId: id, reason: slow });
    const stored = await site.ctx.db('channels').where({ id }).first('other_info');
    expect(JSON.parse(stored.other_info).status_reason).toBe(JSON.stringify(slow));
    const rows = { reason: storedReason(REASON), rest_reason: storedReason(slow) };
    await site.ctx.db('channel_keys').where({ channel_id: id }).update(rows);
    const chinese = localApi(site.ctx, OPERATOR, 'zh').channel;
    const texts = [
      [site.as(OPERATOR).channel, 'The upstream answered 401: no such key', SLOW_EN],
      [chinese, '上游返回 401：no such key', '响应过慢：2.5 秒内没有回答'],
    ] as const;
    for (const [channel, key, rest] of texts)
      for (const view of [
        await channel.get({ id }),
        (await channel.list({ keyword: String(id) })).items.at(-1),
      ])
        expect([JSON.parse(view?.other_info ?? ''), ...(view?.keys ?? [])]).toMatchObject([
          { status_reason: rest },
          { id: keys[0]?.id, reason: key, rest_reason: rest },
        ]);
  });

  it('word the refusal of an upstream that gave no message', async () => {
    const { id, keys } = await site.aChannel();
    const reason = refusalReason({ status: 401, message: '' });
    await disableKey(site.ctx, { channelId: id, keyId: keys[0]?.id ?? 0, reason });
    const words = '上游返回状态码 401，未说明原因';
    const channel = await localApi(site.ctx, OPERATOR, 'zh').channel.get({ id });
    expect(channel.keys).toMatchObject([{ reason: words }]);
    expect(JSON.parse(channel.other_info)).toMatchObject({ status_reason: words });
  });

  it('show reasons of earlier versions and of administrators as they are', async () => {
    const { id } = await site.aChannel();
    const chinese = localApi(site.ctx, OPERATOR, 'zh').channel;
    const off = await chinese.setStatus({ id, status: 2, reason: 'invoice "event" open' });
    expect(JSON.parse(off.other_info).status_reason).toBe('invoice "event" open');
    await site.ctx.db('channel_keys').where({ channel_id: id }).update({ reason: '401 old text' });
    const other_info = '{"status_reason":"balance 0 USD","status_time":1,"more":[2]}';
    await site.ctx.db('channels').where({ id }).update({ other_info });
    expect(await chinese.get({ id })).toMatchObject({
      other_info,
      keys: [{ reason: '401 old text' }],
    });
  });

  it('cut a long message of the upstream, so that the reason fits its column', async () => {
    const message = `${'\u0000"\n\ud83d'.repeat(90)}${'🌍'.repeat(300)}`;
    const { id, keys } = await site.aChannel();
    const report = { channelId: id, keyId: keys[0]?.id ?? 0 };
    await disableKey(site.ctx, { ...report, reason: refusalReason({ status: 500, message }) });
    const [key] = (await shown(id)).keys;
    expect(key?.reason).toMatch(/^The upstream answered 500: "\n/);
  });

  it('do nothing for a deleted channel or key', async () => {
    expect(await disableKey(site.ctx, { channelId: 9999, keyId: 1, reason: REASON })).toBe('none');
    expect(await disableChannel(site.ctx, { channelId: 9999, reason: REASON })).toBe(false);
  });
});
