/** `gateway run`, `chat` and `bench` against a running site: temporary tokens, use and charges. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { CLIENTS, fittingModel, smallModelFor } from '../../../src/domain/coding-clients.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { runCommand, type TerminalOptions, terminal } from '../terminal.ts';

const site = await sharedSite();
const folder = tempFolder();
let rootToken: string;
beforeAll(async () => {
  const root = await site.addUser({ username: 'root', role: 100 });
  await site.as(OPERATOR).user.setQuota({ id: root.id, mode: 'set', units: 5_000_000 });
  rootToken = await site.as(OPERATOR).user.newAccessToken({ id: root.id });
  for (const client of [...CLIENTS, 'agent']) {
    const file = path.join(folder, client);
    await writeFile(file, PROGRAM);
    await chmod(file, 0o755);
  }
});

/** A fake client: records its start, makes one call and exits as configured. */
const PROGRAM = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const names = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_MODEL', 'GATEWAY_API_KEY',
  'GOOGLE_GEMINI_BASE_URL', 'GEMINI_API_KEY', 'OPENCODE_CONFIG_CONTENT',
  'GEMINI_CLI_HOME', 'OPENAI_API_KEY', 'OPENAI_MODEL', 'GOOSE_MODEL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'];
const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
const read = (name) => env.GEMINI_CLI_HOME && readFileSync(env.GEMINI_CLI_HOME + '/.gemini/' + name, 'utf8');
const settings = read('settings.json');
const memory = existsSync(process.env.HOME + '/.gemini/GEMINI.md') && read('GEMINI.md');
writeFileSync(process.env.SEEN, JSON.stringify({ args: process.argv.slice(2), env, settings, memory }));
const key = env.ANTHROPIC_AUTH_TOKEN ?? env.GATEWAY_API_KEY ?? env.GEMINI_API_KEY ?? env.OPENAI_API_KEY;
fetch(process.env.CALL_URL + '/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
}).then(async (answer) => {
  await answer.text();
  process.exit(process.argv.includes('fail') ? 3 : answer.ok ? 0 : 1);
});
`;

function gateway(words: readonly string[], options: TerminalOptions = {}) {
  const env = {
    GATEWAY_URL: site.url,
    GATEWAY_ACCESS_TOKEN: rootToken,
    PATH: `${folder}:/usr/bin:/bin`,
    HOME: folder,
    SEEN: path.join(folder, 'seen.json'),
    CALL_URL: site.url,
  };
  return runCommand(words, { ...options, env: { ...env, ...options.env } });
}

const seen = async () => JSON.parse(await readFile(path.join(folder, 'seen.json'), 'utf8'));
const lentTokens = async () =>
  (await site.as(OPERATOR).token.list({ everyone: true, keyword: 'run-' })).total;

test.each([
  ['claude', 'ANTHROPIC_BASE_URL', () => site.url],
  ['gemini', 'GOOGLE_GEMINI_BASE_URL', () => site.url],
])(
  '%s is configured for the gateway, is charged, and its token is deleted afterwards',
  async (client, name, url) => {
    const { exit, err } = await gateway(['run', client, '--', '-p', 'hello']);
    expect(err).toMatch(/Calls: 1\. Tokens: \d+ in, \d+ out\. Charged: [1-9]\d* units/u);
    expect(exit).toBe(0);
    const { args, env } = await seen();
    expect(args.slice(-2)).toEqual(['-p', 'hello']);
    expect(env[name]).toBe(url());
    expect(await lentTokens()).toBe(0);
  },
);

test('a budget per period replaces the quota of the token, and ends with it', async () => {
  const words = ['run', '--usd', '5', '--per', 'day', '--', 'agent'];
  const plan = await gateway(['--dry-run', '--json', ...words]);
  expect(plan.out).toContain('"limit_amount"');
  const announced = async () => (await site.ctx.db('changes').where({ scope: 'budgets' })).length;
  const before = await announced();
  const { exit, err } = await gateway(words);
  expect(err).toContain('Calls: 1.');
  expect(exit).toBe(0);
  // Created and deleted.
  expect((await announced()) - before).toBe(2);
  expect((await site.as(OPERATOR).budget.list({})).total).toBe(0);
  expect(await lentTokens()).toBe(0);
});

test('codex and opencode get their own provider, and the key by the environment only', async () => {
  await gateway(['run', 'codex', '--model', 'gpt-4o-mini', '--', 'exec', 'hi']);
  const codex = await seen();
  expect(codex.args.slice(0, 2)).toEqual(['-c', 'model="gpt-4o-mini"']);
  expect(codex.args.slice(-2)).toEqual(['exec', 'hi']);
  expect(codex.args).toContain(`model_providers.gateway.base_url="${site.url}/v1"`);
  expect(codex.args.join(' ')).not.toContain(codex.env.GATEWAY_API_KEY);
  await gateway(['run', 'opencode', '--model', 'gpt-4o-mini']);
  const { env } = await seen();
  expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT)).toMatchObject({
    model: 'gateway/gpt-4o-mini',
    provider: { gateway: { options: { baseURL: `${site.url}/v1` } } },
  });
  expect(env.OPENCODE_CONFIG_CONTENT).not.toContain(env.GATEWAY_API_KEY);
});

test('gemini gets the key and temporary settings, and its own files stay unchanged', async () => {
  const own = '{"ui":{"theme":"Dracula"},"security":{"auth":{"selectedType":"oauth-personal"}}}';
  await mkdir(path.join(folder, '.gemini'));
  await writeFile(path.join(folder, '.gemini/settings.json'), own);
  await writeFile(path.join(folder, '.gemini/GEMINI.md'), 'Be brief.');
  expect((await gateway(['run', 'gemini', '--', '-p', 'hi'])).exit).toBe(0);
  const { env, settings, memory } = await seen();
  expect(JSON.parse(settings)).toEqual({
    ui: { theme: 'Dracula' },
    security: { auth: { selectedType: 'gemini-api-key' } },
  });
  expect(memory).toBe('Be brief.');
  expect(existsSync(env.GEMINI_CLI_HOME)).toBe(false);
  expect(await readFile(path.join(folder, '.gemini/settings.json'), 'utf8')).toBe(own);
  expect(existsSync(path.join(folder, '.gemini/GEMINI.md'))).toBe(true);
});

test.each(CLIENTS)('%s starts with a model of the site, and the help names it', async (client) => {
  const { exit, err } = await gateway(['run', client]);
  expect(err).toContain('Model: ');
  expect(exit).toBe(0);
  const { args, env } = await seen();
  expect(JSON.stringify([args, env])).toMatch(/gpt-4o/);
  expect((await gateway(['run', '--help'])).out).toMatch(new RegExp(`\\b${client}\\b`));
});

test('any other program gets the variables of the SDKs', async () => {
  const { exit } = await gateway(['run', '--', 'agent', '--fast']);
  const { args, env } = await seen();
  expect([exit, args]).toEqual([0, ['--fast']]);
  expect(env).toMatchObject({ ANTHROPIC_BASE_URL: site.url, OPENAI_MODEL: 'gpt-4o-mini' });
});

test('a model that no channel serves is refused before the program starts', async () => {
  await rm(path.join(folder, 'seen.json'), { force: true });
  const { exit, err } = await gateway(['run', 'claude', '--model', 'gpt-4o-mimi']);
  expect(exit).toBe(2);
  expect(err).toContain('Did you mean gpt-4o-mini?');
  expect(existsSync(path.join(folder, 'seen.json'))).toBe(false);
  expect(await lentTokens()).toBe(0);
});

test('the fitting model is the newest of the family that the client is made for', () => {
  const models = [
    ...['text-embedding-3-small', 'claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
    ...['claude-sonnet-5', 'gpt-5', 'gpt-5.5', 'gpt-5-mini', 'gemini-3-pro', 'gemini-3-flash'],
  ];
  expect(fittingModel('claude', models)).toBe('claude-sonnet-5');
  expect(fittingModel('codex', models)).toBe('gpt-5.5');
  expect(fittingModel('gemini', models)).toBe('gemini-3-pro');
  expect(fittingModel(undefined, models)).toBe('claude-sonnet-5');
  expect(smallModelFor('claude-sonnet-5', models)).toBe('claude-haiku-4-5');
  expect(smallModelFor('gpt-5.5', models)).toBe('gpt-5-mini');
  expect(smallModelFor('gemini-3-pro', models)).toBe('gemini-3-flash');
});

test.each(['SIGTERM', 'SIGHUP'])(
  '%s ends the program, prints the bill and deletes the token',
  async (signal) => {
    const file = path.join(folder, 'stubborn');
    await writeFile(
      file,
      `#!${process.execPath}
