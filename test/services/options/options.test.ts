import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PRICE_OPTIONS } from '../../../src/domain/options/rows/pricing.ts';
import { changeOptions, loadOptions } from '../../../src/services/options/options.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import {
  type Clients,
  createLocalSite,
  type LocalSite,
  OPERATOR,
} from '../../support/local-site.ts';

let site: LocalSite;
let api: Clients;
afterEach(() => site.close());

describe.each(databases)('options on $kind', ({ kind }) => {
  beforeEach(async () => {
    site = await createLocalSite(kind);
    api = site.as(OPERATOR);
  });

  it('a saved value applies immediately, and unset restores the default', async () => {
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

  it('a conflicting concurrent change is refused as a whole', async () => {
    const { value: before } = await api.option.get({ key: 'ModelRatio' });
    const put = (name: string) =>
      api.option.set({ key: 'ModelRatio', value: { [name]: 1 }, before });
    const [one, other] = await Promise.allSettled([put('a'), put('b')]);
    expect([one?.status, other?.status].sort()).toEqual(['fulfilled', 'rejected']);
    const options = [
      { key: 'RetryTimes', value: 7, before: '0' },
      { key: 'ModelRatio', value: {}, before },
    ];
    await expectRefusal(api.option.setMany({ options }), 'changed_meanwhile', {
      params: { what: 'ModelRatio' },
    });
    expect(site.ctx.options().get('RetryTimes')).toBe(0);
    const now = await api.option.get({ key: 'ModelRatio' });
    await api.option.set({ key: 'ModelRatio', value: { c: 1 }, before: now.value });
    expect(site.ctx.options().get('ModelRatio')).toEqual({ c: 1 });
  });

  it('concurrent read-modify-write changes do not overwrite each other', async () => {
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

describe('option secrets and permissions', () => {
  beforeEach(async () => {
    site = await createLocalSite();
    api = site.as(OPERATOR);
  });

  it('a secret cannot be found by guessing its value', async () => {
    const guess = { key: 'SMTPToken', value: 'new', before: 'hunter2hunter2' };
    await expectRefusal(api.option.set(guess), 'input_invalid');
    await expectRefusal(api.option.set({ ...guess, before: '' }), 'input_invalid');
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
    const named = await api.option.list({ secrets: true });
    expect(named.find(({ key }) => key === 'SMTPToken')).toEqual({
      key: 'SMTPToken',
      value: '',
      changed: true,
      is_set: true,
    });
    expect(named.find(({ key }) => key === 'EpayKey')).toMatchObject({ value: '', is_set: false });
    expect(JSON.stringify(await api.log.list({}))).not.toContain('hunter2');
  });

  it('an empty secret keeps the stored one, unset deletes it', async () => {
    await api.option.set({ key: 'SMTPToken', value: 'hunter2hunter2' });
    await api.option.set({ key: 'SMTPToken', value: '' });
    expect(site.ctx.options().get('SMTPToken')).toBe('hunter2hunter2');
    await api.option.unset({ key: 'SMTPToken' });
    expect(site.ctx.options().get('SMTPToken')).toBe('');
  });

  it('an admin neither sees nor changes options for super admins', async () => {
    const admin = site.as((await site.aUser({ role: 10 })).actor);
    const keys = (await admin.option.list({})).map((option) => option.key);
    expect(keys).toContain('RetryTimes');
    expect(keys).not.toContain('PayAddress');
    const named = (await admin.option.list({ secrets: true })).map((option) => option.key);
    expect(named).toEqual(keys);
    for (const call of [
      admin.option.get({ key: 'PayAddress' }),
      admin.option.set({ key: 'PayAddress', value: 'https://x.org' }),
      admin.option.unset({ key: 'PayAddress' }),
    ])
      await expectRefusal(call, 'permission_denied');
  });

  it('lists by prefix and only changed options', async () => {
    await api.option.set({ key: 'claude.thinking_adapter_enabled', value: false });
    expect(await api.option.list({ prefix: 'claude.', changed: 'true' })).toEqual([
      { key: 'claude.thinking_adapter_enabled', value: 'false', changed: true },
    ]);
  });

  it.each([
    ['RetryTimes', 'many', 'option_invalid'],
    ['FailedCallDays', 101, 'option_invalid'],
    ['GroupRatio', '{"default":-1}', 'option_invalid'],
    ['GitHubOAuthEnabled', true, 'option_invalid'],
    ['NoSuchOption', 'x', 'option_unknown'],
  ])('%s refuses %s, and nothing is written', async (key, value, code) => {
    await expect(api.option.set({ key, value })).rejects.toMatchObject({ code, param: key });
    expect(await site.ctx.db('options')).toEqual([]);
  });

  it('a save logs key and actor; saving the same value again logs nothing', async () => {
    const root = await site.aUser({ role: 100 });
    await site.as(root.actor).option.set({ key: 'RetryTimes', value: '2' });
    await site.as(root.actor).option.set({ key: 'RetryTimes', value: 2 });
    const { items } = await api.log.list({ username: root.username, type: 3 });
    const lines = items.filter((line) => line.content.startsWith('Option'));
    expect(lines.map((line) => [line.content, JSON.parse(line.other)])).toEqual([
      [
        'Option RetryTimes changed',
        {
          action: 'option_set',
          key: 'RetryTimes',
          old: '0',
          new: '2',
          event: 'option_changed',
          params: { key: 'RetryTimes' },
          admin_info: { actor: `user:${root.id}` },
        },
      ],
    ]);
  });

  it('accepts the JSON form of an option: a list, a map, a switch', async () => {
    await api.option.set({ key: 'GroupRatio', value: { default: 1, team: 0.5 } });
    await api.option.set({ key: 'SensitiveWords', value: ['one', 'two'] });
    await api.option.set({ key: 'RegisterEnabled', value: false });
    const options = site.ctx.options();
    expect({ ...options.get('GroupRatio') }).toEqual({ default: 1, team: 0.5 });
    expect(options.get('SensitiveWords')).toEqual(['one', 'two']);
    expect(options.get('RegisterEnabled')).toBe(false);
  });

  it('trailing slashes are removed from an address', async () => {
    for (const key of ['ServerAddress', 'WorkerUrl', 'PayAddress'] as const) {
      await api.option.set({ key, value: 'https://gateway.example//' });
      expect(site.ctx.options().get(key)).toBe('https://gateway.example');
    }
  });

  it('a style sheet cannot contain a script', async () => {
    const set = api.option.set({ key: 'global_css', value: 'a{}</style><SCRIPT>1</script>' });
    await expectRefusal(set, 'option_invalid', { param: 'global_css' });
  });

  it('a reset of model ratios restores the whole built-in price of every model', async () => {
    const names = { model: 'gpt-4o' };
    const builtIn = await api.price.get(names);
    await api.price.set({ ...names, in: 2, out: 0, cache: 0, cacheWrite: 0 });
    await api.option.setMany({
      options: [
        { key: 'AudioRatio', value: { 'gpt-4o': 0 } },
        { key: 'AudioCompletionRatio', value: { 'gpt-4o': 0 } },
        { key: 'ServiceTierRatio', value: { 'gpt-4o': { priority: 0 } } },
      ],
    });
    await api.option.resetModelRatio({});
    expect(await api.price.get(names)).toEqual(builtIn);
    for (const key of PRICE_OPTIONS) expect(site.ctx.options().raw(key)).toBe('{}');
  });
});

describe('several options saved together', () => {
  beforeEach(async () => {
    site = await createLocalSite();
    api = site.as(OPERATOR);
  });

  it('are saved atomically, a switch with the value it needs, in any order', async () => {
    await api.option.setMany({
      options: [
        { key: 'GitHubOAuthEnabled', value: true },
        { key: 'GitHubClientId', value: 'abc' },
        { key: 'GitHubClientSecret', value: '' },
      ],
    });
    expect(site.ctx.options().get('GitHubOAuthEnabled')).toBe(true);
  });

  it('are not saved at all when one of them is invalid', async () => {
    const options = [
      { key: 'RetryTimes', value: 3 },
      { key: 'FailedCallDays', value: 101 },
    ];
    await expectRefusal(api.option.setMany({ options }), 'option_invalid', {
      param: 'FailedCallDays',
    });
    expect(await site.ctx.db('options')).toEqual([]);
  });

  it('are not saved at all when one of them requires a higher role', async () => {
    const admin = site.as((await site.aUser({ role: 10 })).actor);
    const options = [
      { key: 'RetryTimes', value: 3 },
      { key: 'EpayKey', value: '' },
    ];
    await expectRefusal(admin.option.setMany({ options }), 'permission_denied');
    expect(await site.ctx.db('options')).toEqual([]);
  });

  it.each([
    [{ enabled: true, single_price: '0.1', input_ratio: '', completion_ratio: null }, true],
    [{ enabled: true, input_ratio: 1, completion_ratio: 2 }, true],
    [{ enabled: false }, true],
    [{ enabled: true, single_price: 0.1, input_ratio: 1 }, false],
    [{ enabled: true, input_ratio: 1 }, false],
    [{ enabled: true, input_ratio: 1, completion_ratio: 0 }, false],
    [{ enabled: true, single_price: -1 }, false],
    [{ enabled: true, single_price: 'much' }, false],
  ])('accept the fallback price %o: %s; nothing is saved', async (pricing, fits) => {
    const checked = api.option.validateFallbackPricing(pricing);
    if (fits) await checked;
    else await expectRefusal(checked, 'option_invalid');
    expect(await site.ctx.db('options')).toEqual([]);
  });
});

describe.each(databases)('the audit of option changes on $kind', ({ kind }) => {
  beforeEach(async () => {
    site = await createLocalSite(kind);
    api = site.as(OPERATOR);
  });

  it('records who changed which value to which, the latest first', async () => {
    const admin = await site.aUser({ role: 10 });
    await api.option.set({ key: 'RetryTimes', value: 1 });
    site.pass(60);
    await site.as(admin.actor).option.set({ key: 'RetryTimes', value: 2 });
    const { items, total } = await api.option.audit({ key: 'RetryTimes' });
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { key: 'RetryTimes', username: admin.username, old_value: '1', new_value: '2' },
      { key: 'RetryTimes', user_id: 0, username: '', old_value: '0', new_value: '1' },
    ]);
    expect((items[0]?.created_at ?? 0) - (items[1]?.created_at ?? 0)).toBe(60);
  });

  it('contains no secret value, and hides options the reader may not see', async () => {
    const admin = site.as((await site.aUser({ role: 10 })).actor);
    await api.option.set({ key: 'SMTPToken', value: 'hunter2hunter2' });
    await api.option.set({ key: 'SMTPToken', value: 'correct horse' });
    await api.option.set({ key: 'custom_head_html', value: '<meta name="private">' });
    const all = await api.option.audit({});
    expect(all.items.map(({ key, old_value, new_value }) => [key, old_value, new_value])).toEqual([
      ['custom_head_html', '', '<meta name="private">'],
      ['SMTPToken', '***', '***'],
      ['SMTPToken', '', '***'],
    ]);
    expect(await admin.option.audit({})).toMatchObject({ items: [], total: 0 });
    expect(await admin.option.audit({ key: 'SMTPToken' })).toMatchObject({ total: 0 });
    const lines = JSON.stringify(await site.ctx.db('logs').select('content', 'other'));
    expect(lines).toContain('custom_head_html');
    expect(lines).not.toMatch(/private|hunter2|horse/);
  });
});

it('the default address of the server has its port, and another localhost address is kept', async () => {
  site = await createLocalSite('sqlite', { port: '3101' });
  api = site.as(OPERATOR);
  const key = 'ServerAddress' as const;
  expect(site.ctx.options().get(key)).toBe('http://localhost:3101');
  expect(await api.option.get({ key })).toMatchObject({
    value: 'http://localhost:3101',
    changed: false,
  });
  await api.option.set({ key, value: 'http://localhost:3000' });
  expect(site.ctx.options().get(key)).toBe('http://localhost:3000');
  await api.option.unset({ key });
  expect(site.ctx.options().get(key)).toBe('http://localhost:3101');
});
