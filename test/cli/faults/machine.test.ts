/** Faults of the machine: its disk, users, addresses and the servers that it reaches. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { sqliteDriver } from '../../../src/cli/checks/machine.ts';
import { Cli } from '../../../src/cli/cli.ts';
import { loadConfig } from '../../../src/config.ts';
import { terminal } from '../terminal.ts';
import { at, expectFault, folder, gateway, makeFaultySite } from './faulty-site.ts';

makeFaultySite();

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
    await expectFault(`user list --db ${scheme}://account@${AWAY}/none`, fault);
  });

  test('a gateway, or a server that is none', async () => {
    const url = `http://${AWAY}`;
    const fault = { code: 'server_unreachable', exit: 7, names: url };
    await expectFault(`user list --url ${url}`, fault);
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
    expect(JSON.parse(out).items).toContainEqual({
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

/** An account without rights, which every Unix has. */
const UNPRIVILEGED_ID = 65_534;

/** Runs the built command in a process of another user. */
function runUnprivileged(words: string) {
  return execa('node', ['bin/gateway.js', ...words.split(' ')], {
    env: { GATEWAY_DATA: folder, GATEWAY_LANG: 'en', HOME: '/tmp' },
    uid: UNPRIVILEGED_ID,
    gid: UNPRIVILEGED_ID,
    timeout: 60_000,
    killSignal: 'SIGKILL',
    reject: false,
  });
}

async function failUnprivileged(words: string) {
  const { exitCode, stderr } = await runUnprivileged(words);
  return { exit: exitCode, error: JSON.parse(stderr).error };
}

async function canChangeUser(): Promise<boolean> {
  if (process.getuid?.() === 0 && (await runUnprivileged('version')).exitCode === 0) return true;
  process.stderr.write('\n*** NOT TESTED: faults of another user (needs root) ***\n\n');
  return false;
}

describe.skipIf(!(await canChangeUser()))('as a user without rights', () => {
  test('a data folder of another user is not opened', async () => {
    const { exit, error } = await failUnprivileged('user list --json');
    expect([exit, error.code]).toEqual([3, 'file_access_denied']);
    expect(error.message).toContain(at('gateway.sqlite'));
  });

  test('a key that only another user may read is named', async () => {
    await chmod(folder, 0o777);
    await chmod(at('gateway.sqlite'), 0o666);
    const { exit, error } = await failUnprivileged('user list --json');
    expect([exit, error.code]).toEqual([3, 'file_access_denied']);
    expect(error.message).toContain(at('secret.key'));
  });

  test('a folder that is only readable is named', async () => {
    await chmod(folder, 0o755);
    for (const name of ['gateway.sqlite', 'secret.key']) await chmod(at(name), 0o644);
    for (const words of ['user list --json', `db migrate --data ${at('new')} --json`]) {
      const { exit, error } = await failUnprivileged(words);
      expect([exit, error.code]).toEqual([3, 'folder_not_writable']);
      expect(error.message).toContain(folder);
    }
  });

  test.runIf(process.platform === 'linux')(
    'a file system without folders of users is named',
    async () => {
      const { exit, error } = await failUnprivileged('db migrate --data /proc/new --json');
      expect([exit, error.code]).toEqual([3, 'folder_not_writable']);
      expect(error.message).toContain('/proc');
    },
  );
});

test('a driver of SQLite that cannot be loaded is reported with what installs it', async () => {
  const missing = sqliteDriver(() => {
    throw new Error('Could not locate the bindings file');
  });
  const config = loadConfig({ dataDir: folder, database: path.join(folder, 'x.sqlite') }, {});
  const cli = new Cli(terminal(), 'en');
  const finding = await missing.look(config, cli);
  expect(finding).toMatchObject({ result: 'failed' });
  expect(finding.detail).toContain('--allow-scripts=sqlite3');
  const remote = loadConfig({ dataDir: folder, database: 'postgres://127.0.0.1:1/none' }, {});
  expect(await missing.look(remote, cli)).toMatchObject({ result: 'ok' });
});
