/** The channel document: export and import. */

import { afterEach, describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const DOCUMENT = {
  channels: [
    {
      name: 'one',
      type: 'deepseek',
      key: 'sk-first-key-000001',
      models: ['deepseek-v4-pro', 'deepseek-v4-flash'],
      groups: ['default', 'vip'],
      model_mapping: { 'deepseek-chat': 'deepseek-v4-flash' },
      cost: { factor: 0.8, rates: { 'deepseek-v4-pro': { input: 1, output: 2 } } },
      priority: 3,
    },
    { name: 'two', key: 'key-number-one\nkey-number-two', models: 'gpt-4o', status: 2 as const },
  ],
};

describe.each(databases)('the channel document on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);
  afterEach(async () => {
    for (const table of ['channels', 'channel_keys', 'abilities'])
      await site.ctx.db(table).delete();
  });

  const count = async () => Number((await site.ctx.db('channels').count({ n: '*' }))[0]?.n);

  it('creates missing channels, and changes nothing when applied again', async () => {
    const made = await api.channelTransfer.importAll(DOCUMENT);
    expect(made).toMatchObject({ created: 2, updated: 0, unchanged: 0 });
    const [one] = made.items;
    expect(await api.channel.get({ id: one?.id ?? 0, reveal: true })).toMatchObject({
      type: 43,
      key: 'sk-first-key-000001',
      models: 'deepseek-v4-pro,deepseek-v4-flash',
      group: 'default,vip',
      model_mapping: '{"deepseek-chat":"deepseek-v4-flash"}',
      cost: '{"factor":0.8,"rates":{"deepseek-v4-pro":{"input":1,"output":2}}}',
      priority: 3,
      status: 1,
    });
    expect(await site.ctx.db('abilities').where({ channel_id: one?.id })).toHaveLength(4);
    const again = await api.channelTransfer.importAll(DOCUMENT);
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    expect(await count()).toBe(2);
  });

  it('writes only the differences, and reports them', async () => {
    await api.channelTransfer.importAll(DOCUMENT);
    const edited = {
      channels: [
        { name: 'one', priority: 4, model_mapping: '{ "deepseek-chat" : "deepseek-v4-flash" }' },
        { name: 'two', status: 1 as const, key: 'key-number-three' },
      ],
    };
    const plan = await api.channelTransfer.importAll({ ...edited, dry_run: true });
    expect(plan).toMatchObject({
      dry_run: true,
      updated: 2,
      items: [
        { name: 'one', action: 'update', changes: ['priority'] },
        { name: 'two', action: 'update', changes: ['status', 'key'] },
      ],
    });
    const { items } = await api.channel.list({ id_sort: true });
    expect(items.map((channel) => [channel.status, channel.priority])).toEqual([
      [2, 0],
      [1, 3],
    ]);
    await api.channelTransfer.importAll(edited);
    const after = (await api.channel.list({ id_sort: true })).items;
    expect(after.map((channel) => [channel.status, channel.priority])).toEqual([
      [1, 0],
      [1, 4],
    ]);
    expect(after[0]?.key).toBe('key-nu***hree');
    expect(await api.channelTransfer.importAll(edited)).toMatchObject({ unchanged: 2 });
  });

  it('applied after a masked export changes nothing, and with keys creates a copy', async () => {
    await api.channelTransfer.importAll(DOCUMENT);
    const masked = await api.channelTransfer.exportAll({});
    expect(masked.channels.map((channel) => channel.key)).toEqual([
      'sk-fir***0001',
      'key-nu***-one,key-nu***-two',
    ]);
    expect(masked.channels[0]).toMatchObject({
      type: 'deepseek',
      group: ['default', 'vip'],
      model_mapping: { 'deepseek-chat': 'deepseek-v4-flash' },
    });
    expect(await api.channelTransfer.importAll(masked as never)).toMatchObject({ unchanged: 2 });
    const whole = await api.channelTransfer.exportAll({ keys: true });
    await site.ctx.db('channels').delete();
    await site.ctx.db('channel_keys').delete();
    expect(await api.channelTransfer.importAll(whole as never)).toMatchObject({ created: 2 });
    expect(await api.channelTransfer.exportAll({ keys: true })).toEqual(whole);
  });

  it('keeps stored keys named by mask or in full, and refuses unknown masks', async () => {
    const { items } = await api.channelTransfer.importAll(DOCUMENT);
    const { id, keys } = await api.channel.get({ id: items[1]?.id ?? 0 });
    const importKey = (key: string) =>
      api.channelTransfer.importAll({ channels: [{ name: 'two', key }] });
    await expectRefusal(importKey('key-nu***-one,key-nu***hree'), 'channel_key_masked', {
      params: { field: 'channels.0.key', number: 2 },
    });
    await importKey('key-nu***-one,key-nu***-two,key-number-three');
    expect((await api.channel.get({ id })).keys).toHaveLength(3);
    await importKey('key-nu***-one,key-number-two');
    expect((await api.channel.get({ id })).keys).toEqual(keys);
  });

  it('is not applied at all if one entry is invalid, which is named by its position', async () => {
    const broken = (channel: object) =>
      api.channelTransfer.importAll({ channels: [...DOCUMENT.channels, channel] } as never);
    for (const [channel, code, param] of [
      [{ name: 'one', priority: 1 }, 'input_invalid', 'channels.2.name'],
      [{ name: 'x', models: 'm' }, 'input_invalid', 'channels.2.key'],
      [{ name: 'x', models: 'm', key: 'sk-fir***0001' }, 'channel_key_masked', 'channels.2.key'],
      [{ name: 'x', key: 'k' }, 'input_invalid', 'channels.2.models'],
      [{ name: 'x', key: 'k', models: 'm', group: 'nowhere' }, 'group_missing', 'channels.2.group'],
      [{ name: 'x', key: 'k', models: 'm', type: 41 }, 'input_invalid', 'channels.2.other'],
      [{ name: 'x', key: 'k', models: 'm', setting: '[' }, 'input_invalid', 'channels.2.setting'],
    ] as const)
      await expect(broken(channel)).rejects.toMatchObject({ code, param });
    expect(await count()).toBe(0);
  });

  it('exports channels of the same name with their ids, and matches them by id', async () => {
    await api.channelTransfer.importAll(DOCUMENT);
    const { id } = await site.aChannel({ name: 'same' });
    const other = await site.aChannel({ name: 'same', priority: 5 });
    const { channels } = await api.channelTransfer.exportAll({});
    expect(channels.map((channel) => channel.id)).toEqual([undefined, undefined, id, other.id]);
    const again = await api.channelTransfer.importAll({ channels } as never);
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 4 });
  });

  it('refuses two channels that have the same name', async () => {
    await site.aChannel({ name: 'same' });
    await site.aChannel({ name: 'same' });
    await expectRefusal(
      api.channelTransfer.importAll({ channels: [{ name: 'same', priority: 1 }] }),
      'channel_name_ambiguous',
    );
  });

  it('matches a channel by id whatever its name, and refuses an unknown id', async () => {
    const { id } = await site.aChannel({ name: 'same' });
    await site.aChannel({ name: 'same' });
    const renamed = { channels: [{ id, name: 'other', priority: 3 }] };
    expect(await api.channelTransfer.importAll(renamed)).toMatchObject({
      items: [{ id, name: 'same', action: 'update', changes: ['name', 'priority'] }],
    });
    expect(await api.channelTransfer.importAll(renamed)).toMatchObject({ unchanged: 1 });
    const unknown = { channels: [{ id: id + 1_000, name: 'other', models: 'm', key: 'k' }] };
    await expectRefusal(api.channelTransfer.importAll(unknown), 'input_invalid', {
      param: 'channels.0.id',
    });
  });

  it('does not re-enable an automatically disabled channel by status "on"', async () => {
    const { id } = await site.aChannel({ name: 'sick' });
    await site.ctx.db('channels').where({ id }).update({ status: 3 });
    const item = { name: 'sick', status: 1 as const };
    expect(await api.channelTransfer.importAll({ channels: [item] })).toMatchObject({
      unchanged: 1,
    });
    await api.channelTransfer.importAll({ channels: [{ name: 'sick', status: 2 }] });
    expect((await api.channel.get({ id })).status).toBe(2);
  });

  it('exports keys to super admins only, and records the export', async () => {
    await api.channelTransfer.importAll(DOCUMENT);
    const [root, admin] = [await site.aUser({ role: 100 }), await site.aUser({ role: 10 })];
    const transferOf = (actor: typeof root.actor) => site.as(actor).channelTransfer;
    await expectRefusal(transferOf(admin.actor).exportAll({ keys: true }), 'permission_denied');
    expect(JSON.stringify(await transferOf(admin.actor).exportAll({}))).not.toContain(
      'key-number-one',
    );
    await transferOf(root.actor).exportAll({ keys: true });
    const lines = await site.ctx.db('logs').where({ user_id: root.id });
    expect(lines.map((line) => line.content)).toContain('2 channels exported with keys');
  });
});
