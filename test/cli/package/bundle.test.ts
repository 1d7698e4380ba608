/** Tests of the built command: start-up, streams and signals. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type Options } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/ports.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const ENTRY = path.resolve('bin/gateway.js');
const folder = tempFolder();

beforeAll(async () => {
  // A stale bundle would test old code.
  await execa('node', ['build.mjs', '--server', '--if-needed']);
});

function start(words: string, options: Options = {}) {
  const env = { PATH: process.env.PATH, GATEWAY_DATA: path.join(folder, 'data') };
  return execa('node', [ENTRY, ...words.split(' ').filter(Boolean)], {
    cwd: folder,
    reject: false,
    extendEnv: false,
    ...options,
    env: { ...env, ...options.env },
  });
}

test('without words it shows what most people need', async () => {
  const { stdout, exitCode } = await start('');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchSnapshot();
});

test('its help shows every command and every common flag', async () => {
  const { stdout, exitCode } = await start('--help');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchSnapshot();
});

test('prints the version of the package', async () => {
  const { stdout } = await start('version --json');
  expect(JSON.parse(stdout as string)).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect((await start('--version')).stdout).toMatch(/^\d+\.\d+\.\d+/);
});

test('loads no schemas, drivers or server modules for help', async () => {
  const { stdout } = await execa('node', ['--input-type=module', '-e', LOADED_FILES, ENTRY]);
  expect(stdout).toContain('main.js');
  for (const name of ['session-', 'database-', 'serve-', 'demo-', 'knex', 'fastify', 'sqlite3']) {
    expect(stdout).not.toContain(name);
  }
});

/** Prints the files that Node reads for `gateway --help`. */
const LOADED_FILES = `
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
const seen = new Set();
const walk = (file) => {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, named, bare] of text.matchAll(/^(?:import|export)[^'"]*?from\\s*["'](\\.[^"']+)["']|^import\\s*["'](\\.[^"']+)["']/gm))
    walk(new URL(named ?? bare, pathToFileURL(file)).pathname);
  for (const [, name] of text.matchAll(/^import[^'"]*?from\\s*["']([^."'][^"']*)["']/gm)) seen.add(name);
};
walk(new URL('../dist/main.js', pathToFileURL(process.argv[1])).pathname);
console.log([...seen].join('\\n'));
`;

test('sets up, fills and reads a site in one shell session', async () => {
  expect(
    (await start('setup --username root --password-stdin', { input: 'password-1\n' })).exitCode,
  ).toBe(0);
  const env = { KEY: 'sk-upstream-1234567890' };
  const channel = await start(
    'channel create --name main --key-env KEY --models gpt-4o --output ids',
    { env },
  );
  expect(channel.stdout).toBe('1');
  const token = await start('token create --name ci --usd 1 --fields key --output csv');
  expect(token.stdout).toMatch(/^key\nsk-[0-9a-zA-Z]{48}$/);
  const list = JSON.parse((await start('token list --json')).stdout as string);
  expect(list).toMatchObject({ total: 1, items: [{ name: 'ci', remain_quota_usd: 1 }] });
  expect((await start('token list --output yaml')).stdout).toContain('name: ci');
  const missing = await start('channel get nope --json');
  expect(missing.exitCode).toBe(5);
  expect(missing.stdout).toBe('');
  expect(JSON.parse(missing.stderr as string)).toEqual({
    error: {
      code: 'channel_missing',
      message: 'There is no channel nope.',
      status: 404,
      hint: 'List all channels: gateway channel list.',
    },
  });
});

test('a command that calls no upstream loads neither dialects nor an HTTP client', async () => {
  const coverage = path.join(folder, 'coverage');
  const env = { NODE_V8_COVERAGE: coverage, KEY: 'sk-upstream-1234567890' };
  const words = 'channel create --name second --key-env KEY --models gpt-4o --output ids';
  expect((await start(words, { env })).stdout).toBe('2');
  const sources = new Set<string>();
  for (const name of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(path.join(coverage, name), 'utf8'));
    for (const { url } of result.filter((one: { url: string }) => one.url.includes('/dist/'))) {
      const map = await readFile(`${fileURLToPath(url)}.map`, 'utf8');
      for (const source of JSON.parse(map).sources) sources.add(source);
    }
  }
  const loaded = [...sources].join('\n');
  expect(loaded).toContain('src/services/channels/channels.ts');
  expect(loaded).not.toMatch(/node_modules\/undici|src\/dialects\/|src\/relay\/(?!call)/);
});

