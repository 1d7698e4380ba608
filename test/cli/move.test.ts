/**
 * Moves a site: imports an old installation, moves the site by backups through each kind of
 * database and back, and then checks that it still serves calls.
 */
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { loadConfig } from '../../src/config.ts';
import { startServer } from '../../src/server/serve.ts';
import { ALICE_KEY, aSource, PASSWORD } from '../services/import/sources.ts';
import { databases, emptyDatabase, type FreshDatabase } from '../support/databases.ts';
import { UPSTREAM_KEY } from '../support/site.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type FakeUpstream, startFakeUpstream } from '../upstream/server.ts';
import { runCommand, terminal } from './terminal.ts';

const folder = tempFolder();
let upstream: FakeUpstream;
let old: FreshDatabase;
const opened: FreshDatabase[] = [];

beforeAll(async () => {
  upstream = await startFakeUpstream({ keys: [UPSTREAM_KEY] });
  old = await aSource('veloera', 'sqlite', upstream.url);
});

afterAll(async () => {
  await Promise.all([old.drop(), upstream.close(), ...opened.map((database) => database.drop())]);
});

const at = (name: string) => path.join(folder, name);

/** Runs the command once on the site whose data folder is `site`. */
function gateway(site: string, words: string, env: Readonly<Record<string, string>> = {}) {
  return runCommand(words, { env: { GATEWAY_DATA: at(site), OLD: old.dsn, ...env } });
}

/** The lines of a backup without its header, which holds the time. */
async function linesOf(file: string): Promise<string[]> {
  return gunzipSync(await readFile(at(file)))
    .toString()
    .trim()
    .split('\n')
    .slice(1);
}

const KINDS = [
  ...databases.map(({ kind }) => kind).filter((kind) => kind !== 'sqlite'),
  'sqlite',
] as const;

