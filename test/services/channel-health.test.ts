import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  disableChannel,
  disableKey,
  enableKey,
} from '../../src/services/channels/channel-health.ts';
import { databases } from '../support/databases.ts';
import { OPERATOR, type World, world } from '../support/world.ts';

describe.each(databases)('channel health reports on $kind', ({ kind }) => {
  let site: World;
  beforeAll(async () => {
    site = await world(kind);
  });
  afterAll(() => site.close());

  const shown = (id: number) => site.as(OPERATOR).channel.get({ id });
  const enabledAbilities = async (id: number) =>
    (await site.ctx.db('abilities').where({ channel_id: id, enabled: true })).length;

  it('disable a bad key alone while others are left, and the channel with its last key', async () => {
    const { id, keys } = await site.aChannel({ key: 'key-number-one,key-number-two' });
    const [first, second] = keys.map((key) => key.id);
    const report = (keyId = 0) =>
      disableKey(site.ctx, { channelId: id, keyId, reason: '401 no such key' });
    expect(await report(first)).toBe('key');
    expect(await shown(id)).toMatchObject({ status: 1, keys: [{ status: 3 }, { status: 1 }] });
    expect(await report(first)).toBe('none');
    expect(await report(second)).toBe('channel');
    const off = await shown(id);
    expect(off.status).toBe(3);
    expect(JSON.parse(off.other_info)).toMatchObject({ status_reason: '401 no such key' });
    expect(await enabledAbilities(id)).toBe(0);
  });

  it('disable the channel when two concurrent reports concern its last two keys', async () => {
    const { id, keys } = await site.aChannel({ key: 'key-number-one,key-number-two' });
    const outcomes = await Promise.all(
      keys.map((key) => disableKey(site.ctx, { channelId: id, keyId: key.id, reason: 'x' })),
    );
    expect(outcomes.sort()).toEqual(['channel', 'key']);
    expect((await shown(id)).status).toBe(3);
  });

  it('do not change a manually disabled channel', async () => {
    const { id, keys } = await site.aChannel({ status: 2 });
    const [key] = keys;
    expect(await disableChannel(site.ctx, { channelId: id, reason: 'x' })).toBe(false);
    await disableKey(site.ctx, { channelId: id, keyId: key?.id ?? 0, reason: 'x' });
    expect((await shown(id)).status).toBe(2);
    expect(await enableKey(site.ctx, { channelId: id, keyId: key?.id ?? 0 })).toBe('none');
    expect((await shown(id)).status).toBe(2);
  });

  it('re-enable a key that works again, and its automatically disabled channel', async () => {
    const { id, keys } = await site.aChannel({ key: 'key-number-one,key-number-two' });
    const reports = keys.map((key) => ({ channelId: id, keyId: key.id, reason: 'x' }));
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

  it('do not revert concurrent edits or usage', async () => {
    const { id } = await site.aChannel();
    await Promise.all([
      disableChannel(site.ctx, { channelId: id, reason: 'x' }),
      site.as(OPERATOR).channel.edit({ id, name: 'renamed', priority: 5 }),
      site.ctx.db('channels').where({ id }).increment('used_quota', 9),
    ]);
    expect(await shown(id)).toMatchObject({
      name: 'renamed',
      priority: 5,
      used_quota: 9,
      status: 3,
    });
    expect(await enabledAbilities(id)).toBe(0);
  });

  it('do nothing for a deleted channel or key', async () => {
    expect(await disableKey(site.ctx, { channelId: 9999, keyId: 1, reason: 'x' })).toBe('none');
    expect(await disableChannel(site.ctx, { channelId: 9999, reason: 'x' })).toBe(false);
  });
});