require('node:fs').writeFileSync(process.env.SEEN, '{}');
setInterval(() => undefined, 1000);
`,
    );
    await chmod(file, 0o755);
    await rm(path.join(folder, 'seen.json'), { force: true });
    const env = {
      ...{
        GATEWAY_URL: site.url,
        GATEWAY_ACCESS_TOKEN: rootToken,
        HOME: folder,
        CALL_URL: site.url,
      },
      ...{ PATH: `${folder}:/usr/bin:/bin`, SEEN: path.join(folder, 'seen.json') },
    };
    const io = terminal({ env });
    const ended = run(['run', '--', 'stubborn'], io);
    await eventually('the program', () => existsSync(path.join(folder, 'seen.json')));
    expect(await lentTokens()).toBe(1);
    io.interrupt(signal);
    expect(await ended).toBe(143);
    expect(io.stderr()).toContain('Calls: 0.');
    expect(await lentTokens()).toBe(0);
  },
);

test('a spent budget stops the calls, and the ledger stays correct', async () => {
  expect((await gateway(['run', 'claude', '--quota', '0'])).exit).toBe(6);
  const { exit, err } = await gateway(['run', 'claude', '--quota', '1']);
  expect(exit).toBe(1);
  expect(err).toContain('Calls: 0. Tokens: 0 in, 0 out. Charged: 0 units ($0.00).');
});

test('returns the exit status of a failed or missing program and deletes its token', async () => {
  expect((await gateway(['run', 'claude', '--', 'fail'])).exit).toBe(3);
  const missing = await gateway(['run', 'claude'], { env: { PATH: '/nowhere' } });
  expect(missing.exit).toBe(5);
  expect(missing.err).toContain('claude');
  expect(await lentTokens()).toBe(0);
});

test('lends no token without a server', async () => {
  const { exit, err } = await gateway(['run', 'claude'], {
    env: { GATEWAY_URL: 'http://127.0.0.1:1' },
  });
  expect(exit).toBe(7);
  expect(err).toContain('http://127.0.0.1:1');
});

test.each([[[]], [['--no-stream']]])('chat prints the answer as text %j', async (flags) => {
  const { exit, out } = await gateway(['chat', 'hello', '--model', 'gpt-4o-mini', ...flags]);
  expect(exit).toBe(0);
  expect(out.trim()).not.toBe('');
});

test('chat reads the question from stdin and reports usage to programs', async () => {
  const { out } = await gateway(['chat', '-', '--system', 'Be brief', '--json'], {
    stdin: 'hello',
  });
  const answer = JSON.parse(out);
  expect(answer).toMatchObject({ model: 'gpt-4o-mini', calls: 1 });
  expect(answer.quota).toBeGreaterThan(0);
});

test('chat reports why the gateway refused', async () => {
  const { exit, err } = await gateway(['chat', 'hello', '--model', 'no-such-model']);
  expect(exit).toBe(6);
  expect(err).toContain('no-such-model');
});

test.each([[[]], [['--stream']]])(
  'bench measures answers %j and deletes its token',
  async (flags) => {
    const { exit, out } = await gateway([
      ...['bench', '--model', 'gpt-4o-mini', '--duration', '100ms', '--concurrency', '2', '--json'],
      ...flags,
    ]);
    const result = JSON.parse(out);
    expect({ exit, ...result }).toMatchObject({ exit: 0, errors: 0, error_rate: 0, problems: [] });
    expect(result.calls).toBeGreaterThanOrEqual(2);
    expect(result.p99_ms).toBeGreaterThanOrEqual(result.p50_ms);
    expect(result.output_tokens).toBeGreaterThan(0);
    expect(result.first_token_p50_ms === null).toBe(flags.length === 0);
    expect(result.quota).toBeGreaterThan(0);
    const left = await site.as(OPERATOR).token.list({ everyone: true, keyword: 'bench-' });
    expect(left.total).toBe(0);
  },
);

test('bench exits with 9 and the reason if latency or failures exceed the limits', async () => {
  const slow = await gateway(['bench', '--duration', '50ms', '--max-p95', '0.001ms', '--json']);
  expect(slow.exit).toBe(9);
  const words = ['bench', '--model', 'no-such-model', '--duration', '50ms', '--concurrency', '1'];
  const failed = await gateway([...words, '--max-error-rate', '100', '--json']);
  expect(failed.exit).toBe(9);
  expect(JSON.parse(failed.out)).toMatchObject({
    error_rate: 100,
    p50_ms: null,
    problems: [{ problem: expect.stringMatching(/^404 /), count: expect.any(Number) }],
  });
});

test('bench works with an API key alone, like a client', async () => {
  const { exit, out } = await gateway(
    ['bench', '--duration', '50ms', '--key-env', 'MY_KEY', '--fields', 'errors', '--json'],
    { env: { MY_KEY: site.token.key, GATEWAY_ACCESS_TOKEN: '' } },
  );
  expect([exit, JSON.parse(out)]).toEqual([0, { errors: 0 }]);
});

test('an interrupted bench reports its results and leaves no token behind', async () => {
  const env = { GATEWAY_URL: site.url, GATEWAY_ACCESS_TOKEN: rootToken, HOME: folder };
  const io = terminal({ env });
  const before = site.upstream.stats.servedInFull + 10;
  const ended = run(['bench', '--duration', '60s', '--json'], io);
  await site.upstream.until(({ servedInFull }) => servedInFull > before);
  io.interrupt('SIGINT');
  expect(await ended).toBe(130);
  expect(JSON.parse(io.stdout()).calls).toBeGreaterThan(0);
  const left = await site.as(OPERATOR).token.list({ everyone: true, keyword: 'bench-' });
  expect(left.total).toBe(0);
});

test.each([['chat', 'hello'], ['run', 'claude'], ['bench']])(
  'a dry run of %s creates no token and sends no request',
  async (...words) => {
    const before = site.upstream.stats.calls;
    const { exit, out } = await gateway([...words, '--dry-run']);
    expect([exit, out]).toEqual([0, expect.stringContaining('+ create token')]);
    expect(site.upstream.stats.calls).toBe(before);
  },
);