/** Runs the command in a shell, for redirections. */
function inShell(words: string) {
  return execa('bash', ['-c', `node ${ENTRY} ${words}`], {
    env: { GATEWAY_DATA: path.join(folder, 'data') },
    reject: false,
  });
}

test('exits without an error message when the reader closes the pipe early', async () => {
  const listing = start('option list --json');
  listing.stdout?.destroy();
  expect(await listing).toMatchObject({ exitCode: 141, stderr: '' });
});

test.each(['--help', 'option list', 'export', 'log export --format jsonl'])(
  '%s fails with an error on a full disk',
  async (words) => {
    const { exitCode, stderr } = await inShell(`${words} > /dev/full`);
    expect(stderr.split('\n')).toEqual([
      'error: stdout could not be written: ENOSPC: no space left on device, write.',
      expect.stringContaining('free space'),
    ]);
    expect(exitCode).toBe(1);
  },
);

test('reports a full disk for output files and stderr', async () => {
  const file = await inShell('log export --out /dev/full');
  expect(file.stderr).toContain('error: /dev/full could not be written: ENOSPC');
  expect(file.exitCode).toBe(1);
  expect((await inShell('channel get nope 2> /dev/full')).exitCode).toBe(5);
  expect((await inShell('log export 2> /dev/full')).exitCode).toBe(1);
});

/** Starts a server and waits until a command on the same data folder finds it. */
async function served(flags: string) {
  const port = await freePort();
  const server = start(`serve --port ${port} ${flags}`);
  expect(await status('--wait --timeout 20s')).toMatchObject({
    server: 'up',
    url: `http://127.0.0.1:${port}`,
  });
  // In an object, because an async function would wait for the end of the process.
  return { server };
}

async function status(flags = '') {
  return JSON.parse((await start(`status --json ${flags}`)).stdout as string);
}

const NO_SERVER = { server: 'down', url: 'http://127.0.0.1:3000' };

test.each(['', '--workers 2'])(
  'commands on the same data folder find the server of serve %s until a signal ends it',
  async (flags) => {
    const { server } = await served(flags);
    server.kill('SIGTERM');
    expect((await server).exitCode).toBe(0);
    expect(await status()).toMatchObject(NO_SERVER);
  },
);

test('ignores what a killed server left behind, and the servers of other sites', async () => {
  const { server } = await served('');
  expect(await status(`--db ${path.join(folder, 'other.sqlite')}`)).toMatchObject(NO_SERVER);
  server.kill('SIGKILL');
  await server;
  const left = async () => (await readdir(path.join(folder, 'data'))).filter(isServerFile);
  expect(await left()).toHaveLength(1);
  expect(await status()).toMatchObject(NO_SERVER);
  expect(await left()).toHaveLength(0);
});

const isServerFile = (name: string) => name.startsWith('server-');

test.each([
  ['sqlite3', 'other.sqlite'],
  ['pg', 'postgres://gateway@127.0.0.1/gateway'],
  ['mysql2', 'mysql://gateway@127.0.0.1/gateway'],
])('names the driver %s when it cannot be loaded', async (driver, database) => {
  const home = await installedWithout(driver);
  await writeFile(path.join(folder, 'other.sqlite'), '');
  const { stderr, exitCode } = await execa('node', [`${home}/bin/gateway.js`, 'user', 'list'], {
    cwd: folder,
    reject: false,
    env: {
      GATEWAY_DATA: path.join(folder, 'none'),
      GATEWAY_DB: database,
      NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main',
    },
  });
  expect(stderr).toContain(`error: The database driver ${driver} cannot be loaded: `);
  expect(stderr).toContain('let npm run the install scripts');
  expect(exitCode).toBe(3);
});

/** Makes an installation of links to this one that lacks the package `name`. */
async function installedWithout(name: string): Promise<string> {
  const home = path.join(folder, `without-${name}`);
  await mkdir(path.join(home, 'node_modules'), { recursive: true });
  for (const part of ['bin', 'dist', 'package.json'])
    await symlink(path.resolve(part), path.join(home, part));
  for (const other of await readdir('node_modules'))
    if (other !== name)
      await symlink(path.resolve('node_modules', other), path.join(home, 'node_modules', other));
  return home;
}

test('following the log exits with 130 on the first interrupt', async () => {
  const tail = start('log tail --follow --interval 10ms', { buffer: true });
  await new Promise((resolve) => tail.stdout?.once('data', resolve));
  tail.kill('SIGINT');
  expect((await tail).exitCode).toBe(130);
});
