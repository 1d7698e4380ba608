import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { openDatabases } from '../../src/store/connection/database.ts';
import { startFakeUpstream } from '../upstream/server.ts';
import { runCommand, type TerminalOptions, terminal } from './terminal.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gateway-cli-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Runs the command once on this test's own data folder. */
function gateway(words: string, options: TerminalOptions = {}) {
  const env = { GATEWAY_DATA: folder, UPSTREAM_KEY: 'sk-upstream-1234567890', ...options.env };
  return runCommand(words, { ...options, env });
}

async function setUp(): Promise<void> {
  const done = await gateway('setup --username root --password-stdin', { stdin: 'password-1\n' });
  expect(done.exit).toBe(0);
}

async function connect(baseUrl = 'http://127.0.0.1:1'): Promise<void> {
  const words = `channel create --name main --type openai --key-env UPSTREAM_KEY --models gpt-4o,gpt-4o-mini --base-url ${baseUrl}`;
  expect((await gateway(words)).exit).toBe(0);
}

describe('the first run', () => {
  test('creates a root account once, and reports it the second time', async () => {
    await setUp();
    const again = await gateway('setup --username root --password-stdin --json', {
      stdin: 'password-1',
    });
    expect(again.exit).toBe(6);
    expect(JSON.parse(again.err).error).toMatchObject({ code: 'already_set_up', status: 409 });
    expect((await gateway('setup --if-needed')).exit).toBe(0);
    const users = (await gateway('user list --json')).json();
    expect(users).toMatchObject({
      total: 1,
      items: [{ username: 'root', role_word: 'super_admin', quota_usd: 200 }],
    });
  });

  test('asks for missing values, and refuses two different passwords', async () => {
    const differs = await gateway('setup', { answers: ['root', 'password-1', 'password-2'] });
    expect(differs.exit).toBe(6);
    const done = await gateway('setup', { answers: ['root', 'password-1', 'password-1'] });
    expect(done.exit).toBe(0);
    expect(done.asked).toHaveLength(3);
  });

  test('does not prompt without a terminal or when told not to', async () => {
    const alone = await gateway('setup --username root');
    expect(alone.exit).toBe(2);
    expect(alone.err).toContain('--password-stdin');
    const told = await gateway('setup --no-input', { answers: ['root'] });
    expect(told).toMatchObject({ exit: 2, asked: [] });
    expect(told.err).toContain('--username');
  });

  test('can be previewed, which also refuses a short password', async () => {
    const plan = await gateway('setup --username root --password-stdin --dry-run', {
      stdin: 'password-1',
    });
    expect(plan).toMatchObject({ exit: 0, out: expect.stringContaining('+ create user root') });
    const short = await gateway('setup --username root --password-stdin --dry-run', {
      stdin: 'short',
    });
    expect(short).toMatchObject({ exit: 6, err: expect.stringContaining('Password') });
    expect((await gateway('status --json')).json()).toMatchObject({ setup: false });
  });

  test('exits with 130 when a prompt is cancelled', async () => {
    expect((await gateway('setup', { answers: ['root'] })).exit).toBe(130);
  });

  test('is required before every other command', async () => {
    const early = await gateway('user list --json');
    expect(early.exit).toBe(3);
    expect(JSON.parse(early.err).error.hint).toBeTruthy();
  });
});

