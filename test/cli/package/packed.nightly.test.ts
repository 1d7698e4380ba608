/**
 * Packs the package, unpacks it into an empty folder and runs every command there. A real install
 * would fetch some eighty packages and build one of them, so the folder links exactly the packages
 * that the manifest lists as dependencies. An undeclared dependency of the bundle fails here.
 */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aSource } from '../../services/import/sources.ts';
import type { FreshDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/ports.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/server.ts';
import { EVERY_LINE, FIRST, HERE, type Line, REFUSED, THERE, wordsOf } from './packed.ts';

interface Output {
  readonly exit: number | undefined;
  readonly out: string;
  readonly err: string;
}

const folder = tempFolder();
let files: string[];
let upstream: FakeUpstream;
let source: FreshDatabase;
let server: ResultPromise | undefined;
let remote: Readonly<Record<string, string>> = {};
const outputs = new Map<string, Output>();

beforeAll(async () => {
  await execa('node', ['build.mjs', '--server', '--if-needed']);
  upstream = await startFakeUpstream();
  source = await aSource('veloera', 'sqlite');
  files = await unpacked();
  await written();
  await inOrder(FIRST);
  await Promise.all([inOrder(HERE), started().then(madeCall)]);
  const waiting = [...THERE];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await inOrder(next, remote);
  };
  await Promise.all([worker(), worker()]);
}, 600_000);
afterAll(async () => {
  server?.kill('SIGTERM');
  await server;
  await upstream.close();
  await source.drop();
});

/** The names of the packed files. */
async function unpacked(): Promise<string[]> {
  const packed = await execa('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    folder,
  ]);
  const [facts] = JSON.parse(packed.stdout);
  const home = path.join(folder, 'node_modules', 'ai-model-gateway');
  await mkdir(home, { recursive: true });
  const tarball = path.join(folder, facts.filename);
  await execa('tar', ['-xzf', tarball, '-C', home, '--strip-components', '1']);
  const { dependencies } = JSON.parse(await readFile(path.join(home, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.resolve('node_modules', name), link);
  }
  return facts.files.map((file: { path: string }) => file.path);
}

async function written(): Promise<void> {
  const channels = [{ name: 'imported', key: 'sk-1', models: ['gpt-4o'] }];
  const documents = {
    'channels.json': { channels },
    'options.json': { options: { Notice: 'from a file' } },
    'site.json': { groups: [{ name: 'gold', ratio: 0.5 }] },
    'prices.json': { prices: [{ model: 'their-model', in: 1, out: 2 }] },
    'ratios.json': { model_ratio: { 'new-model': 2 }, completion_ratio: { 'new-model': 3 } },
  };
  for (const [name, content] of Object.entries(documents))
    await writeFile(path.join(folder, name), JSON.stringify(content));
  const program = '#!/bin/sh\nexit 0\n';
  await mkdir(path.join(folder, 'bin'));
  await writeFile(path.join(folder, 'bin', 'claude'), program, { mode: 0o755 });
}

function gateway(words: readonly string[], env: Readonly<Record<string, string>>, input?: string) {
  const entry = path.join(folder, 'node_modules', 'ai-model-gateway', 'bin', 'gateway.js');
  const own = {
    HOME: folder,
    PATH: `${folder}/bin:${process.env.PATH}`,
    KEY: 'sk-upstream-1234567890',
    // The machine that runs the tests may have a keyring of its own.
    GATEWAY_KEYRING: 'off',
  };
  const target = env.GATEWAY_URL ? {} : { GATEWAY_DATA: path.join(folder, 'data') };
  return execa('node', [entry, ...words], {
    cwd: folder,
    env: { ...own, ...target, ...env },
    extendEnv: false,
    reject: false,
    input: input ?? '',
  });
}

async function inOrder(lines: readonly Line[], env: Readonly<Record<string, string>> = {}) {
  for (const line of lines) {
    const words = wordsOf(line)
      .replace('UPSTREAM', upstream.url)
      .replaceAll('FOLDER', folder)
      .replace('SOURCE', source.dsn)
      .replace('REQUEST', env.REQUEST ?? '')
      .split(' ');
    const { exitCode, stdout, stderr } = await gateway(
      words,
      env,
      typeof line === 'string' ? '' : line[1],
    );
    outputs.set(wordsOf(line), { exit: exitCode, out: stdout, err: stderr });
  }
}

async function started(): Promise<string> {
  const port = String(await freePort());
  server = gateway(['serve'], {
    GATEWAY_PORT: port,
    GATEWAY_API_RATE_LIMIT_ENABLED: 'false',
    GATEWAY_CRITICAL_RATE_LIMIT_ENABLED: 'false',
  });
  const url = `http://127.0.0.1:${port}`;
  const { stdout } = await gateway(['user', 'token', 'root', '--yes', '--output', 'ids'], {});
  // Only the owner of an account may see the keys of its API tokens.
  remote = { GATEWAY_URL: url, GATEWAY_ACCESS_TOKEN: stdout, GATEWAY_PASSWORD: 'password-1' };
  const { exitCode } = await gateway(['status', '--wait', '--timeout', '60s', '--quiet'], remote);
  expect(exitCode).toBe(0);
  return url;
}

async function madeCall(url: string): Promise<void> {
  const { key } = JSON.parse(outputs.get('token create --name first --usd 1 --json')?.out ?? '{}');
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.text();
  remote = { ...remote, REQUEST: answer.headers.get('x-request-id') ?? '' };
}

test('the package contains what is needed to run and read, and no development files', () => {
  for (const file of ['bin/gateway.js', 'dist/main.js', 'docs/site.schema.json', 'LICENSE'])
    expect(files).toContain(file);
  const folders = new Set(files.map((file) => (file.includes('/') ? file.split('/')[0] : '')));
  expect([...folders].sort()).toEqual(['', 'bin', 'dist', 'docs']);
});

test.each(EVERY_LINE)('gateway %s', (line) => {
  const { exit, out = '', err = '' } = outputs.get(line) ?? {};
  const refusal = REFUSED[line];
  expect(exit, err).toBe(refusal?.exit ?? 0);
  expect(err).not.toMatch(/node:internal|at file:|Error \[/);
  if (refusal !== undefined) {
    expect(JSON.parse(err)).toMatchObject({ error: { code: refusal.code } });
    expect(out).toBe('');
  } else if (line.includes('--json'))
    for (const document of documentsIn(out)) expect(document).toBeTypeOf('object');
});

/** One document, or one on each line. */
function documentsIn(text: string): unknown[] {
  const texts = text.includes('\n{') ? text.split('\n') : [text];
  return texts.map((one) => JSON.parse(one));
}
