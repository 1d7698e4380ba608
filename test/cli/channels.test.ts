/** The channel commands: documents, balances, types and names. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawUpstream, whole } from '../relay/raw-upstream.ts';
import { type FakeUpstream, startFakeUpstream } from '../upstream/server.ts';
import { folder, gateway, makeSitePerFile } from './site-folder.ts';

makeSitePerFile();
let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
afterAll(() => upstream.close());

const YAML = (url: string, priority: number) => `channels:
  - name: main
    type: openai
    base_url: ${url}
    key: sk-upstream-1234567890
    models: [gpt-4o, gpt-4o-mini]
    priority: ${priority}
    model_mapping: { old: gpt-4o }
`;

test('previews, creates, exports and recognises a channel document', async () => {
  const file = path.join(folder, 'channels.yaml');
  await writeFile(file, YAML(upstream.url, 1));
  const plan = await gateway(`channel import ${file} --dry-run --json`);
  expect(plan.rows()).toMatchObject([{ action: 'create', name: 'main', id: 0 }]);
  expect((await gateway('channel list --json')).json().total).toBe(0);
  expect((await gateway(`channel import ${file} --json`)).rows()).toMatchObject([
    { action: 'create', id: 1 },
  ]);
  const edited = await gateway('channel import - --json', { stdin: YAML(upstream.url, 2) });
  expect(edited.rows()).toMatchObject([{ action: 'update', changes: ['priority'] }]);
  const { out } = await gateway('channel export');
  expect(out).toContain('key: sk-ups***7890');
  const again = await gateway('channel import - --json', { stdin: out });
  expect(again.rows()).toMatchObject([{ action: 'same', changes: [] }]);
  expect((await gateway('channel export --keys --json')).json().channels).toMatchObject([
    { key: 'sk-upstream-1234567890', model_mapping: { old: 'gpt-4o' } },
  ]);
});

test('refuses an invalid channel document and names the fault', async () => {
  const broken = await gateway('channel import - --json', { stdin: '{ "a": [' });
  expect(broken).toMatchObject({ exit: 2, err: expect.stringContaining('line 1') });
  const prices = await gateway('price import -', { stdin: 'prices:\n  - a: [' });
  expect(prices).toMatchObject({ exit: 2, err: expect.stringContaining('line 2, column ') });
  const wrong = await gateway('channel import - --json', { stdin: 'channels: [{ name: x }]' });
  expect(wrong.exit).toBe(6);
  expect(JSON.parse(wrong.err).error.message).toContain('line 1, channel "x", models: ');
});

test('reads one balance or all of them, and exits with 9 if one cannot be read', async () => {
  const result = await gateway('channel balance main --json');
  expect(result).toMatchObject({ exit: 0 });
  expect(result.rows()).toMatchObject([{ channel_name: 'main', balance: 75, currency: 'USD' }]);
  expect((await gateway('channel balance --all --json')).rows()).toHaveLength(1);
  await gateway('channel import -', { stdin: YAML('http://127.0.0.1:9', 2) });
  const failed = await gateway('channel balance main --json');
  expect(failed.exit).toBe(9);
  expect(failed.rows()).toMatchObject([{ success: false, message: expect.stringMatching(/./) }]);
  expect((await gateway('channel balance')).exit).toBe(2);
});

test('lists channel types, shows one, and refuses an unknown one', async () => {
  const all = (await gateway('channel types --json')).json();
  expect(all.items ?? all).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 37, slug: 'dify', dialect: 'dify' })]),
  );
  const one = await gateway('channel types kimi -o yaml');
  expect(one.out).toContain('slug: moonshot');
  expect(one.out).toContain('takes_messages: true');
  expect((await gateway('channel types -o ids')).out.split('\n')).toContain('openai');
  const unknown = await gateway('channel types nobody');
  expect(unknown.exit).toBe(2);
  expect(unknown.err).toContain('openai');
});

test('warns of mapped names that the models do not contain, in both languages', async () => {
  const json = '{"alias":"gpt-4o","gpt-4o":"gpt-4o-2026"}';
  const create = [
    'channel',
    'create',
    '--name',
    'aliased',
    '--models',
    'gpt-4o',
    '--mapping',
    json,
  ];
  const stdin = { stdin: 'sk-1' };
  const warning =
    'Warning: The models of the channel do not contain alias, so no call for these names uses it.\n';
  const dryRun = await gateway([...create, '--key-stdin', '--dry-run'], stdin);
  expect(dryRun.err).toContain(warning);
  expect(dryRun.out).not.toContain('alias_unlisted');
  const made = await gateway([...create, '--key-stdin', '--json'], stdin);
  expect(made.err).toContain(warning);
  const [problem] = made.json().warnings;
  expect(problem).toMatchObject({
    field: 'model_mapping',
    code: 'alias_unlisted',
    params: { names: ['alias'] },
  });
  const chinese = { env: { GATEWAY_LANG: 'zh' } };
  expect(await gateway('channel edit aliased --prefix eu/', chinese)).toMatchObject({
    exit: 0,
    err: '警告：渠道的模型列表中没有 alias，请求这些名称时不会使用该渠道。\n',
  });
  expect((await gateway('channel edit aliased --priority 2')).err).toBe('');
  const listed = await gateway('channel edit aliased --models gpt-4o,alias --json');
  expect([listed.err, listed.json().warnings]).toEqual(['', undefined]);
  expect((await gateway('channel delete aliased --yes --force')).exit).toBe(0);
});

test('creates a channel by the name that is stored, without spaces around it', async () => {
  const create = ['channel', 'create', '--name', 'spaced ', '--models', 'gpt-4o', '--key-stdin'];
  expect(await gateway(create, { stdin: 'sk-1' })).toMatchObject({ exit: 0 });
  expect(await gateway(create, { stdin: 'sk-1' })).toMatchObject({ exit: 6 });
  expect((await gateway('channel delete spaced --yes')).exit).toBe(0);
});

test('refuses to create, copy or rename a channel to a name in use', async () => {
  const create = 'channel create --name taken --models gpt-4o --key-stdin --json';
  const { id } = (await gateway(create, { stdin: 'sk-1' })).json();
  const second = await gateway(create, { stdin: 'sk-1' });
  expect(second).toMatchObject({ exit: 6, out: '' });
  expect(JSON.parse(second.err).error).toMatchObject({
    code: 'name_taken',
    message: 'A channel named taken already exists.',
  });
  const absent = await gateway(`${create} --if-absent`, { stdin: 'sk-1' });
  expect(absent).toMatchObject({ exit: 0, err: 'channel taken already exists.\n' });
  expect(absent.json()).toMatchObject({ id, name: 'taken' });
  expect((await gateway('channel copy taken --name taken')).exit).toBe(6);
  const copies = [
    await gateway('channel copy taken --json'),
    await gateway('channel copy taken --json'),
  ];
  expect(copies.map((copy) => copy.json().name)).toEqual(['taken_copy', 'taken_copy2']);
  expect((await gateway('channel edit taken_copy --name taken')).exit).toBe(6);
  expect((await gateway('channel edit taken --name taken --priority 1')).exit).toBe(0);
  for (const name of ['taken', 'taken_copy', 'taken_copy2'])
    expect((await gateway(`channel delete ${name} --yes`)).exit).toBe(0);
});

test('takes over prices that the upstream publishes only on request', async () => {
  const source = await rawUpstream();
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  source.answer = whole({ data: [{ id: 'published-1', pricing }, { id: 'unpublished-1' }] });
  const key = { stdin: 'sk-upstream-1234567890' };
  const create = `channel create --name router --type openrouter --base-url ${source.url} --key-stdin`;
  const created = await gateway(`${create} --fetch-models`, key);
  expect(created.err).toContain('publishes the price of 1 model that has none here (published-1)');
  expect((await gateway('price get published-1 --json')).json()).toMatchObject({ source: 'unset' });
  const planned = await gateway('channel edit router --with-prices --dry-run');
  expect(planned.err).not.toContain('Prices adopted');
  const taken = await gateway('channel edit router --with-prices');
  expect(taken.err).toContain('Prices adopted from 127.0.0.1');
  expect(taken.err).toContain('have no price, so calls are refused: unpublished-1');
  expect((await gateway('price get published-1 --json')).json()).toMatchObject({
    source: 'synced',
    usd_in: 1,
    usd_out: 2,
  });
  const again = await gateway('channel edit router --with-prices');
  expect(again.err).toContain('publishes no price of a model that has none here');
  await source.close();
});

test('tests a new channel on request, and says how otherwise', async () => {
  const create = `channel create --type openai --models gpt-4o --base-url ${upstream.url} --key-stdin --json`;
  const key = { stdin: 'sk-upstream-1234567890' };
  const untested = await gateway(`${create} --name untested`, key);
  expect(untested.err).toContain('gateway channel test "untested"');
  const tested = await gateway(`${create} --name tested --test`, key);
  expect([tested.exit, tested.json().name]).toEqual([0, 'tested']);
  expect(tested.err).toContain('tested answered a test with gpt-4o in ');
  const failed = await gateway('channel edit tested --base-url http://127.0.0.1:1 --test --json');
  expect([failed.exit, failed.json().base_url]).toEqual([9, 'http://127.0.0.1:1']);
  expect(failed.err).toContain('The test of the channel failed');
});