describe('commands that write', () => {
  beforeEach(setUp);

  test('a dry run checks everything, shows the plan and writes nothing', async () => {
    const plan = await gateway('token create --name ci --quota 500000 --dry-run --json');
    expect(plan.exit).toBe(0);
    expect(plan.json()).toMatchObject({
      dry_run: true,
      action: 'create',
      noun: 'token',
      name: 'ci',
    });
    expect(plan.out).not.toContain('sk-');
    expect((await gateway('token list --json')).json().total).toBe(0);
    const refused = await gateway('token create --name ci --group nowhere --dry-run');
    expect(refused.exit).toBe(6);
    const edit = await gateway('user quota root --add --usd 20 --dry-run');
    expect(edit.out).toBe('~ update user root\n    quota: 100000000 -> 110000000\n');
    expect((await gateway('user get root --fields quota')).out).toBe('quota\t100000000\n');
  });

  test('--if-absent creates a token once, and ids can be piped', async () => {
    const words = 'token create --name ci --usd 1.5 --expires 7d --if-absent --output ids';
    const first = await gateway(words);
    expect(first).toMatchObject({ exit: 0, out: '1\n' });
    expect(await gateway(words)).toMatchObject({ exit: 0, out: '1\n' });
    const token = (await gateway('token get ci --json')).json();
    expect(token).toMatchObject({
      remain_quota: 750_000,
      remain_quota_usd: 1.5,
      status_word: 'enabled',
    });
    const revealed = await gateway('token reveal ci --output ids');
    expect(revealed.out).toMatch(/^sk-[0-9a-zA-Z]{48}\n$/);
    const snippet = await gateway('token snippet ci --for env', { env: { GATEWAY_PORT: '8123' } });
    expect(snippet.out).toBe(
      `OPENAI_BASE_URL=http://127.0.0.1:8123/v1\nOPENAI_API_KEY=${revealed.out}`,
    );
  });

  test('several tokens come with several keys', async () => {
    const made = (await gateway('token create --name team --count 3 --unlimited --json')).json();
    expect(new Set(made.map((token: { key: string }) => token.key)).size).toBe(3);
  });

  test('a destructive command asks first, and needs --yes without a terminal', async () => {
    await gateway('token create --name ci');
    const unasked = await gateway('token delete ci --json');
    expect(unasked.exit).toBe(2);
    expect(JSON.parse(unasked.err).error.code).toBe('confirm_needed');
    expect(await gateway('token delete ci', { answers: ['n'] })).toMatchObject({ exit: 1 });
    expect((await gateway('token list --json')).json().total).toBe(1);
    const done = await gateway('token delete ci', { answers: ['y'] });
    expect(done.exit).toBe(0);
    expect(done.asked[0]).toContain('token ci');
    expect((await gateway('token delete ci --yes')).exit).toBe(5);
  });

  test('reads a channel key from the environment, a file or a pipe, and masks it', async () => {
    await connect();
    await writeFile(path.join(folder, 'key'), 'sk-second-key-0987654321\n');
    expect((await gateway(`channel edit main --key-file ${folder}/key --priority 5`)).exit).toBe(0);
    const channel = (await gateway('channel get main --json')).json();
    expect(channel).toMatchObject({ priority: 5, models: 'gpt-4o,gpt-4o-mini' });
    expect(channel.key).not.toContain('second-key-0987654321');
    const revealed = await gateway('channel get main --reveal --fields key');
    expect(revealed.out).toBe('key\tsk-second-key-0987654321\n');
    const nothing = await gateway('channel edit main');
    expect(nothing.exit).toBe(6);
    const env = await gateway('channel edit main --key-env NO_SUCH_VARIABLE');
    expect(env.exit).toBe(2);
  });

  test('channel caps merge into its other settings, and 0 removes one', async () => {
    await connect();
    const setting = async () =>
      JSON.parse((await gateway('channel get main --json')).json().setting);
    const created =
      'channel edit main --setting {"proxy":"http://proxy.test"} --max-concurrency 20';
    expect((await gateway(created)).exit).toBe(0);
    expect(await setting()).toEqual({ proxy: 'http://proxy.test', max_concurrency: 20 });
    const edited = 'channel edit main --tokens-per-minute 100000 --max-concurrency 0';
    expect((await gateway(edited)).exit).toBe(0);
    expect(await setting()).toEqual({ proxy: 'http://proxy.test', tokens_per_minute: 100_000 });
    const refused = await gateway('channel edit main --max-concurrency -1 --json');
    expect(refused).toMatchObject({ exit: 6 });
    expect(refused.err).toContain('max_concurrency');
    const list = await gateway('channel edit main --setting [] --max-concurrency 1');
    expect(list.exit).toBe(6);
  });

  test('refuses a name that two channels share, but accepts an id', async () => {
    await connect();
    expect((await gateway('channel copy main')).exit).toBe(0);
    const { db, close } = await openDatabases(path.join(folder, 'gateway.sqlite'));
    await db('channels').update({ name: 'main' });
    await close();
    expect((await gateway('channel disable main --json')).exit).toBe(6);
    expect((await gateway('channel disable 1')).exit).toBe(0);
  });

  test('refuses a secret option on the command line', async () => {
    const typed = await gateway('option set SMTPToken hunter2');
    expect(typed.exit).toBe(2);
    expect((await gateway('option set SMTPToken -', { stdin: 'hunter2\n' })).exit).toBe(0);
    const shown = await gateway('option get SMTPToken --json');
    expect(shown.json()).toMatchObject({ is_set: true, secret: true, value: '' });
  });

  test('validates options and prices before writing them', async () => {
    expect((await gateway('option set RetryTimes many')).exit).toBe(6);
    expect((await gateway('option set NoSuchOption 1')).exit).toBe(5);
    expect((await gateway('option set RetryTimes 3')).exit).toBe(0);
    expect((await gateway('option list --changed --output ids')).out).toContain('RetryTimes\n');
    expect((await gateway('option unset RetryTimes')).exit).toBe(0);
    expect((await gateway('option list --changed --output ids')).out).not.toContain('RetryTimes');
    for (const wrong of [
      '--in 1e300',
      '--in 1e999',
      '--in -1',
      '--in NaN',
      '--in 1 --out 1000001',
    ]) {
      const refused = await gateway(`price set my-model ${wrong}`);
      expect(refused.exit, wrong).not.toBe(0);
      expect(refused.err, wrong).toMatch(/--in|(Input|Output) price/);
    }
    expect((await gateway('option set ModelRatio {"m":1e300}')).exit).toBe(6);
    expect((await gateway('price get my-model --json')).json()).toMatchObject({ source: 'unset' });
    await gateway('price set my-model --in 2.5 --out 10');
    const cost = await gateway(
      'price calc my-model --prompt 1000 --completion 200 --calls-per-day 10 --json',
    );
    expect(cost.json()).toMatchObject({
      units: 2250,
      usd: 0.0045,
      usd_per_day: 0.045,
      usd_per_month: 1.35,
    });
  });

  test('writes text changed in the editor, and skips unchanged text', async () => {
    expect((await gateway('option edit Notice', { answers: ['Hello'] })).exit).toBe(0);
    expect((await gateway('option get Notice --fields value')).out).toBe('value\tHello\n');
    expect((await gateway('option edit Notice', { answers: [] })).exit).toBe(6);
  });

  test('creates and deletes a user', async () => {
    const made = await gateway('user create --username ann --password-stdin --usd 1 --json', {
      stdin: 'password-1',
    });
    expect(made.json()).toMatchObject({ username: 'ann', quota: 500_000 });
    expect((await gateway('user promote ann --fields role_word')).out).toBe('role_word\tadmin\n');
    expect((await gateway('user disable ann --fields status_word')).out).toBe(
      'status_word\tbanned\n',
    );
    expect((await gateway('user quota ann --set --quota 5 --json')).json()).toMatchObject({
      quota_before: 500_000,
      quota: 5,
    });
    expect((await gateway('user quota ann --add --set --quota 5')).exit).toBe(2);
    expect((await gateway('user delete root --yes')).exit).toBe(4);
    expect((await gateway('user delete ann --yes')).exit).toBe(0);
    expect((await gateway('user get ann --json')).json().DeletedAt).toMatch(/^2/);
    expect((await gateway('ledger verify --json')).json()).toMatchObject({
      ok: true,
      differences: [],
    });
  });
});

