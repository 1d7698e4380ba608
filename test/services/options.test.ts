import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeOptions, loadOptions } from '../../src/services/options.ts';
import { databases } from '../databases.ts';
import { type Clients, OPERATOR, type World, world } from '../world.ts';

let site: World;
let api: Clients;
afterEach(() => site.close());

describe.each(databases)('options on $kind', ({ kind }) => {
  beforeEach(async () => {
    site = await world(kind);
    api = site.as(OPERATOR);
  });

  it('a saved value is in force at once, and unset brings the default back', async () => {
    await api.option.set({ key: 'RetryTimes', value: 3 });
    expect(site.ctx.options().get('RetryTimes')).toBe(3);
    expect(await api.option.get({ key: 'RetryTimes' })).toMatchObject({
      value: '3',
      changed: true,
    });
    await api.option.unset({ key: 'RetryTimes' });
    expect(site.ctx.options().get('RetryTimes')).toBe(0);
    expect(await site.ctx.db('options')).toEqual([]);
  });

  it('a second save of a key replaces the first', async () => {
    for (const value of ['One', 'Two']) await api.option.set({ key: 'SystemName', value });
    expect(await site.ctx.db('options')).toEqual([{ key: 'SystemName', value: 'Two' }]);
  });

  it('changes that build on what is there do not lose each other', async () => {
    const add = (name: string) =>
      changeOptions(site.ctx, OPERATOR, async (_ctx, options) => [
        { key: 'ModelRatio', value: { ...options.get('ModelRatio'), [name]: 1 } },
      ]);
    const names = Array.from({ length: 12 }, (_, index) => `model-${index}`);
    await Promise.all(names.map(add));
    const saved = Object.keys((await loadOptions(site.ctx)).get('ModelRatio'));
    expect(saved.sort()).toEqual(names.sort());
  });
});

describe('what options keep to themselves', () => {
  beforeEach(async () => {
    site = await world();
    api = site.as(OPERATOR);
  });

  it('a secret is sealed at rest and never read back, only known to be set', async () => {
    await api.option.set({ key: 'SMTPToken', value: 'hunter2hunter2' });
    const stored = JSON.stringify(await site.ctx.db('options'));
    expect(stored).not.toContain('hunter2');
    expect(site.ctx.options().get('SMTPToken')).toBe('hunter2hunter2');
    expect(await api.option.get({ key: 'SMTPToken' })).toEqual({
      key: 'SMTPToken',
      value: '',
      changed: true,
      secret: true,
      is_set: true,
    });
    expect(JSON.stringify(await api.option.list({}))).not.toContain('SMTPToken');
    expect(JSON.stringify(await api.log.list({}))).not.toContain('hunter2');
  });

  it('an empty secret keeps the stored one, unset drops it', async () => {
    await api.option.set({ key: 'SMTPToken', value: 'hunter2hunter2' });
    await api.option.set({ key: 'SMTPToken', value: '' });
    expect(site.ctx.options().get('SMTPToken')).toBe('hunter2hunter2');
    await api.option.unset({ key: 'SMTPToken' });
    expect(site.ctx.options().get('SMTPToken')).toBe('');
  });

  it('an admin neither sees nor changes what only a super admin may', async () => {
    const admin = site.as((await site.aUser({ role: 10 })).actor);
    const keys = (await admin.option.list({})).map((option) => option.key);
    expect(keys).toContain('RetryTimes');
    expect(keys).not.toContain('PayAddress');
    for (const ask of [
      admin.option.get({ key: 'PayAddress' }),
      admin.option.set({ key: 'PayAddress', value: 'https://x.org' }),
      admin.option.unset({ key: 'PayAddress' }),
    ])
      await expect(ask).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('lists by prefix and only what was changed', async () => {
    await api.option.set({ key: 'claude.thinking_adapter_enabled', value: false });
    expect(await api.option.list({ prefix: 'claude.', changed: 'true' })).toEqual([
      { key: 'claude.thinking_adapter_enabled', value: 'false', changed: true },
    ]);
  });

  it.each([
    ['RetryTimes', 'many', 'option_invalid'],
    ['RebatePercentage', 101, 'option_invalid'],
    ['GroupRatio', '{"default":-1}', 'option_invalid'],
    ['GitHubOAuthEnabled', true, 'option_invalid'],
    ['NoSuchOption', 'x', 'option_unknown'],
  ])('%s does not take %s, and nothing is written', async (key, value, code) => {
    await expect(api.option.set({ key, value })).rejects.toMatchObject({ code, param: key });
    expect(await site.ctx.db('options')).toEqual([]);
  });

  it('a save leaves a line with key and actor; saving the same again leaves none', async () => {
    const root = await site.aUser({ role: 100 });
    await site.as(root.actor).option.set({ key: 'RetryTimes', value: '2' });
    await site.as(root.actor).option.set({ key: 'RetryTimes', value: 2 });
    const { items } = await api.log.list({ username: root.username, type: 3 });
    const lines = items.filter((line) => line.content.startsWith('Option'));
    expect(lines.map((line) => [line.content, JSON.parse(line.other)])).toEqual([
      [
        'Option RetryTimes was changed',
        { action: 'option_set', key: 'RetryTimes', admin_info: { actor: `user:${root.id}` } },
      ],
    ]);
  });

  it('model ratios go back to the built-in book', async () => {
    await api.option.set({ key: 'ModelRatio', value: '{"gpt-4o":99}' });
    await api.option.resetModelRatio({});
    expect(site.ctx.options().raw('ModelRatio')).toBe('{}');
  });
});
