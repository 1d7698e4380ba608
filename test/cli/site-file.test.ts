/** A whole site as one document: plan, apply, compare and export. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { siteFileJsonSchema } from '../../src/cli/site-file/document.ts';
import { openDatabases } from '../../src/store/connection/database.ts';
import { type FakeUpstream, startFakeUpstream } from '../upstream/server.ts';
import { folder, makeSitePerFile, gateway as onSite } from './site-folder.ts';
import { type TerminalOptions, terminal } from './terminal.ts';

const ENV = {
  UPSTREAM_KEY: 'sk-fake-upstream-key',
  ALICE_PASSWORD: 'battery staple',
  SMTP: 'mail-secret',
};

makeSitePerFile();
let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startFakeUpstream({ keys: [ENV.UPSTREAM_KEY] });
});
afterAll(() => upstream.close());

function gateway(words: string, options: TerminalOptions = {}) {
  return onSite(words, { ...options, env: { ...ENV, ...options.env } });
}

/** A document in which every part refers to a later one. */
const site = (changes: Readonly<Record<string, unknown>> = {}) => ({
  tokens: [
    { name: 'ci', user: 'alice', group: 'gold', model_limits: ['gpt-4o'], expires: '2099-12-31' },
  ],
  channels: [
    {
      name: 'main',
      type: 'openai',
      base_url: upstream.url,
      keyFrom: { env: 'UPSTREAM_KEY' },
      models: ['gpt-4o', 'my-model'],
      groups: ['default', 'gold'],
      tag: 'managed',
      cost: { factor: 0.8, rates: { 'my-model': { input: 1, output: 4 } } },
    },
  ],
  budgets: [
    { subject: 'token', name: 'alice/ci', limit_amount: 2_500_000, period: 'day' },
    { subject: 'channel', name: 'main', measure: 'calls', limit_amount: 100, period: 'hour' },
    { subject: 'site', limit_amount: 50_000_000, period: 'month', shadow: true },
  ],
  redemptions: [{ name: 'spring', quota: 500_000, count: 2 }],
  users: [
    {
      username: 'alice',
      group: 'gold',
      quota: 1_000_000,
      max_concurrency: 8,
      passwordFrom: { env: 'ALICE_PASSWORD' },
    },
  ],
  prices: [{ model: 'my-model', in: 2.5, out: 10 }],
  groups: [{ name: 'gold', ratio: 0.8, selectable: true, label: 'For customers' }],
  options: { RetryTimes: 3, Notice: 'hello', SMTPServer: 'mail.example.com' },
  optionsFrom: { SMTPToken: { env: 'SMTP' } },
  ...changes,
});

test('plan and apply warn of aliases that no model of the channel is named like', async () => {
  const entry = { name: 'aliased', models: ['gpt-4o'], keyFrom: { env: 'UPSTREAM_KEY' } };
  const document = { channels: [{ ...entry, model_mapping: { ghost: 'gpt-4o' } }] };
  const file = await fileOf(document);
  const warning =
    'Warning: aliased: The models of the channel do not contain ghost, so no call for these names uses it.';
  expect((await gateway(`plan -f ${file}`)).err).toContain(warning);
  const chinese = { env: { GATEWAY_LANG: 'zh' } };
  const applied = await gateway(`apply -f ${file} --yes --json`, chinese);
  expect(applied).toMatchObject({ exit: 0 });
  expect(applied.err).toContain('警告：aliased: 渠道的模型列表中没有 ghost');
  expect((await gateway(`apply -f ${file} --yes`)).err).not.toContain('ghost');
  expect((await gateway('channel delete aliased --yes --force')).exit).toBe(0);
});

async function fileOf(document: object): Promise<string> {
  const file = path.join(folder, 'site.json');
  await writeFile(file, JSON.stringify(document));
  return file;
}

interface Applied {
  readonly items: readonly { readonly action: string; readonly result: string }[];
}

const doneOf = ({ json }: { json: () => Applied }) =>
  json().items.map(({ action, result }) => `${action} ${result}`);

