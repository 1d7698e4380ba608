import { describe, expect, it } from 'vitest';
import { createRouting } from '../../../src/services/cache/routing-cache.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const NEW = { name: 'main', key: 'sk-first-key-000001', models: 'gpt-4o,gpt-4o-mini' };

describe.each(databases)('channels on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);
  const routing = createRouting(site.ctx.reads, site.ctx.secrets, site.ctx.changes, site.ctx.log);
  await routing.load();

  const abilities = async (channelId: number) => {
    const rows = await site.ctx
      .db('abilities')
      .where({ channel_id: channelId })
      .orderBy(['group', 'model']);
    return rows.map((row) => `${row.group}/${row.model}${row.enabled ? '' : ' off'}`);
  };

  it('a new channel serves its models in its groups immediately', async () => {
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

  it('an edit of a concurrently changed field is refused, one of another field is not', async () => {
    const made = await api.channel.create({ ...NEW, setting: { max_concurrency: 1 } });
    const { setting } = made;
    const edit = (max_concurrency: number) =>
      api.channel.edit({ id: made.id, setting: { max_concurrency }, before: { setting } });
    const [one, other] = await Promise.allSettled([edit(2), edit(3)]);
    expect([one?.status, other?.status].sort()).toEqual(['fulfilled', 'rejected']);
    await expectRefusal(edit(4), 'changed_meanwhile', { params: { what: 'main' } });
    const beside = { id: made.id, priority: 3, before: { priority: made.priority } };
    expect(await api.channel.edit(beside)).toMatchObject({ priority: 3 });
    await api.channel.remove({ id: made.id });
  });

  it('a disabled channel is not a candidate, and gets all its keys back when enabled', async () => {
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

  it('an edit keeps unchanged key rows, and inserts or deletes the others', async () => {
    const [one, two, three] = ['key-number-one', 'key-number-two', 'key-number-three'];
    const { id, keys } = await api.channel.create({ ...NEW, key: `${one},${two}` });
    const off = { status: 3, reason: '401 invalid key', disabled_at: 5 };
    await site.ctx.db('channel_keys').where({ channel_id: id, position: 0 }).update(off);
    const [first, second] = keys.map((key) => key.id);
    const edit = async (key: string) => (await api.channel.edit({ id, name: 'new', key })).keys;
    expect(await edit(`${one}\n${two}`)).toMatchObject([
      { id: first, ...off },
      { id: second, status: 1 },
    ]);
    const added = await edit(`key-nu***-one,key-nu***-two\n${three},${three}`);
    expect(added).toMatchObject([
      { id: first, ...off },
      { id: second },
      { status: 1, position: 2 },
    ]);
    expect(added).toHaveLength(3);
    expect(await edit(`${three}\nkey-nu***-one`)).toMatchObject([
      { id: added[2]?.id, position: 0 },
      { id: first, position: 1, ...off },
    ]);
    expect((await api.channel.get({ id, reveal: true })).key).toBe(`${three},${one}`);
    await api.channel.remove({ id });
  });

  it('lists by priority or by id, and filters by name, group, model, type, status, tag and key', async () => {
    const low = await api.channel.create({
      ...NEW,
      name: 'low%',
      type: 3,
      base_url: 'https://a.example.test',
      tag: 'a',
    });
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
    await api.channel.edit({ id: low.id, base_url: 'https://relay.example.test/eu' });
    expect(await ids({ keyword: 'example.test/eu' })).toEqual([low.id]);
    expect(await ids({ group: 'vip' })).toEqual([high.id]);
    expect(await ids({ model: 'laude' })).toEqual([high.id]);
    expect(await ids({ type: 'azure' })).toEqual([low.id]);
    expect(await ids({ type: '3', status: '' })).toEqual([low.id]);
    expect(await ids({ status: 2 })).toEqual([high.id]);
    expect(await ids({ tag: 'a' })).toEqual([low.id]);
    expect(await api.channel.modelsEnabled({})).toEqual(['gpt-4o', 'gpt-4o-mini']);
    for (const id of [low.id, high.id]) await api.channel.remove({ id });
  });

  it('rebuilds missing abilities and deletes orphaned ones', async () => {
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
