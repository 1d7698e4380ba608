/**
 * Checks that secrets appear in no response and no log, and in the database only encrypted or
 * hashed.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { hashPassword } from '../../../src/services/credentials/passwords.ts';
import { ENCRYPTED_COLUMNS } from '../../../src/store/backup/sealed-values.ts';
import { BOT_TOKEN, createFixtures, type Fixtures } from '../../server/every-call/fixtures.ts';
import { sampleOf } from '../../server/every-call/samples.ts';
import { apiClient } from '../../support/api-client.ts';
import { MAIL_ACCOUNT } from '../../support/mail-server.ts';
import { OPERATOR, UPSTREAM_KEY } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { requestTo, type Way, ways } from './ways.ts';

const PASSWORD = 'a typed password';
const MASTER_KEY = 'the-master-key-of-this-very-site-0123456789';
const HOOK_SECRET = 'a-webhook-secret';

/** Calls that show a secret on purpose, to authorized accounts. */
const REVEALING: Readonly<Record<string, string>> = {
  'token.reveal': 'token',
  'token.key': 'token',
  'channel.key': 'channel key',
  'channel.get': 'channel key',
};

const folder = tempFolder();
let fixtures: Fixtures;
/** Values that must not appear anywhere, by name. */
let secrets: Map<string, string>;
beforeAll(async () => {
  const config = { secretKey: MASTER_KEY, logDir: folder, logLevel: 'trace' };
  fixtures = await createFixtures('sqlite', config);
  secrets = await seeded(fixtures);
});
afterAll(async () => {
  await fixtures.close();
});

async function seeded({ site, person }: Fixtures): Promise<Map<string, string>> {
  const { ctx, user } = site;
  const accessToken = await site.as(OPERATOR).user.newAccessToken({ id: person(10).actor.id });
  const passwordHash = await hashPassword(PASSWORD);
  const setting = JSON.stringify({ webhook_secret: ctx.secrets.encrypt(HOOK_SECRET) });
  await ctx.db('users').where({ id: user.id }).update({ password: passwordHash, setting });
  await site.option('TurnstileSecretKey', 'turnstile-secret');
  await site.option('WorkerValidKey', 'worker-secret');
  const cookies = ([1, 10, 100] as const).map((role): [string, string] => [
    `session of role ${role}`,
    person(role).browser.cookies.get('gateway_session') ?? 'no cookie',
  ]);
  return new Map([
    ['channel key', UPSTREAM_KEY],
    ['token', site.token.key.replace('sk-', '')],
    ['access token', accessToken],
    ['hash of the access token', ctx.secrets.hash(accessToken)],
    ['password', PASSWORD],
    ['hash of the password', passwordHash],
    ['SMTP token', MAIL_ACCOUNT.password],
    ['payment key', 'merchant-key'],
    ['GitHub secret', 'github-secret'],
    ['LINUX DO secret', 'linuxdo-secret'],
    ['OpenID secret', 'oidc-secret'],
    ['bot token', BOT_TOKEN],
    ['WeChat token', 'wechat-token'],
    ['captcha secret', 'turnstile-secret'],
    ['worker key', 'worker-secret'],
    ['webhook secret', HOOK_SECRET],
    ['master key', MASTER_KEY],
    ...cookies,
  ]);
}

function foundIn(text: string, but?: string): string[] {
  return [...secrets]
    .filter(([name, secret]) => name !== but && text.includes(secret))
    .map(([name]) => name);
}

/**
 * Responses to the sample request of an authorized account, to a guest, and to an unreadable
 * request.
 */
async function answersOf(way: Way): Promise<string[]> {
  const { who, input } = await sampleOf(fixtures, way);
  const { path, options: sent } = requestTo(way, input);
  const reply = [await who.browser.send(way.method, path, sent)];
  const nonsense = { rawBody: '{"', headers: { 'content-type': 'application/json' } };
  if (way.method !== 'GET') reply.push(await who.browser.send(way.method, path, nonsense));
  reply.push(await apiClient(fixtures.site).send(way.method, path, sent));
  return reply.map(({ text, headers }) => text + JSON.stringify(headers));
}

