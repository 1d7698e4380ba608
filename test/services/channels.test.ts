import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRouting, type Routing } from '../../src/services/views/routing.ts';
import { databases } from '../databases.ts';
import { type Clients, OPERATOR, type World, world } from '../world.ts';

const NEW = { name: 'main', key: 'sk-first-key-000001', models: 'gpt-4o,gpt-4o-mini' };

describe.each(databases)('channels on $kind', ({ kind }) => {
  let site: World;
  let api: Clients;
  let routing: Routing;
  beforeAll(async () => {
    site = await world(kind);
    api = site.as(OPERATOR);
    routing = createRouting(site.ctx.reads, site.ctx.secrets, site.ctx.changes, site.ctx.log);
    await routing.load();
  });
  afterAll(() => site.close());

  const abilities = async (channelId: number) => {
    const rows = await site.ctx
      .db('abilities')
      .where({ channel_id: channelId })
      .orderBy(['group', 'model']);
    return rows.map((row) => `${row.group}/${row.model}${row.enabled ? '' : ' off'}`);
  };

  it('a new channel serves its models in its groups at once', async () => {
    const made = await api.channel.create({
      ...NEW,
      type: 'deepseek',
      group: 'default, vip',
      base_url: 'https://api.example.org/v1/',
    });
    expect(made).toMatchObject({
      type: 43,
      status: 1,
      group: 'default,vip',
      base_url: 'https://api.example.org/v1',
      auto_ban: 1,
      priority: 0,
      key: 'sk-fir***0001',
    });
    expect(await abilities(made.id)).toEqual([
      'default/gpt-4o',
      'default/gpt-4o-mini',
      'vip/gpt-4o',
      'vip/gpt-4o-mini',
    ]);
    const [candidate] = routing.candidates('vip', 'gpt-4o');
    expect(candidate).toMatchObject({ id: made.id, keys: [{ key: NEW.key }] });
    await api.channel.remove({ id: made.id });
    expect(routing.candidates('vip', 'gpt-4o')).toEqual([]);
    expect(await abilities(made.id)).toEqual([]);
    expect(await site.ctx.db('channel_keys').where({ channel_id: made.id })).toEqual([]);
  });

  it('an edit writes exactly what was sent', async () => {
    const made = await api.channel.create({ ...NEW, priority: 7, tag: 'prod', system_prompt: 'p' });
    const edited = await api.channel.edit({ id: made.id, priority: 0, system_prompt: '' });
    expect(edited).toEqual({ ...made, priority: 0, system_prompt: '' });
    const narrowed = await api.channel.edit({ id: made.id, models: ['gpt-4o'], tag: null });
    expect(narrowed).toMatchObject({ models: 'gpt-4o', tag: '', key: 'sk-fir***0001' });
    expect(await abilities(made.id)).toEqual(['default/gpt-4o']);
    const row = await site.ctx.db('channels').where({ id: made.id }).first('tag');
    expect(row.tag).toBeNull();
    await api.channel.remove({ id: made.id });
  });

  it('a channel that is switched off leaves the candidates, and comes back with all its keys', async () => {
    const { id } = await api.channel.create({ ...NEW, key: 'key-number-one,key-number-two' });
    await site.ctx.db('channel_keys').where({ channel_id: id, position: 0 }).update({ status: 3 });
    const off = await api.channel.setStatus({ id, status: 2, reason: 'invoice open' });
    expect(JSON.parse(off.other_info)).toEqual({
      status_reason: 'invoice open',
      status_time: Date.UTC(2026, 10, 21, 12) / 1000,
    });
    expect(await abilities(id)).toEqual(['default/gpt-4o off', 'default/gpt-4o-mini off']);
    expect(routing.candidates('default', 'gpt-4o')).toEqual([]);
    const on = await api.channel.setStatus({ id, status: 1 });
    expect(on.keys.map((key) => key.status)).toEqual([1, 1]);
    expect(routing.candidates('default', 'gpt-4o')).toHaveLength(1);
    await api.channel.remove({ id });
  });

  it('lists by priority or by id, and finds by name, group, model, type, status, tag and key', async () => {
    const low = await api.channel.create({ ...NEW, name: 'low%', type: 3, tag: 'a' });
    const high = await api.channel.create({
      ...NEW,
      name: 'high',
      key: 'sk-another-key-000002',
      group: 'vip',
      priority: 9,
      status: 2,
      models: 'claude-x',
    });
    const ids = async (query: Parameters<typeof api.channel.list>[0]) =>
      (await api.channel.list(query)).items.map((channel) => channel.id);
    expect(await ids({})).toEqual([high.id, low.id]);
    expect(await ids({ id_sort: 'true' })).toEqual([high.id, low.id].sort((a, b) => b - a));
    expect(await ids({ keyword: 'w%' })).toEqual([low.id]);
    expect(await ids({ keyword: String(high.id) })).toContain(high.id);
    expect(await ids({ keyword: 'sk-another-key-000002' })).toEqual([high.id]);
    expect(await ids({ keyword: 'sk-another-key-000003' })).toEqual([]);
    expect(await ids({ group: 'vip' })).toEqual([high.id]);
    expect(await ids({ model: 'laude' })).toEqual([high.id]);
    expect(await ids({ type: 'azure' })).toEqual([low.id]);
    expect(await ids({ type: '3', status: '' })).toEqual([low.id]);
    expect(await ids({ status: 2 })).toEqual([high.id]);
    expect(await ids({ tag: 'a' })).toEqual([low.id]);
    expect(await api.channel.modelsEnabled({})).toEqual(['gpt-4o', 'gpt-4o-mini']);
    for (const id of [low.id, high.id]) await api.channel.remove({ id });
  });

  it('rebuilds abilities that were lost and drops those of nobody', async () => {
    const { id } = await api.channel.create(NEW);
    await site.ctx.db('abilities').where({ channel_id: id, model: 'gpt-4o' }).delete();
    await site.ctx
      .db('abilities')
      .insert({ group: 'default', model: 'ghost', channel_id: 777, enabled: true });
    expect(await api.channel.fixAbilities({})).toBe(2);
    expect(await abilities(id)).toEqual(['default/gpt-4o', 'default/gpt-4o-mini']);
    expect(await abilities(777)).toEqual([]);
    await api.channel.remove({ id });
  });
});

