/** The fields of a channel: what is refused, what is kept, and who sees its keys. */

import { expect, it } from 'vitest';
import { splitKeyText } from '../../../src/domain/channels/channel-keys.ts';
import { inTransaction } from '../../../src/store/connection/transaction.ts';
import { post } from '../../../src/store/ledger/ledger.ts';
import { sumLedger } from '../../../src/store/ledger/ledger-sums.ts';
import { serviceAccount } from '../../support/cloud-credentials.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const NEW = { name: 'main', key: 'sk-first-key-000001', models: 'gpt-4o,gpt-4o-mini' };
const NO_PEM = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';

/** A service account with these fields changed. */
function account(fields: object): string {
  return JSON.stringify({ ...JSON.parse(serviceAccount('p-1')), ...fields });
}

const site = await sharedLocalSite();
const api = site.as(OPERATOR);

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
    await expectRefusal(
      api.channel.create({ ...NEW, key: `sk-1,${maskA}`, mode }),
      'channel_key_masked',
      { params: { number: 2 } },
    );
  for (const same of [`${maskA},${maskB}`, ` ${maskA}\r\n${b}\n`, `["${maskA}","${maskB}"]`])
    expect((await api.channel.edit({ id, key: same })).keys).toHaveLength(2);
  expect((await api.channel.get({ id, reveal: true })).key).toBe(`${a},${b}`);
});

it('a mask shared by several stored keys is refused as ambiguous', async () => {
  const { id, keys } = await api.channel.create({ ...NEW, key: 'one,two' });
  await expectRefusal(api.channel.edit({ id, key: '***' }), 'channel_key_ambiguous', {
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
    await expectRefusal(channel.edit({ id, ...change }), 'channel_key_needed', { param: 'key' });
  const { name, models } = await channel.get({ id });
  const moved = { name, models, base_url: 'https://elsewhere.example' };
  await expectRefusal(channelTransfer.importAll({ channels: [moved] }), 'channel_key_needed');
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
  expect((await site.as(admin.actor).channel.get({ id })).key).toBe('key-nu***-one,key-nu***-two');
  await expectRefusal(site.as(admin.actor).channel.get({ id, reveal: true }), 'permission_denied');
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