describe('responses', () => {
  it.each(ways)('of $title contain no secrets', async (way) => {
    for (const text of await answersOf(way)) expect(foundIn(text, REVEALING[way.id])).toEqual([]);
  });

  it('of a broken or refused model call contain no secrets', async () => {
    const { site } = fixtures;
    const { key } = site.token;
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] };
    for (const plan of [
      { refuse: { status: 401, message: `Incorrect API key provided: ${UPSTREAM_KEY}` } },
      { refuse: { status: 400, message: `bad request with ${UPSTREAM_KEY}` } },
      { refuse: { status: 500, style: 'html', message: UPSTREAM_KEY } },
    ] as const) {
      site.upstream.script(plan);
      const reply = await site.call({ body });
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(foundIn(reply.text)).toEqual([]);
    }
    site.upstream.script({});
    for (const wrong of [`${key}x`, `sk-${MASTER_KEY}`]) {
      const reply = await site.call({ body, key: wrong });
      expect(reply.text).not.toContain(wrong.slice(3));
    }
  });

  it('mask the key of a channel for admins, and for a super admin on request', async () => {
    const { browser } = fixtures.person(100);
    const { id } = fixtures.site.channel;
    const masked = { query: { reveal: false } };
    const shown = (await browser.send('GET', `/api/channel/${id}`, masked)).body.data;
    expect(shown.key).toMatch(/^.{0,8}\*{3}.{0,8}$/);
    const query = { reveal: true };
    expect((await browser.send('GET', `/api/channel/${id}`, { query })).body.data.key).toBe(
      UPSTREAM_KEY,
    );
    const token = await fixtures.site
      .as(OPERATOR)
      .user.newAccessToken({ id: fixtures.person(100).actor.id });
    for (const path of [`/api/channel/${id}`, '/api/channel/export'])
      expect(
        (
          await apiClient(fixtures.site, token).send('GET', path, {
            query: { reveal: true, keys: true },
          })
        ).body.code,
      ).toBe('session_only');
    const admin = await fixtures.person(10).browser.send('GET', `/api/channel/${id}`, { query });
    expect(admin.body.code).toBe('permission_denied');
    const all = await fixtures
      .person(10)
      .browser.send('GET', '/api/channel/export', { query: { keys: true } });
    expect(all.body.code).toBe('permission_denied');
  });
});

describe('the log file', () => {
  it('contains no secrets at its most verbose level', async () => {
    const { site } = fixtures;
    // Errors are logged with their subject.
    await site.option('SMTPServer', 'nowhere.invalid');
    const root = fixtures.person(100).browser;
    await root.send('POST', '/api/option/test_mail', { body: { email: 'a@b.example' } });
    await apiClient(site).send('POST', '/api/user/login', {
      body: { username: site.user.username, password: PASSWORD },
    });
    await site.call({ body: { model: 'no-such-model', messages: [] } });
    const text = await readFile(path.join(folder, 'gateway.log'), 'utf8');
    expect(text).toContain('"msg"');
    expect(foundIn(text)).toEqual([]);
    expect(text).not.toMatch(/scrypt:|gateway_session=|Bearer [\w-]{8}|token=\w{16}/);
  });
});

describe('the usage log', () => {
  it('contains no secrets and no mistyped key of a client', async () => {
    const lines = JSON.stringify(await fixtures.site.ctx.db('logs').select());
    expect(foundIn(lines)).toEqual([]);
  });
});

describe('the database', () => {
  it('stores values for lookup hashed and values needed again encrypted', async () => {
    const { ctx } = fixtures.site;
    const dump = await everything(ctx);
    // Credentials are stored as hashes; no other secret may be readable.
    const readable = foundIn(dump).filter((name) => !name.startsWith('hash of'));
    expect(readable).toEqual([]);
    expect(dump).toContain('v1:');
  });

  it('has encrypted values only in columns covered by a change of the secret key', async () => {
    const { db } = fixtures.site.ctx;
    const known = new Set(ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`));
    const found = new Set<string>();
    for (const [table, rows] of await rowsByTable(db))
      for (const [column, value] of rows.flatMap((row) => Object.entries(row)))
        if (/(^|")v1:[A-Za-z0-9+/]{20}/.test(String(value))) found.add(`${table}.${column}`);
    expect([...found].filter((place) => !known.has(place))).toEqual([]);
    expect(found.size).toBeGreaterThanOrEqual(4);
    const page = await readFile(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    for (const place of known) expect(page).toContain(`\`${place}\``);
  });
});

async function everything({ db }: Pick<Context, 'db'>): Promise<string> {
  return JSON.stringify([...(await rowsByTable(db))]);
}

async function rowsByTable(db: Knex): Promise<ReadonlyMap<string, readonly object[]>> {
  const tables: { name: string }[] = await db('sqlite_master')
    .where({ type: 'table' })
    .select('name');
  const entries = tables.map(
    async ({ name }): Promise<[string, object[]]> => [name, await db(name).select()],
  );
  return new Map(await Promise.all(entries));
}
