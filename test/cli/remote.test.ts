/** Errors, profiles and rights of commands on a remote server; `remote-commands.test.ts` has their answers. */
import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Keyring } from '../../src/cli/process/keyring.ts';
import { hashPassword } from '../../src/services/credentials/passwords.ts';
import { failedCallOfRequest } from '../../src/store/logs/failed-calls.ts';
import { sharedSite } from '../support/shared-site.ts';
import { eventually, OPERATOR } from '../support/site.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { CHAT } from '../upstream/wire.ts';
import { runCommand, type TerminalOptions } from './terminal.ts';

const PASSWORD = 'correct horse';
const home = tempFolder();
const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const password = await hashPassword(PASSWORD);
const root = await site.addUser({ username: 'root', role: 100, password });
let accessToken = await site.as(OPERATOR).user.newAccessToken({ id: root.id });
const userToken = await site.as(OPERATOR).user.newAccessToken({ id: site.user.id });
await site.addToken({ name: 'mine' });

async function gateway(words: string, options: TerminalOptions = {}) {
  const env = { HOME: home, ...options.env };
  const { exit, out, err } = await runCommand(words, { ...options, env });
  return { exit, out, err };
}

const noEntry = async (): Promise<never> => {
  throw new Error('the keyring is locked');
};

const locally = (words: string, options: TerminalOptions = {}) =>
  gateway(words, {
    ...options,
    env: { GATEWAY_DATA: site.ctx.config.dataDir, GATEWAY_DB: site.dsn, ...options.env },
  });
const remotely = (words: string, options: TerminalOptions = {}) =>
  gateway(words, {
    ...options,
    env: { GATEWAY_URL: site.url, GATEWAY_ACCESS_TOKEN: accessToken, ...options.env },
  });

it.each([
  'user get nobody',
  'channel get 999',
  'token get token2',
  'option get NoSuchOption',
  'explain 20261121000000abcdefgh',
  'user create --username thisnameistoolong --password-stdin',
  'user edit root --group nowhere',
  'token create --name x --user nobody',
  'option set RetryTimes many',
])('refuses %s with the same message and exit status as on the own database', async (words) => {
  const stdin = PASSWORD;
  expect(await remotely(words, { stdin })).toEqual(await locally(words, { stdin }));
});

it("explains the gateway's own error of an attempt in the language of the terminal", async () => {
  site.upstream.setDefault('reset-before-headers');
  const { requestId } = await site.call({ body: CHAT });
  site.upstream.reset();
  await eventually('the call is recorded', () => failedCallOfRequest(site.ctx.reads, requestId));
  for (const explained of [locally, remotely])
    for (const [language, words] of [
      ['en', 'The upstream could not be reached.'],
      ['zh', '无法连接上游'],
    ] as const) {
      const { out } = await explained(`explain ${requestId}`, { env: { GATEWAY_LANG: language } });
      expect(out).toContain(words);
      expect(out).not.toContain('upstream_failed');
    }
});

it('sends no change in a dry run', async () => {
  const plan = await remotely('token create --name never --quota 500 --dry-run');
  expect(plan).toMatchObject({ exit: 0, out: expect.stringContaining('+ create token never') });
  expect((await site.as(OPERATOR).token.list({ keyword: 'never' })).total).toBe(0);
});

it('distinguishes a wrong token and a server that is no gateway', async () => {
  expect((await remotely('user list', { env: { GATEWAY_ACCESS_TOKEN: 'wrong' } })).exit).toBe(4);
  expect((await remotely('user list', { env: { GATEWAY_ACCESS_TOKEN: '' } })).exit).toBe(4);
  const upstream = await remotely(`user list --retries 0 --url ${site.upstream.url}`);
  expect(upstream).toMatchObject({ exit: 3, err: expect.stringContaining('is not a gateway') });
});

it('refuses a token in the address and never prints the stored one', async () => {
  const inUrl = await remotely('user list --url http://root:secret@127.0.0.1');
  expect(inUrl.exit).toBe(2);
  expect(inUrl.err).not.toContain('secret');
  const verbose = await remotely('user list --verbose');
  expect(verbose.err).toContain('GET');
  expect(verbose.err).not.toContain(accessToken);
});

it.each(['serve', 'db check'])('gateway %s stays on this machine', async (words) => {
  expect(await remotely(words)).toMatchObject({ exit: 2 });
});