test('plans a site without side effects, applies it, and then finds no difference', async () => {
  const file = await fileOf(site());
  const plan = await gateway(`plan -f ${file} --exit-code`);
  expect(plan.err).toBe('');
  expect(plan.exit).toBe(9);
  expect(plan.out).toContain('+ create group gold\n    ratio: 0.8');
  expect(plan.out).toContain('~ update option RetryTimes\n    value: 0 -> 3');
  expect(plan.out).toContain('+ create token alice/ci');
  expect(plan.out).not.toContain(ENV.UPSTREAM_KEY);
  expect(plan.out).not.toContain(ENV.SMTP);
  expect((await gateway('channel list --json')).json().total).toBe(0);

  const made = await gateway(`apply -f ${file} --yes --json`);
  expect(made.err).toBe('');
  expect(doneOf(made)).toEqual([...Array(4).fill('update done'), ...Array(9).fill('create done')]);
  expect(made.exit).toBe(0);
  expect((await gateway('user get alice --json')).json()).toMatchObject({
    group: 'gold',
    quota: 1_000_000,
    max_concurrency: 8,
  });
  expect((await gateway('token get ci --json')).json()).toMatchObject({
    username: 'alice',
    model_limits: 'gpt-4o',
  });
  expect((await gateway('budget list --token ci --json')).json().items).toMatchObject([
    { subject_name: 'ci', limit_amount: 2_500_000, limit_amount_usd: 5, period: 'day' },
  ]);
  expect((await gateway('channel export --keys --json')).json().channels[0].key).toBe(
    ENV.UPSTREAM_KEY,
  );

  const again = await gateway(`plan -f ${file} --exit-code --json`);
  expect(again.json().items.filter(({ action }: { action: string }) => action !== 'same')).toEqual(
    [],
  );
  expect(again.exit).toBe(0);
});

test('writes only what differs, and shows old and new values in the plan', async () => {
  const file = await fileOf(
    site({
      groups: [{ name: 'gold', ratio: 0.7 }],
      channels: [{ name: 'main', priority: 7, models: ['gpt-4o', 'my-model'] }],
      redemptions: [{ name: 'spring', quota: 600_000, count: 3 }],
      users: [{ username: 'alice', role: 'admin', status: 'banned' }],
      tokens: [{ name: 'ci', user: 'alice', status: 'disabled' }],
      budgets: [{ subject: 'token', name: 'alice/ci', limit_amount: 1_000_000, period: 'day' }],
    }),
  );
  const { out } = await gateway(`apply -f ${file} --dry-run`);
  for (const line of [
    'group gold\n    ratio: 0.8 -> 0.7',
    'channel main\n    priority: 0 -> 7',
    'user alice\n    role: user -> admin\n    status: enabled -> banned',
    'token alice/ci\n    status: enabled -> disabled',
    'budget token alice/ci / day\n    limit_amount: 2500000 -> 1000000',
    'quota: 500000 -> 600000',
    'count: 2 -> 3',
    '= same price my-model',
  ])
    expect(out).toContain(line);
  expect((await gateway(`apply -f ${file} --yes --json`)).exit).toBe(0);
  expect((await gateway(`plan -f ${file} --exit-code`)).exit).toBe(0);
  expect((await gateway('user get alice --json')).json()).toMatchObject({ role: 10, status: 2 });
});

test('a budget of what neither the document nor the site has is refused with its place', async () => {
  const entry = { limit_amount: 1, period: 'day' };
  const budgets = [
    { ...entry, subject: 'token', name: 'alice/nobodys' },
    { ...entry, subject: 'user', name: 'missing' },
  ];
  const { err, exit } = await gateway(`plan -f ${await fileOf({ budgets })}`);
  expect(exit).not.toBe(0);
  expect(err).toContain('budget of "alice/nobodys"');
  expect(err).toContain('budget of "missing"');
});

test('a masked key is not a key, for an existing channel or a new one', async () => {
  const env = { OTHER_KEY: 'sk-oth***0009' };
  const masked = { key: `\${OTHER_KEY}` };
  for (const channel of [
    { name: 'main', ...masked },
    { name: 'new', models: ['m'], ...masked },
  ]) {
    const file = await fileOf({ channels: [channel] });
    for (const verb of ['plan', 'apply']) {
      const { exit, err } = await gateway(`${verb} -f ${file} --only channels`, { env });
      expect(exit, verb).not.toBe(0);
      expect(err, verb).toContain('mask');
    }
  }
  const kept = await gateway('channel export --keys');
  expect(kept.out).toContain(ENV.UPSTREAM_KEY);
  expect(kept.out).not.toContain('***');
});

