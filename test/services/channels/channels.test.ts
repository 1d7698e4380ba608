import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitKeyText } from '../../../src/domain/channels/channel-keys.ts';
import { createRouting, type Routing } from '../../../src/services/cache/routing-cache.ts';
import { inTransaction } from '../../../src/store/connection/transaction.ts';
import { post } from '../../../src/store/ledger/ledger.ts';
import { sumLedger } from '../../../src/store/ledger/ledger-sums.ts';
import { serviceAccount } from '../../support/cloud-credentials.ts';
import { databases } from '../../support/databases.ts';
import {
  type Clients,
  createLocalSite,
  type LocalSite,
  OPERATOR,
} from '../../support/local-site.ts';

const NEW = { name: 'main', key: 'sk-first-key-000001', models: 'gpt-4o,gpt-4o-mini' };

describe.each(databases)('channels on $kind', ({ kind }) => {
  let site: LocalSite;
  let api: Clients;
  let routing: Routing;
  beforeAll(async () => {
    site = await createLocalSite(kind);
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
    await expect(edit(4)).rejects.toMatchObject({
      code: 'changed_meanwhile',
      params: { what: 'main' },
    });
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

const NO_PEM = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';

/** A service account with these fields changed. */
function account(fields: object): string {
  return JSON.stringify({ ...JSON.parse(serviceAccount('p-1')), ...fields });
}

describe('the fields of a channel', () => {
  let site: LocalSite;
  let api: Clients;
  beforeAll(async () => {
    site = await createLocalSite();
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
    [{ setting: { proxy: 'ftp://x' } }, 'input_invalid', 'setting'],
    [{ setting: { proxy: 5 } }, 'input_invalid', 'setting'],
    [{ model_mapping: { a: 5 } }, 'input_invalid', 'model_mapping'],
    [{ model_mapping: { a: 'b', b: 'a' } }, 'input_invalid', 'model_mapping'],
    [{ max_input_tokens: -1 }, 'input_invalid', 'max_input_tokens'],
    [{ param_override: '"x"' }, 'input_invalid', 'param_override'],
    [{ cost: { factor: -1 } }, 'input_invalid', 'cost'],
    [{ cost: { rates: { 'gpt-4o': { output: 1 } } } }, 'input_invalid', 'cost'],
    [{ cost: { price: 1 } }, 'input_invalid', 'cost'],
    [{ status_code_mapping: '3' }, 'input_invalid', 'status_code_mapping'],
    [{ priority: -1000 }, 'input_invalid', 'priority'],
    [{ weight: -1 }, 'input_invalid', 'weight'],
    [{ type: 41 }, 'input_invalid', 'other'],
    [{ type: 41, other: '{"model":"us"}' }, 'input_invalid', 'other'],
    [{ type: 41, other: '{' }, 'input_invalid', 'other'],
    [{ type: 33, other: 'moon' }, 'input_invalid', 'other'],
    [{ type: 33, key: 'AKIA1|secret' }, 'input_invalid', 'key'],
    [{ type: 33, key: 'a|b|c|d|e', other: 'us-east-1' }, 'input_invalid', 'key'],
    [{ type: 41, other: 'global', key: '{"type":"service_account"}' }, 'input_invalid', 'key'],
    [{ type: 41, other: 'global', key: account({ private_key: 'x' }) }, 'input_invalid', 'key'],
    [{ type: 41, other: 'global', key: account({ private_key: NO_PEM }) }, 'input_invalid', 'key'],
    [
      { type: 41, other: 'global', key: account({ token_uri: 'https://evil.example' }) },
      'input_invalid',
      'key',
    ],
  ])('refuses row %# and names its field', async (wrong, code, param) => {
    await expect(api.channel.create({ ...NEW, ...wrong })).rejects.toMatchObject({ code, param });
  });

  it('JSON columns accept an object or its text', async () => {
    const made = await api.channel.create({
      ...NEW,
      model_mapping: { 'gpt-4o': 'gpt-4o-2026' },
      setting: '{"force_format": true}',
    });
    expect(made.model_mapping).toBe('{"gpt-4o":"gpt-4o-2026"}');
    expect(made.setting).toBe('{"force_format": true}');
  });

  it('iFlytek without a version uses v2.1, and Vertex accepts a map from models to regions', async () => {
    expect(await api.channel.create({ ...NEW, type: 18 })).toMatchObject({ other: 'v2.1' });
    const regions = '{"default":"us-central1"}';
    const vertex = await api.channel.create({ ...NEW, type: 41, other: regions });
    expect(vertex.other).toBe(regions);
  });

  it('cloud keys are kept whole, and a list holds several', async () => {
    const accounts = [serviceAccount('p-1'), serviceAccount('p-2')];
    const key = `[${accounts.join(',\n')}]`;
    const vertex = await api.channel.create({ ...NEW, type: 41, other: 'global', key });
    const read = (await api.channel.get({ id: vertex.id, reveal: true })).key;
    const kept = splitKeyText(read);
    expect(kept.map((one) => JSON.parse(one))).toEqual(accounts.map((one) => JSON.parse(one)));
    const aws = 'AKIA1|secret/+=|us-east-1,AKIA2|secret|session-token-of-aws|eu-west-1';
    const bedrock = await api.channel.create({ ...NEW, type: 33, key: aws });
    expect(bedrock.keys).toHaveLength(2);
  });

  it('an error in a cloud key is reported without the key', async () => {
    const key = account({ token_uri: 'https://evil.example', private_key: NO_PEM });
    const edited = api.channel.edit({
      id: (await api.channel.create(NEW)).id,
      type: 41,
      key,
      other: 'eu',
    });
    await expect(edited).rejects.toMatchObject({
      params: { field: 'key', problem: 'has a "token_uri" that is not an address of Google' },
    });
  });

  it('an empty key is refused, an absent one keeps the stored key', async () => {
    const { id } = await api.channel.create(NEW);
    await expect(api.channel.edit({ id, key: '' })).rejects.toMatchObject({ param: 'key' });
    expect((await api.channel.get({ id, reveal: true })).key).toBe(NEW.key);
  });

  it('a masked key must identify one stored key', async () => {
    const [a, b] = ['sk-AAA-111-AAA1', 'sk-BBB-222-BBB2'];
    const [maskA, maskB] = ['sk-AAA***AAA1', 'sk-BBB***BBB2'];
    const { id } = await api.channel.create({ ...NEW, key: `${a}\n${b}` });
    for (const [key, number] of [
      [`${maskA}${maskB}`, 1],
      [`${maskA},sk-CCC***CCC3,${b}`, 2],
      [`${maskA}\n${maskA}`, 2],
      [`${a},${maskA}`, 2],
      ['***', 1],
      [`["${maskA}", "***"]`, 2],
    ] as const)
      await expect(api.channel.edit({ id, key }), key).rejects.toMatchObject({
        code: 'channel_key_masked',
        param: 'key',
        params: { field: 'key', number },
      });
    for (const mode of ['single', 'batch'] as const)
      await expect(
        api.channel.create({ ...NEW, key: `sk-1,${maskA}`, mode }),
      ).rejects.toMatchObject({ code: 'channel_key_masked', params: { number: 2 } });
    for (const same of [`${maskA},${maskB}`, ` ${maskA}\r\n${b}\n`, `["${maskA}","${maskB}"]`])
      expect((await api.channel.edit({ id, key: same })).keys).toHaveLength(2);
    expect((await api.channel.get({ id, reveal: true })).key).toBe(`${a},${b}`);
  });

  it('a mask shared by several stored keys is refused as ambiguous', async () => {
    const { id, keys } = await api.channel.create({ ...NEW, key: 'one,two' });
    await expect(api.channel.edit({ id, key: '***' })).rejects.toMatchObject({
      code: 'channel_key_ambiguous',
      params: { number: 1 },
    });
    expect((await api.channel.edit({ id, key: '***,***' })).keys).toEqual(keys);
    expect((await api.channel.edit({ id, key: 'two,***' })).keys).toMatchObject([
      { id: keys[1]?.id },
      { id: keys[0]?.id },
    ]);
  });

  it('masks of JSON keys are recognised', async () => {
    const accounts = [serviceAccount('p-1'), serviceAccount('p-2')].join('\n');
    const vertex = { ...NEW, type: 41, other: 'global', key: accounts };
    const { id, key, keys } = await api.channel.create(vertex);
    expect((await api.channel.edit({ id, key, other: 'eu' })).keys).toEqual(keys);
  });

  it('status 3 can only be set by the gateway', async () => {
    const { id } = await api.channel.create(NEW);
    await expect(api.channel.edit({ id, status: 3 })).rejects.toMatchObject({ param: 'status' });
    await site.ctx.db('channels').where({ id }).update({ status: 3 });
    expect(await api.channel.edit({ id, status: 3, name: 'same' })).toMatchObject({ status: 3 });
    expect(await api.channel.edit({ id, status: 1 })).toMatchObject({ status: 1 });
  });

  it('showing keys is logged with the reader', async () => {
    const { id } = await api.channel.create(NEW);
    await api.channel.get({ id });
    await api.channel.get({ id, reveal: true });
    const lines = await site.ctx.db('logs').whereLike('content', '%keys shown');
    expect(lines.map((line) => line.content)).toContain(`Channel #${id} main: keys shown`);
  });

  it("a name can be changed after the channel's group was deleted", async () => {
    await api.group.set({ name: 'passing' });
    const { id } = await api.channel.create({ ...NEW, group: 'passing' });
    await api.group.remove({ name: 'passing' });
    expect(await api.channel.edit({ id, name: 'left' })).toMatchObject({ group: 'passing' });
  });

  it('kept keys are not sent to an address set by an admin who may not see them', async () => {
    const [root, admin] = [await site.aUser({ role: 100 }), await site.aUser({ role: 10 })];
    const { id } = await site.aChannel({ base_url: 'https://api.example', setting: '' });
    const { channel, channelTransfer } = site.as(admin.actor);
    for (const change of [
      { base_url: 'https://elsewhere.example' },
      { type: 'deepseek' },
      { setting: { proxy: 'http://elsewhere.example:8080' } },
      { base_url: 'https://elsewhere.example', key: (await channel.get({ id })).key },
      { base_url: 'https://elsewhere.example', key: `${(await channel.get({ id })).key},sk-known` },
    ])
      await expect(channel.edit({ id, ...change })).rejects.toMatchObject({
        code: 'channel_key_needed',
        param: 'key',
      });
    const { name, models } = await channel.get({ id });
    const moved = { name, models, base_url: 'https://elsewhere.example' };
    await expect(channelTransfer.importAll({ channels: [moved] })).rejects.toMatchObject({
      code: 'channel_key_needed',
    });
    expect((await channel.get({ id })).base_url).toBe('https://api.example');
    await channel.edit({ id, priority: 5, base_url: 'https://api.example/' });
    await channel.edit({ id, base_url: 'https://elsewhere.example', key: 'sk-known' });
    await site.as(root.actor).channel.edit({ id, base_url: 'https://api.example' });
  });

  it('keys are shown in clear to super admins only', async () => {
    const { id } = await api.channel.create({ ...NEW, key: 'key-number-one\nkey-number-two' });
    const [root, admin] = [await site.aUser({ role: 100 }), await site.aUser({ role: 10 })];
    const ofRoot = site.as(root.actor).channel;
    expect((await ofRoot.get({ id, reveal: true })).key).toBe('key-number-one,key-number-two');
    expect((await ofRoot.get({ id, reveal: false })).key).toBe('key-nu***-one,key-nu***-two');
    expect((await ofRoot.get({ id })).key).toBe('key-number-one,key-number-two');
    expect((await site.as(admin.actor).channel.get({ id })).key).toBe(
      'key-nu***-one,key-nu***-two',
    );
    await expect(site.as(admin.actor).channel.get({ id, reveal: true })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    const rows = await site.ctx.db('channel_keys').where({ channel_id: id });
    expect(JSON.stringify(rows)).not.toContain('key-number-one');
  });

  it('a copy has the keys, is disabled and has no usage', async () => {
    const made = await api.channel.create({ ...NEW, tag: 't', priority: 3 });
    await site.ctx.db('channels').where({ id: made.id }).update({ balance: 2 });
    const { id: userId } = await site.aUser();
    await inTransaction(site.ctx, ({ db }) =>
      post(db, {
        key: 'call:used',
        cause: 'charge',
        userId,
        channelId: made.id,
        userUnits: 0,
        channelUnits: 50,
        createdAtSec: 1,
      }),
    );
    await sumLedger(site.ctx);
    expect(await api.channel.get({ id: made.id })).toMatchObject({ used_quota: 50 });
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

  it('a missing channel is reported by every call', async () => {
    const calls = [
      api.channel.get({ id: 9999 }),
      api.channel.edit({ id: 9999, name: 'x' }),
      api.channel.remove({ id: 9999 }),
      api.channel.setStatus({ id: 9999, status: 1 }),
      api.channel.copy({ id: 9999 }),
    ];
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({ reason: { code: 'channel_missing' } });
  });
});