describe('commands that call an upstream', () => {
  beforeEach(setUp);

  test('a channel test exits with 0 if every model passes, and with 9 if one fails', async () => {
    const upstream = await startFakeUpstream();
    try {
      await connect(upstream.url);
      const passed = await gateway('channel test main --all-models --json');
      expect(passed.exit).toBe(0);
      expect(passed.json()).toMatchObject([
        { model: 'gpt-4o', success: true },
        { model: 'gpt-4o-mini', success: true },
      ]);
      upstream.setDefault({ delayMs: 100 });
      const late = await gateway('channel test main --max-time 50ms --json');
      expect(late).toMatchObject({ exit: 9 });
      expect(late.json()).toMatchObject([{ success: false, status_code: 200 }]);
      expect((await gateway('channel models main --output ids')).exit).toBe(0);
    } finally {
      await upstream.close();
    }
    const failed = await gateway('channel test --all --json');
    expect(failed.exit).toBe(9);
    expect(failed.json()).toMatchObject([{ success: false }]);
    expect((await gateway('channel test')).exit).toBe(2);
  });
});

test('an interrupted channel test reports the results so far', async () => {
  await setUp();
  const upstream = await startFakeUpstream();
  try {
    await connect(upstream.url);
    upstream.script({}, { hold: 'head' });
    const io = terminal({ env: { GATEWAY_DATA: folder }, isTTY: true });
    const words = ['channel', 'test', 'main', '--all-models', '--concurrency', '1'];
    const ended = run(words, io);
    await upstream.until(({ calls, servedInFull }) => calls === 2 && servedInFull === 1);
    io.interrupt('SIGINT');
    expect(await ended).toBe(130);
    expect(io.stdout().trim().split('\n')).toHaveLength(2);
    expect(io.stderr()).toContain('1 of 2 done');
    upstream.release();
  } finally {
    await upstream.close();
  }
});