test('the server notices a changed key without showing it', async () => {
  const document = site({ channels: [{ name: 'main', key: `\${OTHER_KEY}` }] });
  const file = await fileOf(document);
  const env = { OTHER_KEY: 'sk-another-key-1234' };
  const { json, out } = await gateway(`plan -f ${file} --only channels --json`, { env });
  expect(json().items).toMatchObject([{ changes: [{ field: 'key', to: '***' }] }]);
  expect(out).not.toContain('another');
});

test('rewrites secret options only on request', async () => {
  const file = await fileOf({ optionsFrom: { SMTPToken: { env: 'SMTP' } } });
  const actions = async (flags: string) =>
    (await gateway(`plan -f ${file} --json${flags}`)).json().items[0].action;
  expect(await actions('')).toBe('same');
  expect(await actions(' --rewrite-secrets')).toBe('update');
});

test('refuses a secret option in the document itself and names where it belongs', async () => {
  const file = await fileOf({ options: { RetryTimes: 1, SMTPToken: 'hunter2' } });
  const { err, exit } = await gateway(`apply -f ${file} --yes`);
  expect(err).toContain('options.SMTPToken: is a secret: name its variable or file in optionsFrom');
  expect(err).not.toContain('hunter2');
  expect(exit).toBe(2);
});

test('pruning stays within its tag and asks for confirmation', async () => {
  const channels = ['stray', 'foreign'].map((name) => ({
    name,
    key: 'sk-1',
    models: ['gpt-4o'],
    ...(name === 'stray' && { tag: 'managed' }),
  }));
  await gateway(`apply -f ${await fileOf({ channels })} --yes --json`);
  const file = await fileOf({ channels: [{ name: 'main' }] });
  expect((await gateway(`apply -f ${file} --yes --prune`)).exit).toBe(2);
  expect((await gateway(`apply -f ${file} --prune --tag managed`)).exit).toBe(2);
  const done = await gateway(`apply -f ${file} --prune --tag managed --yes --json`);
  expect(done.json().items).toMatchObject([
    { result: 'same' },
    { action: 'delete', name: 'stray' },
  ]);
  const left = (await gateway('channel list --json')).json().items;
  expect(left.map(({ name }: { name: string }) => name).sort()).toEqual(['foreign', 'main']);
});

const managed = (names: readonly string[]) =>
  names.map((name) => ({ name, key: 'sk-1', models: ['gpt-4o'], tag: 'fleet' }));
const fleet = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8'];
const namesOfFleet = async () =>
  (await gateway('channel list --tag fleet --json')).json().items.length;

test('pruning deletes no channels if no channels are applied', async () => {
  await gateway(`apply -f ${await fileOf({ channels: managed(fleet) })} --yes --json`);
  const file = await fileOf({ options: { RetryTimes: 3 } });
  const done = await gateway(`apply -f ${file} --prune --tag fleet --yes`);
  expect(done.err).toContain('--prune deletes none');
  expect(done.exit).toBe(0);
  const other = await fileOf({ options: { RetryTimes: 3 }, channels: managed(['f1']) });
  const only = await gateway(
    `apply -f ${other} --only options --prune --tag fleet --allow-mass-delete --yes`,
  );
  expect(only.exit).toBe(0);
  expect(await namesOfFleet()).toBe(8);
});

test.each([
  ['an empty list', []],
  ['more than half of the channels of a tag', ['f1', 'f2']],
])('pruning refuses %s without --allow-mass-delete', async (_, kept) => {
  const file = await fileOf({ channels: managed(kept) });
  const plan = await gateway(`plan -f ${file} --prune --tag fleet --exit-code`);
  expect(plan.exit).toBe(9);
  expect(plan.err).toContain(`${8 - kept.length} of the 8 channels with the tag fleet`);
  const refused = await gateway(`apply -f ${file} --prune --tag fleet --yes`);
  expect(refused.err).toContain('f8');
  expect(refused.err).toContain('--allow-mass-delete');
  expect(refused.exit).toBe(6);
  expect(await namesOfFleet()).toBe(8);
});