it('says in doctor that a proxy on the way changes the Host header', async () => {
  const proxy = createServer((request, response) => {
    const headers = { ...request.headers, host: new URL(site.url).host };
    const onward = httpRequest(site.url + request.url, { method: request.method, headers });
    onward.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo; // it listens on TCP
  const { out } = await remotely('doctor --json', {
    env: { GATEWAY_URL: `http://127.0.0.1:${port}` },
  });
  proxy.close();
  const finding = JSON.parse(out).items.find(({ check }: { check: string }) => check === 'address');
  expect(finding.result).toBe('failed');
  expect(finding.detail).toContain(`127.0.0.1:${port}`);
  expect(finding.detail).toContain(new URL(site.url).host);
});

it('names the reachable server in status and doctor', async () => {
  const status = await remotely('status --json');
  expect(JSON.parse(status.out)).toMatchObject({ server: 'up', url: site.url, setup: true });
  const doctor = await remotely('doctor --json');
  expect(JSON.parse(doctor.out).items).toEqual(
    expect.arrayContaining([expect.objectContaining({ check: 'ledger', result: 'ok' })]),
  );
});

describe('a user who is not an administrator', () => {
  it.each([
    ['token list --json', { total: 2 }],
    ['token get mine --json', { name: 'mine' }],
    ['log list --json', { total: expect.any(Number) }],
    ['log stat --by model --json', { total: 0 }],
    ['task list --json', { total: 0 }],
    ['drawing list --json', { total: 0 }],
    ['message inbox --json', { total: 0 }],
    ['status --json', { server: 'up', setup: true }],
  ])('can read its own data: %s', async (words, answer) => {
    const asUser = { env: { GATEWAY_ACCESS_TOKEN: userToken } };
    const { exit, out } = await remotely(words, asUser);
    expect([exit, JSON.parse(out)]).toEqual([
      0,
      Array.isArray(answer) || 'asymmetricMatch' in answer
        ? answer
        : expect.objectContaining(answer),
    ]);
  });

  it.each(['user list', 'log list --user root', 'log stat --by user', 'task list --channel 1'])(
    'cannot read the data of others: %s',
    async (words) => {
      const asUser = { env: { GATEWAY_ACCESS_TOKEN: userToken } };
      expect((await remotely(words, asUser)).exit).toBe(4);
    },
  );

  it('makes a token for itself and gets its snippet', async () => {
    const asUser = { env: { GATEWAY_ACCESS_TOKEN: userToken } };
    const made = await remotely('token create --name own --quota 5 --json', asUser);
    expect(JSON.parse(made.out)).toMatchObject({ username: site.user.username });
    const password = await hashPassword(PASSWORD);
    await site.ctx.db('users').where({ id: site.user.id }).update({ password });
    const asOwner = { env: { ...asUser.env, GATEWAY_PASSWORD: PASSWORD } };
    const snippet = await remotely('token snippet own --for codex', asOwner);
    expect(snippet.out).toContain(`base_url = "${site.url}/v1"`);
    await remotely('token delete own --yes', asUser);
  });
});

describe('a profile', () => {
  it('is created by signing in, used by every command and removed by signing out', async () => {
    const words = `login --url ${site.url} --username root --password-stdin --profile here`;
    expect(await gateway(words, { stdin: PASSWORD })).toMatchObject({ exit: 0 });
    expect(JSON.parse((await gateway('whoami --json')).out)).toMatchObject({
      username: 'root',
      role: 'super_admin',
      profile: 'here',
    });
    expect((await gateway('token list --json')).exit).toBe(0);
    const { out } = await gateway('config list --json');
    const file = (await gateway('config path')).out.trim();
    const kept = /access_token: (\S+)/.exec(await readFile(file, 'utf8'))?.[1] ?? '';
    expect(kept).not.toBe('');
    expect(out).not.toContain(kept);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await gateway('logout')).exit).toBe(0);
    expect((await gateway('token list')).exit).toBe(4);
    const after = await gateway('token list', {
      env: { GATEWAY_URL: site.url, GATEWAY_ACCESS_TOKEN: kept },
    });
    expect(after.exit).toBe(4);
    accessToken = await site.as(OPERATOR).user.newAccessToken({ id: root.id });
  });

  it('sends its token to no other server', async () => {
    await gateway('config set elsewhere url http://127.0.0.1:1');
    await gateway('config set elsewhere access_token -', { stdin: accessToken });
    expect((await gateway(`token list --profile elsewhere --url ${site.url}`)).exit).toBe(4);
    await gateway('config delete elsewhere');
  });

  it('overrides the environment when named, and signing out ends its token', async () => {
    const other = await site.addUser({ username: 'other', password: await hashPassword(PASSWORD) });
    const words = `login --url ${site.url} --username other --password-stdin --profile theirs`;
    await gateway(words, { stdin: PASSWORD });
    expect(JSON.parse((await remotely('whoami --profile theirs --json')).out)).toMatchObject({
      id: other.id,
    });
    expect((await remotely('logout --profile theirs')).exit).toBe(0);
    expect(JSON.parse((await remotely('whoami --json')).out)).toMatchObject({ id: root.id });
    await gateway('config delete theirs');
  });

  it('is not saved when the password is wrong', async () => {
    const words = `login --url ${site.url} --username root --password-stdin --profile wrong`;
    expect((await gateway(words, { stdin: 'wrong password' })).exit).not.toBe(0);
    expect((await gateway('config get wrong')).exit).toBe(3);
  });

  it('can be set, renamed, chosen and deleted by hand', async () => {
    await gateway(`config set one url ${site.url}`);
    expect((await gateway('config set one access_token visible')).exit).toBe(2);
    await gateway('config set one access_token -', { stdin: `${accessToken}\n` });
    expect((await gateway('user get root --profile one')).exit).toBe(0);
    await gateway('config rename one two');
    await gateway('config use two');
    expect((await gateway('user get root')).exit).toBe(0);
    await gateway('config delete two');
    expect((await gateway('user get root --profile two')).exit).toBe(3);
  });

  it('keeps its token in the keyring if there is one, and not in the file', async () => {
    const entries = new Map<string, string>();
    const keyring: Keyring = {
      read: async (account) => entries.get(account),
      write: async (account, secret) => void entries.set(account, secret),
      remove: async (account) => void entries.delete(account),
    };
    const path = (await gateway('config path')).out.trim();
    const locked = { read: noEntry, write: noEntry, remove: noEntry };
    const other = await site.addUser({ username: 'ring', password: await hashPassword(PASSWORD) });
    const signIn = `login --url ${site.url} --username ring --password-stdin --profile ring`;
    const signed = await gateway(signIn, { stdin: PASSWORD, keyring });
    expect(signed).toMatchObject({ exit: 0, err: expect.stringContaining('keyring') });
    const [token] = [...entries.values()];
    expect(await readFile(path, 'utf8')).not.toContain(token);
    const listed = JSON.parse((await gateway('config get ring --json')).out);
    expect(listed.access_token).toBe('(keyring)');

    await gateway('config rename ring rung', { keyring });
    const who = await gateway('whoami --profile rung --json', { keyring });
    expect(JSON.parse(who.out)).toMatchObject({ id: other.id });
    for (const gone of [{}, { keyring: locked }, { keyring, env: { GATEWAY_KEYRING: 'off' } }]) {
      const refused = await gateway('whoami --profile rung', gone);
      expect(refused).toMatchObject({ exit: 3, err: expect.stringContaining('gateway login') });
    }
    // The keyring is not read when another token takes precedence.
    const env = { GATEWAY_URL: site.url, GATEWAY_ACCESS_TOKEN: accessToken };
    expect((await gateway('whoami', { env, keyring: locked })).exit).toBe(0);

    await gateway('config set rung access_token -', { stdin: accessToken, keyring });
    expect([...entries.values()]).toEqual([accessToken]);
    await gateway('config set rung access_token - --no-keyring', { stdin: accessToken, keyring });
    expect([entries.size, (await readFile(path, 'utf8')).includes(accessToken)]).toEqual([0, true]);
    await gateway('config set rung access_token -', { stdin: accessToken, keyring: locked });
    expect(await readFile(path, 'utf8')).toContain(accessToken);
    await gateway('config set rung access_token -', { stdin: accessToken, keyring });
    await gateway('config set rung user_id 7', { keyring });
    expect(await readFile(path, 'utf8')).not.toContain(accessToken);
    await gateway('config delete rung', { keyring });
    expect(entries.size).toBe(0);

    await gateway(signIn, { stdin: PASSWORD, keyring });
    expect((await gateway('logout --profile ring', { keyring })).exit).toBe(0);
    expect(entries.size).toBe(0);
    expect((await gateway('whoami --profile ring', { keyring })).exit).toBe(4);
    await gateway('config delete ring');
  });

  it('is refused if its file is readable by others', async () => {
    await gateway(`config set open url ${site.url}`);
    const file = (await gateway('config path')).out.trim();
    await chmod(file, 0o644);
    expect((await gateway('config list')).exit).toBe(3);
    await chmod(file, 0o600);
  });

  it('is refused by file name if its file cannot be read', async () => {
    const file = (await gateway('config path')).out.trim();
    await writeFile(file, 'profiles: [', { mode: 0o600 });
    const refused = await gateway('config list');
    expect(refused.exit).toBe(3);
    expect(refused.err).toContain(file);
  });
});