describe('maintenance of a site', () => {
  beforeEach(setUp);

  test('the doctor passes a fresh site, and reports a key file readable by others', async () => {
    const healthy = await gateway('doctor --json');
    expect(healthy.json().filter((row: { result: string }) => row.result !== 'ok')).toEqual([]);
    expect(healthy.exit).toBe(0);
    await chmod(path.join(folder, 'secret.key'), 0o644);
    const open = await gateway('doctor --json');
    expect(open.exit).toBe(9);
    expect(open.json()).toContainEqual(
      expect.objectContaining({ check: 'secret_key', result: 'failed' }),
    );
  });

  test('the doctor reports what would refuse calls', async () => {
    const words = 'channel create --name odd --key-env UPSTREAM_KEY --models never-heard-of-it';
    expect((await gateway(words)).exit).toBe(0);
    const found = await gateway('doctor --json');
    expect(found.exit).toBe(9);
    expect(found.json()).toContainEqual(
      expect.objectContaining({ check: 'prices', result: 'failed' }),
    );
    expect((await gateway('price unpriced')).out).toBe('never-heard-of-it\n');
  });

  test('commands work without a reachable Redis, and the doctor reports it', async () => {
    const env = { GATEWAY_REDIS: 'redis://127.0.0.1:1' };
    expect((await gateway('channel list', { env })).exit).toBe(0);
    const away = await gateway('doctor --json', { env });
    expect(away.exit).toBe(9);
    const failed = away.json().filter((row: { result: string }) => row.result === 'failed');
    expect(failed).toEqual([expect.objectContaining({ check: 'redis' })]);

    const wrong = await gateway('doctor --json', { env: { GATEWAY_REDIS: 'localhost:6379' } });
    expect(wrong.json()).toContainEqual(
      expect.objectContaining({ check: 'redis', result: 'failed' }),
    );
    expect(wrong.out).not.toContain('"check":"database"');
  });

  test('the doctor reports incomplete payments, private network access and misspelt variables', async () => {
    expect((await gateway('option set PayAddress https://pay.example.com')).exit).toBe(0);
    const env = { GATEWAY_EGRESS_ALLOW: '10.0.0.0/8', GATEWAY_PROT: '3001' };
    const found = await gateway('doctor --json', { env });
    expect(found.exit).toBe(9);
    const details = found
      .json()
      .map((row: Record<string, string>) => [row.check, [row.result, row.detail]]);
    expect(Object.fromEntries(details)).toMatchObject({
      payments: ['failed', expect.stringContaining('EpayId, EpayKey')],
      egress: ['warning', expect.stringContaining('10.0.0.1')],
      environment: ['warning', expect.stringContaining('GATEWAY_PROT')],
      disk: [expect.anything(), expect.stringContaining('MB')],
      nodes: ['ok', expect.anything()],
      redis: ['ok', expect.anything()],
      jobs: ['ok', ''],
    });
  });

  test('the doctor warns of sign-in with OpenID Connect over http', async () => {
    const wellKnown = 'option set oidc.well_known http://id.example.com/discovery';
    for (const words of ['option set oidc.client_id gateway', wellKnown])
      expect((await gateway(words)).exit).toBe(0);
    const check = async () =>
      (await gateway('doctor --json'))
        .json()
        .find((row: { check: string }) => row.check === 'oidc');
    expect(await check()).toMatchObject({ result: 'ok' });
    expect((await gateway('option set oidc.enabled true')).exit).toBe(0);
    expect(await check()).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('not encrypted'),
    });
  });

  test('an upgrade preview lists pending migrations and obsolete settings', async () => {
    expect((await gateway('upgrade-check')).exit).toBe(0);
    const file = path.join(folder, 'gateway.sqlite');
    const site = await openDatabases(file);
    await site.db('schema_migrations').where('name', 'like', '%-import-map').delete();
    await site.db('options').insert([
      { key: 'GoneOption', value: '1' },
      { key: 'RetryTimes', value: 'many' },
    ]);
    await site.close();
    const found = await gateway('upgrade-check --json');
    expect(found.exit).toBe(9);
    expect(found.json()).toEqual(
      expect.arrayContaining([
        { check: 'schema', result: 'warning', detail: expect.stringContaining('-import-map') },
        { check: 'options', result: 'warning', detail: expect.stringContaining('GoneOption') },
        {
          check: 'option_values',
          result: 'warning',
          detail: expect.stringContaining('RetryTimes'),
        },
      ]),
    );
    expect((await gateway('db migrate --plan --output ids')).out).toBe(
      '20261121-1401-import-map\n',
    );
    expect((await gateway('db check --output ids')).out).toBe('behind\n');
  });

  test('an upgrade preview includes the log database, even if unreachable', async () => {
    const file = path.join(folder, 'log.sqlite');
    const checks = async (dsn: string) => {
      const found = await gateway('upgrade-check --json', { env: { GATEWAY_LOG_DB: dsn } });
      const rows: readonly { check: string; result: string; detail: string }[] = found.json();
      return { exit: found.exit, of: (name: string) => rows.find(({ check }) => check === name) };
    };
    expect((await checks('')).of('log_schema')).toMatchObject({ result: 'ok' });
    const fresh = await checks(file);
    expect(fresh.of('log_schema')).toMatchObject({ result: 'ok' });
    expect((await gateway('db migrate', { env: { GATEWAY_LOG_DB: file } })).exit).toBe(0);
    const log = await openDatabases(file);
    const names: string[] = await log.db('schema_migrations').orderBy('name').pluck('name');
    const last = names.at(-1) ?? '';
    await log.db('schema_migrations').where({ name: last }).delete();
    await log.close();
    const behind = await checks(file);
    expect(behind.exit).toBe(9);
    expect(behind.of('log_schema')).toEqual({
      check: 'log_schema',
      result: 'warning',
      detail: expect.stringContaining(last),
    });
    expect(behind.of('schema')).toMatchObject({ result: 'ok' });
    const away = await checks('postgres://nobody@127.0.0.1:1/none');
    expect(away.of('log_schema')).toMatchObject({ result: 'failed' });
    expect(away.of('disk')).toMatchObject({ result: 'ok' });
  });

  test('a backup is complete, readable by its owner only, and overwrites nothing', async () => {
    const copy = path.join(folder, 'copy.sqlite');
    expect((await gateway(`db backup ${copy}`)).exit).toBe(0);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect((await gateway(`user list --output ids --db ${copy}`)).out).toBe('1\n');
    expect((await gateway(`db backup ${copy}`)).exit).toBe(2);
  });

  test('reports the state of the database, even before one exists', async () => {
    expect((await gateway('db check --output ids')).out).toBe('current\n');
    const fresh = path.join(folder, 'fresh.sqlite');
    expect(await gateway(`db check --output ids --db ${fresh}`)).toMatchObject({
      exit: 9,
      out: 'empty\n',
    });
    expect(
      (await gateway(`db migrate --db ${fresh} --output ids`)).out.split('\n').length,
    ).toBeGreaterThan(10);
    expect((await gateway(`db migrate --db ${fresh}`)).out).toBe('');
    const info = (await gateway('db info --json')).json();
    expect(info).toMatchObject({ engine: 'sqlite', schema: 'current' });
    expect(info.size_bytes).toBeGreaterThan(0);
  });

  test('follows, exports and clears the log', async () => {
    await gateway('option set RetryTimes 3');
    const tail = await gateway('log tail --fields type_word,content');
    expect(tail.out.trim().split('\n').at(-1)).toBe('admin\tOption RetryTimes was changed');
    const file = path.join(folder, 'log.csv');
    expect((await gateway(`log export --format csv --out ${file}`)).exit).toBe(0);
    expect(await readFile(file, 'utf8')).toMatch(/^id,request_id,created_at,created_at_epoch,/);
    const lines = (await gateway('log export --format jsonl')).out.trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 1 });
    expect((await gateway('log clear --before 2020-01-01 --yes --json')).json()).toEqual({
      deleted: 0,
    });
    expect((await gateway('log clear --yes')).exit).toBe(2);
  });

  test('status describes the site, and waiting in vain for a server exits with 10', async () => {
    const env = { GATEWAY_PORT: '1' };
    expect((await gateway('status --json', { env })).json()).toMatchObject({
      setup: true,
      server: 'down',
      users: 1,
      jobs: expect.arrayContaining([
        expect.objectContaining({ name: 'cleanup', state: 'waiting' }),
      ]),
    });
    expect((await gateway('status', { env })).out).toMatch(/^cleanup\twaiting\t/mu);
    expect((await gateway('status --wait --timeout 10ms', { env })).exit).toBe(10);
  });
});