test('pruning deletes that many with --allow-mass-delete', async () => {
  const file = await fileOf({ channels: [] });
  const done = await gateway(`apply -f ${file} --prune --tag fleet --allow-mass-delete --yes`);
  expect(done.exit).toBe(0);
  expect(await namesOfFleet()).toBe(0);
});

test('an exported document shows no difference when applied', async () => {
  for (const keys of ['', ' --keys']) {
    const { out } = await gateway(`export${keys}`);
    expect(out).not.toContain(ENV.SMTP);
    const plan = await gateway('plan -f - --json --exit-code', { stdin: out });
    expect(plan.err).toBe('');
    expect(plan.json().changed).toBe(false);
    expect(plan.exit).toBe(0);
  }
});

test('exports a site with two channels of one name in a form that can be applied', async () => {
  await gateway('channel copy main --name twin');
  const { db, close } = await openDatabases(path.join(folder, 'gateway.sqlite'));
  await db('channels').where({ name: 'twin' }).update({ name: 'main' });
  await close();
  const { out } = await gateway('export --only channels');
  const plan = await gateway('plan -f - --json --exit-code', { stdin: out });
  expect(plan).toMatchObject({ err: '', exit: 0 });
  const [twin] = (await gateway('channel list --q main --sort id --json')).json().items.slice(-1);
  expect((await gateway(`channel delete ${twin.id} --yes --force`)).exit).toBe(0);
});

test('what takes something away from users is asked about, or needs --force', async () => {
  const channel = { name: 'asked', type: 'openai', key: 'sk-asked', models: ['asked-model'] };
  await gateway(`apply -f ${await fileOf({ channels: [channel] })} --yes`);
  const file = await fileOf({ channels: [{ ...channel, models: ['another-model'] }] });
  const refused = await gateway(`apply -f ${file} --yes --json`);
  expect([refused.exit, refused.json().items[0].result]).toEqual([
    6,
    expect.stringContaining('asked-model (default)'),
  ]);
  expect((await gateway(`apply -f ${file} --yes --json`, { answers: ['n'] })).exit).toBe(6);
  expect((await gateway(`apply -f ${file} --yes --json --force`)).exit).toBe(0);
  expect((await gateway('channel delete asked --yes --force')).exit).toBe(0);
});

test('a failed part does not stop the others, and sets the exit status', async () => {
  const file = await fileOf({
    users: ['one', 'two'].map((username) => ({
      username,
      email: 'same@example.com',
      passwordFrom: { env: 'ALICE_PASSWORD' },
    })),
    options: { Notice: 'changed' },
  });
  const { exit, json } = await gateway(`apply -f ${file} --yes --json`);
  expect(json().items).toMatchObject([
    { result: 'done' },
    { result: 'done' },
    { result: expect.stringContaining('e-mail') },
  ]);
  expect(exit).toBe(8);
});

test('an interruption reports what is left', async () => {
  const file = await fileOf({ options: { Notice: 'late' } });
  const io = terminal({ env: { GATEWAY_DATA: folder } });
  io.interrupt('SIGINT');
  expect(await run(['apply', '-f', file, '--json', '--yes'], io)).toBe(130);
  expect(JSON.parse(io.stdout()).items).toMatchObject([{ name: 'Notice', result: 'left' }]);
});

test('tests channels after applying, with the given timeout', async () => {
  const good = await fileOf({
    channels: [{ name: 'main', base_url: upstream.url, keyFrom: { env: 'UPSTREAM_KEY' } }],
  });
  expect((await gateway(`apply -f ${good} --yes --test`)).exit).toBe(0);
  const bad = await fileOf({ channels: [{ name: 'main', key: 'sk-wrong' }] });
  expect((await gateway(`apply -f ${bad} --yes --test`)).exit).toBe(9);
  expect((await gateway(`apply -f ${bad} --yes --wait --timeout 50ms`)).exit).toBe(10);
});

