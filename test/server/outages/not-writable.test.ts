/** A database that responds but refuses writes: calls are refused immediately, and it recovers. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import knex from 'knex';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boot } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import { loggerTo } from '../../../src/log.ts';
import { databases, postgresUrl } from '../../support/databases.ts';
import { hasMariadbServer, startMariadb } from '../../support/mariadb-server.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually, OPERATOR, type Site } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';
import { refusedCalls } from './dialect-calls.ts';

const MIB = 1024 * 1024;

/** A file system of that size; undefined if this process may not mount one. */
async function smallDisk(bytes = 8 * MIB): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return folder;
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
}

async function unmount(folder: string): Promise<void> {
  execFileSync('umount', ['-l', folder]);
  await rm(folder, { recursive: true });
}

/** Leaves nothing mounted, because the tests may all be filtered out. */
async function canMount(): Promise<boolean> {
  const disk = await smallDisk();
  if (disk !== undefined) await unmount(disk);
  return disk !== undefined;
}

async function fill(folder: string): Promise<string> {
  const file = path.join(folder, 'filler');
  await expect(writeFile(file, Buffer.alloc(64 * MIB))).rejects.toMatchObject({ code: 'ENOSPC' });
  return file;
}

async function expectRefusals(site: Site): Promise<void> {
  const callCount = site.upstream.stats.calls;
  for (const [name, call, pattern] of refusedCalls('database_not_writable')) {
    const { status, text, headers } = await site.call(call);
    expect([name, status, Number(headers['retry-after'])]).toEqual([name, 503, 5]);
    expect(text).toMatch(pattern);
  }
  expect(site.upstream.stats.calls).toBe(callCount);
}

const ready = async (site: Site) => {
  const { status, text } = await site.call({ path: '/health/ready', key: '' });
  return [status, JSON.parse(text).status];
};

const until = (site: Site, status: number) =>
  eventually(`/health/ready answers ${status}`, async () => (await ready(site))[0] === status);

async function expectSound(site: Site): Promise<void> {
  await site.settled();
  expect(await site.verify()).toMatchObject({ ok: true, checked: { holds: 0 } });
}

describe.skipIf(!(await canMount()))('SQLite on a full disk', () => {
  let folder: string;
  let site: Site;
  beforeAll(async () => {
    folder = (await smallDisk()) ?? '';
    site = await aSite({
      config: { clientGraceMs: 0 },
      through: async (dsn) => {
        const file = path.join(folder, 'gateway.db');
        await copyFile(dsn, file);
        return file;
      },
    });
  });
  afterAll(async () => {
    await site.close();
    await unmount(folder);
  });

  test('refuses calls until there is space, and charges running ones once', async () => {
    expect((await site.call({ body: CHAT })).status).toBe(200);
    site.upstream.script('hold');
    const underWay = site.call({ body: CHAT });
    await site.upstream.until((stats) => stats.openCalls === 1);
    const filler = await fill(folder);
    await until(site, 503);
    expect(await ready(site)).toEqual([503, 'database not writable: disk full']);
    await expectRefusals(site);
    site.upstream.release();
    await rm(filler);
    await until(site, 200);
    const { status, requestId } = await underWay;
    expect(status).toBe(200);
    expect(await site.ledgerOf(requestId)).toMatchObject([{ cause: 'charge' }]);
    expect((await site.call({ body: CHAT })).status).toBe(200);
    await expectSound(site);
  });

  test('names the folder when a server starts', async () => {
    const filler = await fill(folder);
    const config = loadConfig({ dataDir: path.join(folder, 'new'), logLevel: 'silent' }, {});
    await expect(boot(config, { migrate: true })).rejects.toMatchObject({ code: 'disk_full' });
    await rm(filler);
  });
});

describe('read-only SQLite', async () => {
  const site = await sharedSite();

  test('is detected by a failing commit, and management calls answer 503 too', async () => {
    const authorization = await site.as(OPERATOR).user.newAccessToken({ id: site.user.id });
    await site.ctx.db.raw('PRAGMA query_only=ON');
    const first = await site.call({ body: CHAT });
    expect([first.status, JSON.parse(first.text).error.code]).toEqual([
      503,
      'database_not_writable',
    ]);
    await expectRefusals(site);
    await until(site, 503);
    const created = await site.call({
      path: '/api/token/',
      body: { name: 'new' },
      key: '',
      headers: { authorization },
    });
    expect([created.status, JSON.parse(created.text).code]).toEqual([503, 'database_not_writable']);
    await site.ctx.db.raw('PRAGMA query_only=OFF');
    await until(site, 200);
    expect((await site.call({ body: CHAT })).status).toBe(200);
    await expectSound(site);
  });
});

