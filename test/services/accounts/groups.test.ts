import { describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

describe.each(databases)('groups on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);

  it('are listed with ratio, label and members', async () => {
    await site.aUser({ group: 'vip' });
    await site.aUser({ group: 'vip' });
    await site.aChannel({ group: 'vip,default', models: 'a,b,c' });
    await site.aChannel({ group: 'vip', models: 'a', status: 2 });
    expect(await api.group.names({})).toEqual(['default', 'vip', 'svip']);
    const { items, total } = await api.group.list({ keyword: 'vip' });
    expect(total).toBe(2);
    expect(items).toEqual([
      { name: 'vip', ratio: 1, selectable: true, label: 'VIP', users: 2, channels: 2 },
      { name: 'svip', ratio: 1, selectable: false, label: '', users: 0, channels: 0 },
    ]);
  });

  it('start at ratio 1; an edit keeps fields that were not sent', async () => {
    expect(await api.group.set({ name: 'team a' })).toMatchObject({ ratio: 1, selectable: false });
    await api.group.set({ name: 'team a', ratio: 0.8, selectable: true, label: 'Team A' });
    expect(await api.group.set({ name: 'team a', ratio: 0.5 })).toMatchObject({
      ratio: 0.5,
      selectable: true,
      label: 'Team A',
    });
    expect(await api.group.set({ name: 'team a', selectable: false })).toMatchObject({
      ratio: 0.5,
      selectable: false,
      label: '',
    });
    await api.group.remove({ name: 'team a' });
    expect(await api.group.names({})).not.toContain('team a');
  });

  it.each([['a,b'], [' '], ['x'.repeat(65)]])('cannot be named %o', async (name) => {
    await expect(api.group.set({ name })).rejects.toMatchObject({ param: 'name' });
  });
});