test.each([
  [{ chanels: [] }, 6, 'chanels'],
  [{ groups: [{ name: 'a', ration: 1 }] }, 6, 'line 1, group "a": has unknown fields: ration'],
  [{ channels: [{ name: 'new' }] }, 6, 'line 1, channel "new", models: must not be empty'],
  [{ channels: [{ name: 'a', key: 'x', keyFrom: { env: 'SMTP' } }] }, 2, 'channel "a", keyFrom'],
  [{ channels: [{ name: 'a', keyFrom: { env: 'NOT_SET' } }] }, 2, 'NOT_SET'],
  [{ groups: [{ name: 'a' }, { name: 'a' }] }, 2, 'group "a"'],
  [{ groups: [], options: { GroupRatio: {} } }, 2, 'options.GroupRatio'],
  [{ options: { SMTPToken: 'in the open' } }, 2, 'SMTPToken'],
  [{ options: { NoSuchOption: 1 } }, 5, 'NoSuchOption'],
  [{ users: [{ username: 'bob' }] }, 2, 'user "bob", passwordFrom'],
  [{ tokens: [{ name: 't', user: 'alice', expires: '30d' }] }, 2, 'API token "t", expires'],
])('refuses %o before writing anything', async (document, exit, location) => {
  const answer = await gateway(`apply -f ${await fileOf(document)} --yes`);
  expect(answer.err).toContain(location);
  expect(answer.exit).toBe(exit);
});

test('names line and entry of every problem of a document, in both languages', async () => {
  const file = path.join(folder, 'wrong.yaml');
  await writeFile(
    file,
    `channels:
  - name: main # the first
    models: [gpt-4o]
  - name: v1.2 "spare"
    models: [gpt-4o]
    weight: 5

    priority: high
    wieght: 1
  - models: [gpt-4o]
tokens:
  - { name: ci, user: alice, rate_limit_count: -1 }
options:
  performance_setting.disk_cache_enabled: null
chanels: []
`,
  );
  const english = await gateway(`apply -f ${file} --yes`);
  expect(english.err.replaceAll('error: ', '').split('\n').slice(0, -1)).toEqual([
    'line 14, options.performance_setting.disk_cache_enabled: has a type that is not accepted here',
    'line 8, channel "v1.2 "spare"", priority: must be a number',
    'line 9, channel "v1.2 "spare"": has unknown fields: wieght',
    'line 10, channel #3, name: is missing',
    'line 12, API token "ci", rate_limit_count: must be at least 0',
    'line 15: has unknown fields: chanels',
  ]);
  const chinese = await gateway(`plan -f ${file}`, { env: { GATEWAY_LANG: 'zh' } });
  expect(chinese.err).toContain('第 8 行，渠道“v1.2 "spare"”，priority：必须是数字\n');
  expect(chinese.err).toContain('第 10 行，渠道 #3，name：');
  const { error } = JSON.parse((await gateway(`apply -f ${file} --yes --json`)).err);
  expect(error.code).toBe('input_invalid');
});

test('plan finds what apply would refuse: unknown users, groups and values, all of them at once', async () => {
  const file = path.join(folder, 'unknown.yaml');
  await writeFile(
    file,
    `users:
  - { username: zoe, group: nowhere, passwordFrom: { env: NOT_SET } }
  - { username: yan, group: nowhere, passwordFrom: { env: ALICE_PASSWORD } }
tokens:
  - { name: a, user: nobody }
  - { name: b, user: yan, group: nowhere }
  - { name: b, user: yan }
channels:
  - { name: x, type: openai, key: k, models: [m], groups: [elsewhere] }
options:
  RetryTimes: many
  NoSuchOption: 1
`,
  );
  const plan = await gateway(`plan -f ${file}`);
  expect(plan.exit).not.toBe(0);
  expect(
    plan.err
      .replaceAll('error: ', '')
      .split('\n')
      .filter((line) => /^line/.test(line))
      .sort(),
  ).toEqual([
    expect.stringMatching(/^line 11, options.RetryTimes: /),
    'line 12, options.NoSuchOption: There is no option NoSuchOption.',
    expect.stringMatching(/^line 2, user "zoe", group: There is no group nowhere/),
    expect.stringMatching(/^line 2, user "zoe", passwordFrom/),
    expect.stringMatching(/^line 3, user "yan", group: There is no group nowhere/),
    expect.stringMatching(/^line 5, API token "a", user: There is no user nobody/),
    expect.stringMatching(/^line 6, API token "b", group: nowhere cannot be used/),
    expect.stringMatching(/^line 7, API token "b": /),
    expect.stringMatching(/^line 9, channel "x".*elsewhere/),
  ]);
  const applied = await gateway(`apply -f ${file} --yes`);
  expect([applied.exit, applied.err]).toEqual([plan.exit, plan.err]);
  const noUsers = await gateway(`plan -f ${file} --only tokens`);
  expect(noUsers.err).toContain('There is no user yan.');
});