/** Statements that make every log entry fail, and those that end that. */
const REFUSED_LOGS = {
  sqlite: [
    "create trigger no_logs before insert on logs begin select raise(abort, 'no logs'); end",
    'drop trigger no_logs',
    'statements fail',
  ],
  postgres: [
    `create function no_logs() returns trigger as $$ begin
       raise exception 'no logs' using errcode = '42501'; end $$ language plpgsql;
     create trigger no_logs before insert on logs for each row execute function no_logs()`,
    'drop trigger no_logs on logs',
    'not permitted',
  ],
  mysql: [
    "create trigger no_logs before insert on logs for each row signal sqlstate '45000' set message_text = 'no logs'",
    'drop trigger no_logs',
    'statements fail',
  ],
} as const;

describe.each(databases)('$kind that refuses only what settlements write', async ({ kind }) => {
  const [refuse, accept, reason] = REFUSED_LOGS[kind];
  const lines: string[] = [];
  const log = loggerTo('info', { write: (text) => void lines.push(text) });
  const site = await sharedSite({ database: kind, log });

  const logged = (text: string) =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes(text));

  test('takes no calls after the first settlement that fails, until a probe succeeds', async () => {
    site.upstream.script('hold', 'hold');
    const underWay = [site.call({ body: CHAT }), site.call({ body: STREAM })];
    await site.upstream.until((stats) => stats.openCalls === 2);
    await site.ctx.db.raw(refuse);
    site.upstream.release();
    await eventually('the node is not ready', async () => (await ready(site))[0] === 503);
    expect(await ready(site)).toEqual([503, `database not writable: ${reason}`]);
    await expectRefusals(site);
    expect(logged('is not writable')).toMatchObject([{ reason, remedy: expect.any(String) }]);
    await site.ctx.db.raw(accept);
    await until(site, 200);
    for (const { status, text, requestId } of await Promise.all(underWay)) {
      expect(status).toBe(200);
      expect(text).not.toContain('error');
      expect(await site.ledgerOf(requestId)).toMatchObject([{ cause: 'charge' }]);
    }
    expect(logged('is writable again')).toHaveLength(1);
    expect((await site.call({ body: CHAT })).status).toBe(200);
    await expectSound(site);
    const probes = site.ctx.db('ledger').where('key', 'like', 'probe:%');
    expect(await probes.select('key')).toEqual([]);
  });
});

describe.each(databases)('$kind without the table of the log', async ({ kind }) => {
  const site = await sharedSite({ database: kind });

  // Other faults are retried for longer than this test may take.
  test('ends a running call at once, and charges nothing', { timeout: 20_000 }, async () => {
    site.upstream.script('hold');
    const underWay = site.call({ body: CHAT });
    await site.upstream.until((stats) => stats.openCalls === 1);
    await site.ctx.db.schema.renameTable('logs', 'logs_elsewhere');
    site.upstream.release();
    const { status, requestId } = await underWay;
    expect(status).toBe(503);
    await expectRefusals(site);
    await site.ctx.db.schema.renameTable('logs_elsewhere', 'logs');
    await until(site, 200);
    expect(await site.ledgerOf(requestId)).toEqual([]);
    await expectSound(site);
  });
});

const hasPostgres = databases.some(({ kind }) => kind === 'postgres');

/** Whether a server on this machine can use a folder that this process makes. */
function ownsPostgres(): boolean {
  try {
    execFileSync('id', ['postgres'], { stdio: 'ignore' });
    return ['127.0.0.1', 'localhost'].includes(new URL(postgresUrl()).hostname);
  } catch {
    return false;
  }
}