describe('the fields of a channel', () => {
  let site: World;
  let api: Clients;
  beforeAll(async () => {
    site = await world();
    api = site.as(OPERATOR);
  });
  afterAll(() => site.close());

  it.each([
    [{ name: ' ' }, 'input_invalid', 'name'],
    [{ key: ' \n' }, 'input_invalid', 'key'],
    [{ models: ' , ' }, 'input_invalid', 'models'],
    [{ models: 'm'.repeat(256) }, 'input_invalid', 'models'],
    [{ group: '' }, 'input_invalid', 'group'],
    [{ group: 'default,nowhere' }, 'group_missing', 'group'],
    [{ type: 'no-such-provider' }, 'input_invalid', 'type'],
    [{ type: 999 }, 'input_invalid', 'type'],
    [{ base_url: 'ftp://x' }, 'input_invalid', 'base_url'],
    [{ base_url: 'example.org' }, 'input_invalid', 'base_url'],
    [{ model_mapping: '[]' }, 'input_invalid', 'model_mapping'],
    [{ setting: '{' }, 'input_invalid', 'setting'],
    [{ param_override: '"x"' }, 'input_invalid', 'param_override'],
    [{ status_code_mapping: '3' }, 'input_invalid', 'status_code_mapping'],
    [{ priority: -1000 }, 'input_invalid', 'priority'],
    [{ weight: -1 }, 'input_invalid', 'weight'],
    [{ type: 41 }, 'input_invalid', 'other'],
    [{ type: 41, other: '{"model":"us"}' }, 'input_invalid', 'other'],
    [{ type: 41, other: '{' }, 'input_invalid', 'other'],
  ])('%o is refused by name', async (wrong, code, param) => {
    await expect(api.channel.create({ ...NEW, ...wrong })).rejects.toMatchObject({ code, param });
  });

  it('JSON columns take an object as well as its text', async () => {
    const made = await api.channel.create({
      ...NEW,
      model_mapping: { 'gpt-4o': 'gpt-4o-2026' },
      setting: '{"force_format": true}',
    });
    expect(made.model_mapping).toBe('{"gpt-4o":"gpt-4o-2026"}');
    expect(made.setting).toBe('{"force_format": true}');
  });

  it('iFlytek without a version gets v2.1, Vertex may map models to regions', async () => {
    expect(await api.channel.create({ ...NEW, type: 18 })).toMatchObject({ other: 'v2.1' });
    const regions = '{"default":"us-central1"}';
    const vertex = await api.channel.create({ ...NEW, type: 41, other: regions });
    expect(vertex.other).toBe(regions);
  });

  it('an empty key is refused, an absent one keeps what is there', async () => {
    const { id } = await api.channel.create(NEW);
    await expect(api.channel.edit({ id, key: '' })).rejects.toMatchObject({ param: 'key' });
    expect((await api.channel.get({ id, reveal: true })).key).toBe(NEW.key);
  });

  it('a name can be changed after its group is gone', async () => {
    await api.group.set({ name: 'passing' });
    const { id } = await api.channel.create({ ...NEW, group: 'passing' });
    await api.group.remove({ name: 'passing', force: true });
    expect(await api.channel.edit({ id, name: 'left' })).toMatchObject({ group: 'passing' });
  });

  it('shows keys to super admins who ask for them, to nobody else', async () => {
    const { id } = await api.channel.create({ ...NEW, key: 'key-number-one\nkey-number-two' });
    const [root, admin] = [await site.aUser({ role: 100 }), await site.aUser({ role: 10 })];
    const ofRoot = site.as(root.actor).channel;
    expect((await ofRoot.get({ id, reveal: true })).key).toBe('key-number-one\nkey-number-two');
    expect((await ofRoot.get({ id })).key).toBe('key-nu***-one\nkey-nu***-two');
    await expect(site.as(admin.actor).channel.get({ id, reveal: true })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    const rows = await site.ctx.db('channel_keys').where({ channel_id: id });
    expect(JSON.stringify(rows)).not.toContain('key-number-one');
  });

  it('a copy has the keys, starts switched off and with nothing used', async () => {
    const made = await api.channel.create({ ...NEW, tag: 't', priority: 3 });
    await site.ctx.db('channels').where({ id: made.id }).update({ used_quota: 50, balance: 2 });
    const copied = await api.channel.copy({ id: made.id });
    expect(copied).toMatchObject({
      name: 'main_copy',
      status: 2,
      tag: 't',
      priority: 3,
      used_quota: 0,
      balance: 0,
    });
    expect((await api.channel.get({ id: copied.id, reveal: true })).key).toBe(NEW.key);
  });

  it('what is not there is missing, by every call', async () => {
    const asks = [
      api.channel.get({ id: 9999 }),
      api.channel.edit({ id: 9999, name: 'x' }),
      api.channel.remove({ id: 9999 }),
      api.channel.setStatus({ id: 9999, status: 1 }),
      api.channel.copy({ id: 9999 }),
    ];
    for (const outcome of await Promise.allSettled(asks))
      expect(outcome).toMatchObject({ reason: { code: 'channel_missing' } });
  });
});
