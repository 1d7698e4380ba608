import { chmod, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openDatabases } from '../../../src/store/connection/database.ts';
import { folder, gateway, makeFolderPerTest, setUp } from '../site-folder.ts';

makeFolderPerTest();

describe('maintenance of a site', () => {
  beforeEach(setUp);

  test('the doctor passes a fresh site, and reports a key file readable by others', async () => {
    const healthy = await gateway('doctor --json');
    expect(healthy.rows().filter((row: { result: string }) => row.result !== 'ok')).toEqual([]);
    expect(healthy.exit).toBe(0);
    await chmod(path.join(folder, 'secret.key'), 0o644);
    expect(healthy.rows()).toContainEqual({
      check: 'sqlite_driver',
      result: 'ok',
      detail: `${process.platform}-${process.arch}`,
    });
    const open = await gateway('doctor --json');
    expect(open.exit).toBe(9);
    expect(open.rows()).toContainEqual(
      expect.objectContaining({ check: 'secret_key', result: 'failed' }),
    );
  });

  test('the doctor reports what would refuse calls', async () => {
    const words = 'channel create --name odd --key-env UPSTREAM_KEY --models never-heard-of-it';
    expect((await gateway(words)).exit).toBe(0);
    const found = await gateway('doctor --json');
    expect(found.exit).toBe(9);
    expect(found.rows()).toContainEqual(
      expect.objectContaining({ check: 'prices', result: 'failed' }),
    );
    expect((await gateway('price unpriced')).out).toBe('never-heard-of-it\n');
  });

  test('commands work without a reachable Redis, and the doctor reports it', async () => {
    const env = { GATEWAY_REDIS: 'redis://127.0.0.1:1' };
    expect((await gateway('channel list', { env })).exit).toBe(0);
    const away = await gateway('doctor --json', { env });
    expect(away.exit).toBe(9);
    const failed = away.rows().filter((row: { result: string }) => row.result === 'failed');
    const detail = expect.stringMatching(/^Redis does not answer.*GATEWAY_REDIS.*Check/);
    expect(failed).toEqual([{ check: 'redis', result: 'failed', detail }]);

    const wrong = await gateway('doctor --json', { env: { GATEWAY_REDIS: 'localhost:6379' } });
    expect(wrong.rows()).toContainEqual(
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
      .rows()
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

  test('the doctor names a payment address that no path can follow', async () => {
    const site = await openDatabases(path.join(folder, 'gateway.sqlite'));
    await site.db('options').insert([
      { key: 'PayAddress', value: 'https://pay.example.com' },
      { key: 'CustomCallbackAddress', value: 'https://ai.example.com/?site=1' },
    ]);
    await site.close();
    const found = (await gateway('doctor --json')).rows();
    expect(found).toContainEqual({
      check: 'payments',
      result: 'failed',
      detail: expect.stringContaining('CustomCallbackAddress'),
    });
  });

  test('the doctor warns of sign-in with OpenID Connect over http', async () => {
    const wellKnown = 'option set oidc.well_known http://id.example.com/discovery';
    for (const words of ['option set oidc.client_id gateway', wellKnown])
      expect((await gateway(words)).exit).toBe(0);
    const check = async () =>
      (await gateway('doctor --json'))
        .rows()
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
    expect(found.rows()).toEqual(
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
      const rows: readonly { check: string; result: string; detail: string }[] = found.rows();
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
    expect(tail.out.trim().split('\n').at(-1)).toBe('admin\tOption RetryTimes changed');
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

  test('status describes the site, and exits with 10 if no server answers in time', async () => {
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