test.skipIf(!hasPostgres || !ownsPostgres() || !(await canMount()))(
  'PostgreSQL on a full disk refuses calls with one line in the log, and charges running ones once',
  async () => {
    const disk = (await smallDisk(48 * MIB)) ?? '';
    execFileSync('chown', ['postgres', disk]);
    const space = `small_${path.basename(disk).replaceAll(/\W/g, '_').toLowerCase()}`;
    const admin = knex({ client: 'pg', connection: postgresUrl(), pool: { min: 1, max: 1 } });
    await admin.raw(`create tablespace ?? location '${disk}'`, [space]);
    const lines: { readonly level: number; readonly msg: string }[] = [];
    const site = await aSite({
      database: 'postgres',
      log: loggerTo('info', { write: (text) => void lines.push(JSON.parse(text)) }),
      through: async (dsn) => {
        const own = knex({ client: 'pg', connection: dsn, pool: { min: 1, max: 1 } });
        for (const what of ['table', 'index'])
          await own.raw(`alter ${what} all in tablespace pg_default set tablespace ??`, [space]);
        await own.destroy();
        return dsn;
      },
    });
    expect((await site.call({ body: CHAT })).status).toBe(200);
    const filler = await fill(disk);
    // Some calls still fit into the pages that there are.
    const underWay = [site.call({ body: STREAM })];
    while ((await ready(site))[0] === 200) underWay.push(site.call({ body: CHAT }));
    expect(await ready(site)).toEqual([503, 'database not writable: disk full']);
    await expectRefusals(site);
    expect(lines.filter(({ level }) => level >= 40)).toMatchObject([
      { level: 50, reason: 'disk full', remedy: expect.any(String) },
    ]);
    await rm(filler);
    await until(site, 200);
    const answers = await Promise.all(underWay);
    for (const { status, requestId } of answers)
      expect(await site.ledgerOf(requestId)).toHaveLength(status === 200 ? 1 : 0);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(lines.filter(({ msg }) => msg.includes('is writable again'))).toHaveLength(1);
    await expectSound(site);
    await site.close();
    // Its tables are in the tablespace.
    await admin.raw('drop database ??', [new URL(site.dsn).pathname.slice(1)]);
    await admin.raw('drop tablespace ??', [space]);
    await admin.destroy();
    await unmount(disk);
  },
  120_000,
);

test.skipIf(!hasPostgres)('PostgreSQL that became a standby is not ready', async () => {
  const site = await aSite({ database: 'postgres' });
  const name = new URL(site.dsn).pathname.slice(1);
  const operator = knex({ client: 'pg', connection: site.dsn, pool: { min: 1, max: 1 } });
  const readOnly = async (state: 'on' | 'off') => {
    await operator.raw(
      `begin read write; alter database ?? set default_transaction_read_only = ${state}; commit`,
      [name],
    );
    await operator.raw(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = ? and pid <> pg_backend_pid()',
      [name],
    );
  };
  await readOnly('on');
  await until(site, 503);
  await eventually('it is told why', async () =>
    String((await ready(site))[1]).includes('read-only'),
  );
  await expectRefusals(site);
  await readOnly('off');
  await until(site, 200);
  expect((await site.call({ body: CHAT })).status).toBe(200);
  await expectSound(site);
  await operator.destroy();
  await site.close();
});

test.skipIf(!hasMariadbServer())(
  'MariaDB that became read-only is not ready',
  async () => {
    const server = await startMariadb();
    const site = await aSite({ through: async () => server.url });
    expect((await site.call({ body: CHAT })).status).toBe(200);
    await site.settled();
    await server.run('set global read_only = 1');
    await until(site, 503);
    expect(await ready(site)).toEqual([503, 'database not writable: read-only']);
    await expectRefusals(site);
    await server.run('set global read_only = 0');
    await until(site, 200);
    expect((await site.call({ body: CHAT })).status).toBe(200);
    await expectSound(site);
    await site.close();
    await server.stop();
  },
  120_000,
);

test('a SQLite file that another process has locked is called locked', async () => {
  const site = await aSite();
  const other = knex({
    client: 'sqlite3',
    connection: { filename: site.dsn },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  await other.raw('begin immediate');
  await until(site, 503);
  expect(await ready(site)).toEqual([503, 'database locked']);
  await other.raw('rollback');
  await until(site, 200);
  await other.destroy();
  await site.close();
});
