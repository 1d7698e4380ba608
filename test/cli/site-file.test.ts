/** A whole site as one document: plan, apply, compare and export. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { siteFileJsonSchema } from '../../src/cli/site-file/document.ts';
import { openDatabases } from '../../src/store/connection/database.ts';
import { type FakeUpstream, startFakeUpstream } from '../upstream/server.ts';
import { fileOf, folder, makeSitePerFile, gateway as onSite } from './site-folder.ts';
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

test('docs/site.schema.json matches the current schema (npx tsx test/tools/docs/print-docs.ts)', () => {
  expect(JSON.parse(readFileSync('docs/site.schema.json', 'utf8'))).toEqual(
    JSON.parse(siteFileJsonSchema()),
  );
});
