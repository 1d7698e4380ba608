/** Several channels in one call: by ids, by tag, by status. */
import { afterEach, describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

describe.each(databases)('many channels on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);
  afterEach(async () => {
    for (const table of ['channels', 'channel_keys', 'abilities', 'channel_outcomes'])
      await site.ctx.db(table).delete();
  });

  const make = async (...tags: string[]) => {
    const ids: number[] = [];
    for (const [at, tag] of tags.entries())
      ids.push((await site.aChannel({ name: `${tag}-${at}`, tag })).id);
    return ids;
  };
  const shown = (id: number) => api.channel.get({ id });
  const abilities = async (where: object) =>
    (await site.ctx.db('abilities').where(where).orderBy(['channel_id', 'model'])).map(
      (row) => `${row.group}/${row.model} ${row.priority}/${row.weight} ${row.tag}`,
    );

  it('tag mode paginates tags, each with all its channels, and counts tags', async () => {
    const [a1, b1, a2, none, c1] = await make('a', 'b', 'a', '', 'c');
    await api.channelBatch.edit({ ids: [b1 ?? 0], priority: 9 });
    const page = async (query: object) => {
      const { items, total } = await api.channel.list({ tag_mode: 'true', ...query });
      return [items.map((channel) => channel.id), total];
    };
    expect(await page({})).toEqual([[b1, a2, a1, c1], 3]);
    expect(await page({ page_size: 2 })).toEqual([[b1, a2, a1], 3]);
    expect(await page({ page_size: 2, p: 2 })).toEqual([[c1], 3]);
    expect(await page({ id_sort: 'true' })).toEqual([[c1, a2, a1, b1], 3]);
    // One channel matches, and its tag is shown completely.
    expect(await page({ keyword: 'a-0' })).toEqual([[a2, a1], 1]);
    expect(await page({ keyword: 'nothing like it' })).toEqual([[], 0]);
    const { items } = await api.channel.list({ untagged: true });
    expect(items.map((channel) => channel.id)).toEqual([none]);
  });

  it('deletes the chosen channels completely, and counts the existing ones', async () => {
    const [first, second, third] = (await make('a', 'a', 'b')) as [number, number, number];
    expect(await api.channelBatch.remove({ ids: [first, third, third, 99_999] })).toBe(2);
    const left = await api.channel.list({});
    expect(left.items.map((channel) => channel.id)).toEqual([second]);
    for (const table of ['abilities', 'channel_keys'])
      expect(await site.ctx.db(table).whereIn('channel_id', [first, third])).toEqual([]);
    await expect(api.channelBatch.remove({ ids: [] })).rejects.toMatchObject({ param: 'ids' });
  });

  it('sets a tag on the chosen channels, and removes it with null', async () => {
    const [first, second] = (await make('', 'old', '')) as [number, number, number];
    expect(await api.channelBatch.setTag({ ids: [first, second], tag: 'new' })).toBe(2);
    expect(await abilities({ tag: 'new' })).toHaveLength(2);
    expect(await api.channelBatch.setTag({ ids: [second], tag: null })).toBe(1);
    expect((await shown(second)).tag).toBe('');
    expect((await site.ctx.db('channels').where({ id: second }).first('tag')).tag).toBeNull();
    expect(await abilities({ tag: 'new' })).toHaveLength(1);
  });

  it('enables, disables and reorders the chosen channels', async () => {
    const ids = await make('a', 'b');
    expect(await api.channelBatch.edit({ ids, status: 2, priority: -3, weight: 0 })).toBe(2);
    for (const id of ids)
      expect(await shown(id)).toMatchObject({ status: 2, priority: -3, weight: 0 });
    expect(await abilities({ enabled: true })).toEqual([]);
    expect(await api.channelBatch.edit({ ids, status: 1 })).toBe(2);
    expect(await abilities({ enabled: true })).toHaveLength(2);
    await expect(api.channelBatch.edit({ ids })).rejects.toMatchObject({ code: 'input_invalid' });
  });

  it('deletes all manually or automatically disabled channels', async () => {
    const [on, off, auto] = (await make('', '', '')) as [number, number, number];
    await api.channel.setStatus({ id: off, status: 2 });
    await site.ctx.db('channels').where({ id: auto }).update({ status: 3 });
    expect(await api.channelBatch.removeDisabled({})).toBe(2);
    expect(await api.channelBatch.removeDisabled({})).toBe(0);
    expect((await api.channel.list({})).items.map((channel) => channel.id)).toEqual([on]);
    expect(await site.ctx.db('abilities').whereIn('channel_id', [off, auto])).toEqual([]);
  });

  it('an edit of a tag warns of aliases that its channels do not list', async () => {
    await make('warned', 'warned');
    const edit = { tag: 'warned', model_mapping: { ghost: 'gpt-4o' } };
    expect(await api.channelTag.edit(edit)).toMatchObject({
      count: 2,
      warnings: [{ field: 'model_mapping', code: 'alias_unlisted', params: { names: ['ghost'] } }],
    });
    expect(await api.channelTag.edit({ tag: 'warned', priority: 3 })).toEqual({ count: 2 });
  });

  it('an edit of a tag changes the sent fields of all its channels, and no other', async () => {
    const [first, second, other] = (await make('a', 'a', 'b')) as [number, number, number];
    const before = await shown(first);
    expect(
      await api.channelTag.edit({
        tag: 'a',
        new_tag: '',
        models: 'm1, m2',
        groups: '',
        model_mapping: '',
        priority: 5,
        weight: null,
      }),
    ).toEqual({ count: 2 });
    expect(await shown(first)).toEqual({ ...before, models: 'm1,m2', priority: 5 });
    expect(await abilities({ channel_id: second })).toEqual([
      'default/m1 5/0 a',
      'default/m2 5/0 a',
    ]);
    expect((await shown(other)).models).toBe('gpt-4o');
    expect(
      await api.channelTag.edit({ tag: 'a', new_tag: 'z', weight: 0, model_mapping: { m1: 'x' } }),
    ).toEqual({ count: 2 });
    expect(await shown(second)).toMatchObject({ tag: 'z', model_mapping: '{"m1":"x"}' });
    expect(await abilities({ tag: 'z' })).toHaveLength(4);
  });

  it('a whole tag is disabled and enabled, keys included', async () => {
    const [first, second, other] = (await make('a', 'a', 'b')) as [number, number, number];
    await site.ctx.db('channel_keys').where({ channel_id: second }).update({ status: 3 });
    expect(await api.channelTag.disable({ tag: 'a' })).toBe(2);
    expect([(await shown(first)).status, (await shown(other)).status]).toEqual([2, 1]);
    expect(await site.ctx.db('abilities').where({ enabled: true })).toHaveLength(1);
    expect(await api.channelTag.enable({ tag: 'a' })).toBe(2);
    expect((await shown(second)).keys.map((key) => key.status)).toEqual([1]);
    expect(await site.ctx.db('abilities').where({ enabled: true })).toHaveLength(3);
  });

  it.each([
    [{ tag: 'nobody', priority: 1 }, 'channel_tag_missing'],
    [{ tag: 'a' }, 'nothing_changed'],
    [{ tag: 'a', models: '', new_tag: '', groups: '' }, 'nothing_changed'],
    [{ tag: 'a', groups: 'nowhere' }, 'group_missing'],
    [{ tag: 'a', model_mapping: '{' }, 'input_invalid'],
    [{ tag: 'a', model_mapping: '{"x":"y","y":"x"}' }, 'input_invalid'],
    [{ tag: ' ', priority: 1 }, 'input_invalid'],
    [{ tag: 'a', priority: -1000 }, 'input_invalid'],
  ])('the edit %o of a tag is refused', async (edit, code) => {
    await make('a');
    await expect(api.channelTag.edit(edit)).rejects.toMatchObject({ code });
  });

  it('concurrent edits of overlapping sets all succeed', async () => {
    const ids = await make('a', 'a', 'a', 'a', 'b', 'b');
    const reversed = [...ids].reverse();
    await Promise.all([
      api.channelTag.edit({ tag: 'a', models: 'm1' }),
      api.channelBatch.edit({ ids: reversed, weight: 7 }),
      api.channelBatch.edit({ ids, priority: 3 }),
      api.channelTag.edit({ tag: 'b', models: 'm2' }),
    ]);
    const found = await Promise.all(ids.map(shown));
    expect(found.map(({ models, weight, priority }) => [models, weight, priority])).toEqual(
      ['m1', 'm1', 'm1', 'm1', 'm2', 'm2'].map((model) => [model, 7, 3]),
    );
    expect(await abilities({})).toEqual(
      found.map(({ models, tag }) => `default/${models} 3/7 ${tag}`),
    );
  });

  it('a batch is one transaction that invalidates every cache', async () => {
    const ids: number[] = [];
    const rows = Array.from({ length: 150 }, (_, at) => ({ name: `c${at}`, models: 'm', type: 1 }));
    for (const row of rows) ids.push((await site.aChannel(row)).id);
    const received = new Set<number>();
    site.ctx.changes.on('channels', (changed) => {
      if (changed !== 'all') for (const id of changed) received.add(id);
    });
    expect(await api.channelBatch.edit({ ids, priority: 1 })).toBe(150);
    expect(received.size).toBe(150);
    const [line] = await site.ctx.db('logs').orderBy('id', 'desc').limit(1);
    expect(line.content).toBe('150 channels changed: Priority 1');
  });
});