test('plan checks the models of tokens against what will be served to their owners', async () => {
  const file = path.join(folder, 'models.yaml');
  const channels = `channels:
  - { name: limited, type: openai, key: k, models: [served-1], model_prefix: eu/, groups: [default] }
  - { name: other-group, type: openai, key: k, models: [served-2], groups: [svip] }
`;
  const tokens = (model: string) =>
    `${channels}tokens:\n  - { name: lim, user: root, model_limits_enabled: true, model_limits: ['${model}'] }\n`;
  for (const model of ['unserved', 'served-1', 'served-2']) {
    await writeFile(file, tokens(model));
    const plan = await gateway(`plan -f ${file}`);
    expect([plan.exit, plan.err]).toEqual([
      6,
      expect.stringContaining(`API token "lim", model_limits: no channel serves ${model}`),
    ]);
    expect((await gateway(`apply -f ${file} --yes`)).exit).toBe(6);
  }
  await writeFile(file, tokens('eu/served-1'));
  const applied = await gateway(`apply -f ${file} --yes`);
  expect([applied.exit, applied.err]).toEqual([0, expect.not.stringContaining('error')]);
  await gateway('channel delete limited --yes --force');
  await writeFile(file, tokens('eu/served-1').replace(channels, ''));
  expect((await gateway(`plan -f ${file}`)).err).toBe('');
});

test('a change needs --yes without a terminal, and is asked about on one after its plan', async () => {
  const notice = `hello ${Date.now()}`;
  const file = await fileOf({ options: { Notice: notice } });
  const silent = await gateway(`apply -f ${file}`);
  expect([silent.exit, silent.err]).toEqual([2, expect.stringContaining('--yes')]);
  const declined = await gateway(`apply -f ${file}`, { answers: ['n'] });
  expect([declined.exit, declined.err]).toEqual([1, expect.stringContaining(`-> ${notice}`)]);
  const plan = (await gateway(`plan -f ${file} --json`)).json();
  const done = (await gateway(`apply -f ${file} --json`, { answers: ['y'] })).json();
  const [line] = plan.items;
  expect(done).toEqual({ ...plan, items: [{ ...line, result: 'done' }] });
  expect((await gateway(`apply -f ${file}`)).exit).toBe(0);
});

test('a report file keeps results and errors', async () => {
  const report = path.join(folder, 'report.json');
  const reported = () => JSON.parse(readFileSync(report, 'utf8'));
  const good = await fileOf({ options: { Notice: 'reported' } });
  expect((await gateway(`apply -f ${good} --yes --report ${report}`)).exit).toBe(0);
  expect(reported()).toMatchObject({ changed: true, failures: 0, items: [{ result: 'done' }] });
  const bad = await fileOf({ options: { Nothing: 'x', RetryTimes: 'many' } });
  await gateway(`apply -f ${bad} --yes --report ${report}`);
  const codes = reported().errors.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(['option_unknown', 'option_invalid']);
});

test('an empty document is called empty', async () => {
  const empty = await gateway('plan -f -', { stdin: '# nothing\n' });
  expect([empty.exit, empty.err]).toEqual([2, expect.stringContaining('the document is empty')]);
});

test('docs/site.schema.json matches the current schema (npx tsx test/tools/docs/print-docs.ts)', () => {
  expect(JSON.parse(readFileSync('docs/site.schema.json', 'utf8'))).toEqual(
    JSON.parse(siteFileJsonSchema()),
  );
});