// CI selects the tests that need a database server by their names.
describe(`the move of a site to ${KINDS.join(', ')}`, () => {
  test('previews an old installation, then imports it', async () => {
    const dryRun = await gateway('first', 'import --from-env OLD --dry-run --json');
    expect(dryRun).toMatchObject({ exit: 0, err: expect.stringContaining('Dry run') });
    const outcome = JSON.parse(dryRun.out);
    expect(outcome).toMatchObject({ family: 'veloera', version: 'v0.5.1', dry_run: true });
    expect(outcome.notes).toContainEqual(
      expect.objectContaining({
        resource: 'tokens',
        effect: 'lost',
        code: 'orphan',
        examples: ['13'],
      }),
    );
    const taken = await gateway('first', 'import --from-env OLD --logs');
    expect(taken).toMatchObject({ exit: 0, out: expect.stringContaining('users') });
    expect((await gateway('first', 'ledger verify')).exit).toBe(0);
    expect((await gateway('first', 'import --since 3d --from-env OLD')).exit).toBe(2);
    expect((await gateway('first', 'import')).exit).toBe(2);
  });

  test('an interrupted import stops in order and says that it can be resumed', async () => {
    const io = terminal({ env: { GATEWAY_DATA: at('cut'), OLD: old.dsn } });
    io.interrupt('SIGINT');
    expect(await run(['import', '--from-env', 'OLD'], io)).toBe(130);
    expect(io.stderr()).toContain('again to continue');
    expect((await gateway('cut', 'ledger verify')).exit).toBe(0);
  });

  test('a backup is readable by its owner only and overwrites nothing', async () => {
    expect(await gateway('first', `backup ${at('plain.gz')}`)).toMatchObject({ exit: 0 });
    expect((await stat(at('plain.gz'))).mode & 0o077).toBe(0);
    expect((await linesOf('plain.gz')).join('')).not.toContain('secret_key');
    expect((await gateway('first', `backup ${at('plain.gz')}`)).exit).toBe(2);
  });

  test('moves a site from database to database without loss', async () => {
    expect((await gateway('first', `backup ${at('0.gz')} --with-secret-key`)).exit).toBe(0);
    for (const [index, kind] of KINDS.entries()) {
      const database = kind === 'sqlite' ? undefined : await emptyDatabase(kind);
      if (database !== undefined) opened.push(database);
      const site = kind === 'sqlite' ? 'last' : kind;
      const env: Record<string, string> =
        database === undefined ? {} : { GATEWAY_DB: database.dsn };
      const restored = await gateway(site, `restore ${at(`${index}.gz`)}`, env);
      expect(restored, kind).toMatchObject({ exit: 0 });
      const next = await gateway(site, `backup ${at(`${index + 1}.gz`)} --with-secret-key`, env);
      expect(next, kind).toMatchObject({ exit: 0 });
      expect(await linesOf(`${index + 1}.gz`)).toEqual(await linesOf('0.gz'));
      const made = await gateway(site, 'token create --name fresh --user alice --json', env);
      expect(JSON.parse(made.out).id).toBeGreaterThan(12);
    }
  });

  test('after the move the old key and password work and the ledger is correct', async () => {
    const config = loadConfig({ dataDir: at('last'), port: 0, web: false, logLevel: 'silent' }, {});
    const serving = await startServer(config);
    try {
      const body = JSON.stringify({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content: 'hi' }],
      });
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer sk-${ALICE_KEY}`,
      };
      const answer = await request(`${serving.url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body,
      });
      expect(answer.statusCode, await answer.body.text()).toBe(200);
      const signIn = await request(`${serving.url}/api/user/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: serving.url },
        body: JSON.stringify({ username: 'alice', password: PASSWORD }),
      });
      expect(await signIn.body.json()).toMatchObject({ success: true, data: { id: 2 } });
      // A backup made while the server runs is complete.
      expect((await gateway('last', `backup ${at('live.gz')}`)).exit).toBe(0);
      const dryRunCommand = `restore ${at('live.gz')} --dry-run`;
      const keyless = await gateway('live', dryRunCommand);
      expect(keyless).toMatchObject({ exit: 3, err: expect.stringContaining('secret.key') });
      const key = (await readFile(at('last/secret.key'), 'utf8')).trim();
      const dryRun = await gateway('live', dryRunCommand, { GATEWAY_SECRET_KEY: key });
      expect(dryRun.exit).toBe(0);
      expect(existsSync(at('live'))).toBe(false);
      const running = await gateway('last', `restore ${at('plain.gz')} --replace --yes`);
      expect(running).toMatchObject({ exit: 6, err: expect.stringContaining('running') });
    } finally {
      await serving.stop();
    }
    const verified = await gateway('last', 'ledger verify --json');
    expect(JSON.parse(verified.out)).toMatchObject({ ok: true });
  });

  test('replaces a site in use only when told to', async () => {
    const refused = await gateway('last', `restore ${at('plain.gz')}`);
    expect(refused).toMatchObject({ exit: 6, err: expect.stringContaining('--replace') });
    const done = await gateway('last', `restore ${at('plain.gz')} --replace --yes`);
    expect(done).toMatchObject({ exit: 0 });
    const again = await gateway('last', `backup ${at('again.gz')}`);
    expect(again.exit).toBe(0);
    expect(await linesOf('again.gz')).toEqual(await linesOf('plain.gz'));
  });

  test('a truncated file, a newer one or one sealed with another key changes nothing', async () => {
    const whole = gunzipSync(await readFile(at('plain.gz'))).toString();
    await writeFile(at('cut.gz'), gzipSync(whole.split('\n').slice(0, -2).join('\n')));
    const cut = await gateway('elsewhere', `restore ${at('cut.gz')}`);
    expect(cut).toMatchObject({ exit: 6, err: expect.stringContaining('not a complete backup') });

    const newer = whole.replace('"20261121-1000-users"', '"20990101-1000-users"');
    await writeFile(at('newer.gz'), gzipSync(newer));
    expect((await gateway('elsewhere', `restore ${at('newer.gz')}`)).exit).toBe(6);

    const env = { GATEWAY_SECRET_KEY: 'another key, and a long one at that' };
    const sealed = await gateway('elsewhere', `restore ${at('plain.gz')}`, env);
    expect(sealed).toMatchObject({
      exit: 6,
      err: expect.stringContaining('secret key that differs'),
    });
  });

  test('migrates a backup of an older version', async () => {
    const lines = gunzipSync(await readFile(at('0.gz')))
      .toString()
      .trim()
      .split('\n');
    const later = ['imports', 'import_map'];
    const tableOf = (line: string): string | undefined => JSON.parse(line).table;
    let table = '';
    const kept = lines.slice(1, -1).filter((line) => {
      table = tableOf(line) ?? table;
      return !later.includes(table);
    });
    const head = JSON.parse(lines[0] ?? '');
    const schema = head.schema.filter((name: string) => !/-import(s|-map)$/.test(name));
    const { rows } = JSON.parse(lines.at(-1) ?? '');
    for (const name of later) delete rows[name];
    const older = [JSON.stringify({ ...head, schema }), ...kept, JSON.stringify({ rows })];
    await writeFile(at('older.gz'), gzipSync(older.join('\n')));
    expect(schema.length).toBeLessThan(head.schema.length);
    expect(await gateway('older', `restore ${at('older.gz')}`)).toMatchObject({ exit: 0 });
    expect((await gateway('older', 'db check')).exit).toBe(0);
    expect(JSON.parse((await gateway('older', 'user get alice --json')).out)).toMatchObject({
      id: 2,
    });
  });
});