describe('errors and output of commands', () => {
  test('a typo exits with 2 and suggests the nearest word', async () => {
    const noun = await gateway('chanel list');
    expect(noun).toMatchObject({ exit: 2, out: '' });
    expect(noun.err).toContain('channel');
    expect((await gateway('channel lst')).err).toContain('list');
    const flag = await gateway('user list --roel admin --json');
    expect(JSON.parse(flag.err).error).toMatchObject({
      code: 'argument_invalid',
      hint: expect.stringContaining('--role'),
    });
    expect((await gateway('user get')).exit).toBe(2);
    expect((await gateway('user get a b')).exit).toBe(2);
    expect((await gateway('user list --page')).exit).toBe(2);
    expect((await gateway('user')).exit).toBe(2);
  });

  test('errors and help use the language of the terminal', async () => {
    const env = { LANG: 'zh_CN.UTF-8' };
    expect((await gateway('chanel', { env })).err).toContain('没有命令 chanel');
    expect((await gateway('user --help', { env })).out).toContain('列出用户');
    const overruled = { ...env, GATEWAY_LANG: 'en' };
    expect((await gateway('user --help', { env: overruled })).out).toContain('Lists users.');
  });

  test('an unreachable database exits with 7, a wrong setting with 3', async () => {
    expect((await gateway('user list --db postgres://nobody@127.0.0.1:1/none')).exit).toBe(7);
    const wrong = await gateway('serve --check-config --port 99999 --json');
    expect(wrong.exit).toBe(3);
    expect(JSON.parse(wrong.err).error.message).toContain('port');
    expect((await gateway('serve --check-config')).exit).toBe(0);
  });

  test('quiet suppresses remarks but not errors', async () => {
    await setUp();
    expect((await gateway('token create --name ci --dry-run --quiet')).err).toBe('');
    expect((await gateway('token get nope --quiet')).err).not.toBe('');
  });

  test('prints a list as a table in a terminal, coloured only if colour is supported', async () => {
    await setUp();
    const plain = await gateway('user list', { isTTY: true });
    expect(plain.out).toMatch(/^id {2}username {2}role/);
    expect(plain.out).toContain('$200.00');
    const painted = await gateway('user list', { isTTY: true, color: true });
    expect(painted.out).toContain('\u001b[2m');
    expect(await gateway('token list', { isTTY: true })).toMatchObject({
      out: '',
      err: 'Nothing found.\n',
    });
  });
});
