/** Faults of the disk, the files, the database and the port, as commands report them. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import knex from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCommand, type TerminalOptions } from './terminal.ts';

/** A data folder with a site; each test works on copies of it. */
let template: string;
let folder: string;

beforeAll(async () => {
  template = await mkdtemp(path.join(tmpdir(), 'gateway-faults-'));
  const env = { GATEWAY_DATA: template, KEY: 'sk-upstream-1234567890' };
  const account = 'setup --username root --password-stdin';
  expect((await runCommand(account, { env, stdin: 'password-1' })).exit).toBe(0);
  const channel = 'channel create --name main --type openai --key-env KEY --models m';
  expect((await runCommand(channel, { env })).exit).toBe(0);
});
afterAll(() => rm(template, { recursive: true }));

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gateway-faults-'));
  for (const name of ['gateway.sqlite', 'secret.key'])
    await copyFile(path.join(template, name), path.join(folder, name));
  return () => rm(folder, { recursive: true });
});

const at = (name: string) => path.join(folder, name);

function gateway(words: string, { env, ...options }: TerminalOptions = {}) {
  return runCommand(words, { ...options, env: { GATEWAY_DATA: folder, ...env } });
}

interface Fault {
  readonly code: string;
  readonly exit?: number;
  /** What the sentence must name. */
  readonly names?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command as a person in each language and as a program, and compares what they get. */
async function expectFault(words: string, { code, exit = 3, names, env = {} }: Fault) {
  const asJson = await gateway(`${words} --json`, { env });
  const { error } = JSON.parse(asJson.err);
  expect([asJson.exit, error.code, asJson.out]).toEqual([exit, code, '']);
  expect(error.hint).toBeTruthy();
  for (const [lang, script] of [
    ['en', /^[\p{ASCII}…]+$/u],
    ['zh', /\p{Script=Han}/u],
  ] as const) {
    const shown = await gateway(words, { env: { ...env, GATEWAY_LANG: lang } });
    expect(shown.exit).toBe(exit);
    const [sentence = '', hint = '', ...more] = shown.err.trimEnd().split('\n');
    expect(sentence.replaceAll(folder, '')).toMatch(script);
    expect(hint.replaceAll(folder, '')).toMatch(script);
    expect(`${sentence}${hint}`).not.toMatch(/\?|\{\{/);
    expect(more).toEqual([]);
    if (names !== undefined) expect(sentence).toContain(names);
  }
}

async function expectFinding(check: string, sentence: string): Promise<void> {
  const { exit, out } = await gateway('doctor --json');
  expect(exit).toBe(9);
  expect(JSON.parse(out)).toContainEqual({
    check,
    result: 'failed',
    detail: expect.stringContaining(sentence),
  });
}

describe('where there is no gateway', () => {
  const READING = [
    'user list',
    'channel get main',
    'log list',
    'ledger verify',
    'option list',
    'db info',
    'db backup copy.sqlite',
    'db vacuum',
    'upgrade-check',
    'backup site.gz',
    'secret-key rotate --yes',
    'channel create --name a --type openai --key-env KEY --models m',
  ];
  const env = { KEY: 'sk-upstream-1234567890' };

  test.each(READING)('%s says so and creates nothing', async (words) => {
    const nothing = at('nothing/below');
    const flags = `${words} --data ${nothing}`;
    await expectFault(flags, { code: 'database_missing', names: nothing, env });
    await expectFault(`${words} --db ${at('no/site.sqlite')}`, {
      code: 'database_missing',
      names: at('no/site.sqlite'),
      env,
    });
    expect((await readdir(folder)).sort()).toEqual(['gateway.sqlite', 'secret.key']);
  });

  test('status, doctor and the state of the schema create nothing either', async () => {
    const place = `--data ${at('nothing')} --json`;
    expect((await gateway(`status ${place}`)).json()).toMatchObject({ setup: false });
    expect((await gateway(`doctor ${place}`)).exit).toBe(9);
    expect((await gateway(`db check ${place}`)).json()).toMatchObject({ state: 'empty' });
    expect((await gateway(`db migrate --plan ${place}`)).exit).toBe(0);
    expect(existsSync(at('nothing'))).toBe(false);
  });

  test('a log database that does not exist is named, and db migrate creates it', async () => {
    const log = { GATEWAY_LOG_DB: at('log.sqlite') };
    const fault = { code: 'log_database_empty', names: at('log.sqlite'), env: log };
    await expectFault('user list', fault);
    expect(existsSync(at('log.sqlite'))).toBe(false);
    expect((await gateway('db migrate', { env: log })).exit).toBe(0);
    expect((await gateway('user list', { env: log })).exit).toBe(0);
  });

  test('a restore is rehearsed without a file, but not onto a site whose log database is missing', async () => {
    expect((await gateway(`backup ${at('site.gz')} --with-secret-key`)).exit).toBe(0);
    const rehearsal = `restore ${at('site.gz')} --dry-run`;
    expect((await gateway(`${rehearsal} --data ${at('new')}`)).exit).toBe(0);
    expect(existsSync(at('new'))).toBe(false);
    await expectFault(rehearsal, {
      code: 'restore_not_empty',
      exit: 6,
      env: { GATEWAY_LOG_DB: at('log.sqlite') },
    });
    await expectFault(`restore ${at('absent.gz')}`, { code: 'backup_missing', exit: 5 });
  });
});

describe('a file that is no database of a gateway', () => {
  test('a text file or a folder is not a SQLite database', async () => {
    await writeFile(at('text'), 'This is a text and no database.\n'.repeat(100));
    for (const place of [at('text'), folder]) {
      const fault = { code: 'database_not_sqlite', names: place };
      await expectFault(`user list --db ${place}`, fault);
    }
    expect(await readFile(at('text'), 'utf8')).toMatch(/^(This is a text and no database\.\n)+$/);
    await expectFault(`import ${at('text')}`, { code: 'database_not_sqlite', names: at('text') });
    await expectFault(`import ${at('absent')}`, { code: 'import_source_missing', exit: 5 });
  });

  test('a file that lost its end is damaged, also for doctor', async () => {
    const { size } = await stat(at('gateway.sqlite'));
    await truncate(at('gateway.sqlite'), Math.floor(size / 2));
    await expectFault('user list', { code: 'database_damaged', names: at('gateway.sqlite') });
    await expectFinding('database', 'is damaged');
    await expectFault(`import ${at('gateway.sqlite')} --db ${template}/gateway.sqlite`, {
      code: 'database_damaged',
      names: at('gateway.sqlite'),
    });
  });

  test('damage that only a query meets is named while a command runs', async () => {
    const db = knex({
      client: 'sqlite3',
      connection: { filename: at('gateway.sqlite') },
      useNullAsDefault: true,
    });
    const [{ page_size: bytes }] = await db.raw('pragma page_size');
    const [{ rootpage }] = await db('sqlite_master').where({ name: 'users' }).select('rootpage');
    await db.destroy();
    const file = await open(at('gateway.sqlite'), 'r+');
    await file.write(Buffer.alloc(bytes, 0xff), 0, bytes, (rootpage - 1) * bytes);
    await file.close();
    await expectFault('user list', { code: 'database_damaged', names: at('gateway.sqlite') });
    await expectFinding('storage', 'damaged');
  });

  test('the database of another program is refused and not changed', async () => {
    const db = knex({
      client: 'sqlite3',
      connection: { filename: at('recipes.sqlite') },
      useNullAsDefault: true,
    });
    await db.schema.createTable('recipes', (table) => void table.text('name'));
    // Other programs name a table so, with other columns.
    await db.schema.createTable('schema_migrations', (table) => void table.text('version'));
    await db.destroy();
    const before = await readFile(at('recipes.sqlite'));
    const fault = { code: 'database_foreign', names: 'recipes' };
    for (const words of ['user list', 'db migrate', 'serve --port 0', 'db vacuum'])
      await expectFault(`${words} --db ${at('recipes.sqlite')}`, fault);
    expect(await readFile(at('recipes.sqlite'))).toEqual(before);
    expect((await readdir(folder)).filter((name) => name.startsWith('recipes'))).toEqual([
      'recipes.sqlite',
    ]);
  });
});

describe('a secret key', () => {
  test('of another site is refused, whether from the file or the environment', async () => {
    const other = 'another key, and a long one at that';
    await expectFault('user list', {
      code: 'secret_key_wrong',
      names: 'GATEWAY_SECRET_KEY',
      env: { GATEWAY_SECRET_KEY: other },
    });
    await writeFile(at('secret.key'), `${other}\n`);
    await expectFault('user list', { code: 'secret_key_wrong', names: 'secret.key' });
    await expectFinding('database', 'does not match');
  });

  test('that is cut off, missing or a folder is named with its place', async () => {
    await writeFile(at('secret.key'), 'cut off\n');
    await expectFault('user list', { code: 'secret_key_short', names: at('secret.key') });
    const env = { GATEWAY_SECRET_KEY: 'short' };
    const names = 'GATEWAY_SECRET_KEY';
    await expectFault('user list', { code: 'secret_key_short', names, env });
    await rm(at('secret.key'));
    await expectFault('user list', { code: 'secret_key_missing', names: at('secret.key') });
    await mkdir(at('secret.key'));
    await expectFault('user list', { code: 'secret_key_missing', names: at('secret.key') });
  });
});

test('a file in the path of the data, log or backup folder is named', async () => {
  await writeFile(at('file'), '');
  const names = at('file');
  await expectFault(`db migrate --data ${at('file/below')}`, { code: 'folder_blocked', names });
  await expectFault(`serve --log-dir ${at('file/log')}`, { code: 'folder_blocked', names });
  await expectFault(`backup ${at('none/b.gz')}`, { code: 'write_failed', exit: 1 });
  await expectFault(`db backup ${at('none/b.db')}`, { code: 'write_failed', exit: 1 });
});

describe('an address that cannot be listened on', () => {
  test('is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const fault = { code: 'port_in_use', names: `127.0.0.1:${port}` };
    await expectFault(`serve --port ${port}`, fault);
    const metrics = { GATEWAY_METRICS_PORT: String(port) };
    await expectFault('serve --port 0', { ...fault, env: metrics });
    other.close();
  });

  test('is of another machine', async () => {
    // An address for documentation, which no machine has (RFC 5737).
    const fault = { code: 'host_not_local', names: '203.0.113.1' };
    await expectFault('serve --host 203.0.113.1 --port 0', fault);
  });
});

describe('a server that does not answer', () => {
  const AWAY = '127.0.0.1:1';

  test.each(['postgres', 'mysql'])('%s', async (scheme) => {
    const fault = { code: 'database_unreachable', exit: 7, names: AWAY };
    await expectFault(`user list --db ${scheme}://nobody@${AWAY}/none`, fault);
  });

  test('Redis fails the check of doctor, and other commands work', async () => {
    const env = { GATEWAY_REDIS: `redis://${AWAY}` };
    expect((await gateway('user list', { env })).exit).toBe(0);
    const { exit, out } = await gateway('doctor --json', { env });
    expect(exit).toBe(9);
    expect(JSON.parse(out)).toContainEqual({
      check: 'redis',
      result: 'failed',
      detail: expect.stringMatching(/^Redis does not answer.*GATEWAY_REDIS.*Check/),
    });
  });

  test('a gateway, or a server that is none', async () => {
    const url = `http://${AWAY}`;
    await expectFault(`user list --url ${url}`, {
      code: 'server_unreachable',
      exit: 7,
      names: url,
    });
  });
});

const SMALL_DISK_BYTES = 4 * 1024 * 1024;

/** A full file system with a copy of the site; undefined where this process may not mount one. */
async function fullDisk(): Promise<string | undefined> {
  const disk = await mkdtemp(path.join(tmpdir(), 'gateway-full-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_BYTES}`, 'tmpfs'];
    execFileSync('mount', [...options, disk], { stdio: 'ignore' });
  } catch {
    await rm(disk, { recursive: true });
    return undefined;
  }
  for (const name of ['gateway.sqlite', 'secret.key'])
    await copyFile(path.join(folder, name), path.join(disk, name));
  await writeFile(path.join(disk, 'filler'), Buffer.alloc(SMALL_DISK_BYTES)).catch(() => undefined);
  return disk;
}

test('a full disk is named by every command and by doctor', async ({ skip }) => {
  const disk = await fullDisk();
  if (disk === undefined) {
    process.stderr.write('\n*** NOT TESTED: a full disk (this process may not mount one) ***\n\n');
    return skip();
  }
  try {
    const fault = { code: 'disk_full', names: disk, env: { GATEWAY_DATA: disk } };
    await expectFault('user list', fault);
    await expectFault(`db migrate --data ${disk}/new`, fault);
    await expectFault('serve --port 0', fault);
    const { out } = await gateway('doctor --json', { env: { GATEWAY_DATA: disk } });
    expect(JSON.parse(out)).toContainEqual({
      check: 'database',
      result: 'failed',
      detail: expect.stringContaining(`The disk of ${disk} is full`),
    });
    const copy = path.join(disk, 'copy.sqlite');
    await expectFault(`db backup ${copy}`, { code: 'write_failed', exit: 1, names: copy });
    expect(existsSync(copy)).toBe(false);
  } finally {
    execFileSync('umount', ['-l', disk]);
    await rm(disk, { recursive: true });
  }
});

const NOBODY = 65_534;

/** Runs the built command in a process of another user. */
function runAsNobody(words: string) {
  return execa('node', ['bin/gateway.js', ...words.split(' ')], {
    env: { GATEWAY_DATA: folder, GATEWAY_LANG: 'en', HOME: '/tmp' },
    uid: NOBODY,
    gid: NOBODY,
    reject: false,
  });
}

async function asNobody(words: string) {
  const { exitCode, stderr } = await runAsNobody(words);
  return { exit: exitCode, error: JSON.parse(stderr).error };
}

async function canBeNobody(): Promise<boolean> {
  if (process.getuid?.() === 0 && (await runAsNobody('version')).exitCode === 0) return true;
  process.stderr.write('\n*** NOT TESTED: faults of another user (needs root) ***\n\n');
  return false;
}

describe.skipIf(!(await canBeNobody()))('as a user without rights', () => {
  test('a data folder of another user is not opened', async () => {
    const { exit, error } = await asNobody('user list --json');
    expect([exit, error.code]).toEqual([3, 'file_access_denied']);
    expect(error.message).toContain(at('gateway.sqlite'));
  });

  test('a key that only another user may read is named', async () => {
    await chmod(folder, 0o777);
    await chmod(at('gateway.sqlite'), 0o666);
    const { exit, error } = await asNobody('user list --json');
    expect([exit, error.code]).toEqual([3, 'file_access_denied']);
    expect(error.message).toContain(at('secret.key'));
  });

  test('a folder that is only readable is named', async () => {
    await chmod(folder, 0o755);
    for (const name of ['gateway.sqlite', 'secret.key']) await chmod(at(name), 0o644);
    for (const words of ['user list --json', `db migrate --data ${at('new')} --json`]) {
      const { exit, error } = await asNobody(words);
      expect([exit, error.code]).toEqual([3, 'folder_not_writable']);
      expect(error.message).toContain(folder);
    }
  });
});
