import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import stringWidth from 'string-width';
import { beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { openDatabases } from '../../../src/store/connection/database.ts';
import { startFakeUpstream } from '../../upstream/server.ts';
import { connect, folder, gateway, makeFolderPerTest, runSetup, setUp } from '../site-folder.ts';
import { terminal } from '../terminal.ts';

makeFolderPerTest();

describe('the first run', () => {
  test('creates a root account once, and reports it the second time', async () => {
    await runSetup();
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

  test('asks for missing values', async () => {
    const done = await gateway('setup', { answers: ['root', 'password-1', 'password-1', 'en'] });
    expect(done.exit).toBe(0);
    expect(done.questions).toHaveLength(4);
  });

  test('does not prompt without a terminal or when told not to', async () => {
    const alone = await gateway('setup --username root');
    expect(alone.exit).toBe(2);
    expect(alone.err).toContain('--password-stdin');
    const result = await gateway('setup --no-input', { answers: ['root'] });
    expect(result).toMatchObject({ exit: 2, questions: [] });
    expect(result.err).toContain('--username');
  });

  test('can be previewed, which also refuses a short password', async () => {
    const plan = await gateway('setup --username root --password-stdin --dry-run', {
      stdin: 'password-1',
    });
    expect(plan).toMatchObject({ exit: 0, out: expect.stringContaining('+ create user root') });
    const short = await gateway('setup --username root --password-stdin --dry-run', {
      stdin: 'short',
    });
    expect(short).toMatchObject({ exit: 6, err: expect.stringContaining('--password-stdin: ') });
    const status = await gateway('status --json');
    expect([status.exit, status.json()]).toMatchObject([9, { setup: false }]);
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
    const made = (await gateway('token create --name team --count 3 --unlimited --json')).rows();
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
    expect(done.questions[0]).toContain('token ci');
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

  test('the cost of a channel has two parts, and an empty one removes it', async () => {
    await connect();
    const cost = async () => {
      const text = (await gateway('channel get main --json')).json().cost;
      return text === '' ? '' : JSON.parse(text);
    };
    expect((await gateway('channel edit main --cost-factor 0.8')).exit).toBe(0);
    expect(await cost()).toEqual({ factor: 0.8 });
    const rates = '{"gpt-4o":{"input":2,"output":8}}';
    expect((await gateway(`channel edit main --cost-rates ${rates}`)).exit).toBe(0);
    expect(await cost()).toEqual({ factor: 0.8, rates: JSON.parse(rates) });
    expect((await gateway('channel edit main --cost-factor=')).exit).toBe(0);
    expect(await cost()).toEqual({ rates: JSON.parse(rates) });
    const refused = await gateway('channel edit main --cost-rates {"gpt-4o":{"output":8}} --json');
    expect(refused.exit).toBe(6);
    expect(refused.err).toContain('Upstream cost');
    expect((await gateway('channel edit main --cost-factor much')).exit).toBe(2);
    expect((await gateway('channel edit main --cost-rates=')).exit).toBe(0);
    expect(await cost()).toBe('');
  });

  test('refuses a name that two channels share, but accepts an id', async () => {
    await connect();
    expect((await gateway('channel copy main')).exit).toBe(0);
    const { db, close } = await openDatabases(path.join(folder, 'gateway.sqlite'));
    await db('channels').update({ name: 'main' });
    await close();
    expect((await gateway('channel disable main --json')).exit).toBe(6);
    const refused = await gateway('channel disable 1');
    expect(refused).toMatchObject({ exit: 6, err: expect.stringContaining('--force') });
    expect((await gateway('channel disable 1', { answers: ['n'] })).exit).toBe(6);
    expect((await gateway('channel disable 1 --force')).exit).toBe(0);
    expect((await gateway('channel enable 1')).exit).toBe(0);
    expect((await gateway('channel disable 1', { answers: ['y'] })).exit).toBe(0);
  });

  test('names every wrong field by its flag', async () => {
    await connect();
    const refused = await gateway(
      'channel create --name x --type openai --models , --priority -5000 --key-stdin',
      { stdin: 'sk-x' },
    );
    expect(refused.err).toMatch(/--models: must not be empty/);
    expect(refused.err).toMatch(/--priority: must be at least -999/);
    const token = await gateway('token create --user root --name x --usd -1 --expires 2020-01-01');
    expect(token.err).toMatch(/--usd: /);
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
      expect(refused.err, wrong).toMatch(/--(in|out): /);
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
    const language = async (value: string) =>
      (await gateway(`user edit ann --language ${value} --json`)).json().language;
    expect([await language('en'), await language('site')]).toEqual(['en', null]);
    expect((await gateway('user edit ann --language fr')).exit).toBe(2);
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
      expect(passed.rows()).toMatchObject([
        { model: 'gpt-4o', success: true },
        { model: 'gpt-4o-mini', success: true },
      ]);
      upstream.setDefault({ delayMs: 100 });
      const late = await gateway('channel test main --max-time 50ms --json');
      expect(late).toMatchObject({ exit: 9 });
      expect(late.rows()).toMatchObject([{ success: false, status_code: 200 }]);
      expect((await gateway('channel models main --output ids')).exit).toBe(0);
    } finally {
      await upstream.close();
    }
    const failed = await gateway('channel test --all --json');
    expect(failed.exit).toBe(9);
    expect(failed.rows()).toMatchObject([{ success: false }]);
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

describe('errors and output of commands', () => {
  test('a typo exits with 2 and suggests the nearest word', async () => {
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

  test('Chinese help fits the terminal', async () => {
    const { out } = await gateway('price --help', { env: { GATEWAY_LANG: 'zh' }, width: 80 });
    const [, commands = ''] = out.split('命令：');
    expect(commands.split('\n').filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(commands).toMatch(/\n {12}\p{Script=Han}/u);
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

  test('a pipe gets a table if it is asked for, and headings above several', async () => {
    await setUp();
    const piped = await gateway('user list');
    expect(piped.out).toMatch(/^1\troot\t/);
    const table = await gateway('user list --output table');
    expect(table.out).toMatch(/^id +username .*\n +1 +root/);
    const status = (await gateway('status')).out;
    expect(status).toMatch(/\n\nBackground jobs\nname\tstate\t/);
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
