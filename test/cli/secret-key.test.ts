/** Changing the secret key: no loss, no use for the old key, safe after any interruption. */
import { existsSync } from 'node:fs';
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { boot } from '../../src/boot.ts';
import { rotateSecretKey } from '../../src/cli/local/change-secret-key.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { AppError } from '../../src/domain/errors/errors.ts';
import { createSecrets } from '../../src/secrets.ts';
import { startServer } from '../../src/server/serve.ts';
import { ENCRYPTED_COLUMNS } from '../../src/store/backup/sealed-values.ts';
import { databases, type FreshDatabase, freshDatabase } from '../support/databases.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { runCommand } from './terminal.ts';

const folder = tempFolder();
let count = 0;
const opened: FreshDatabase[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.drop()));
});

interface SiteKeys {
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly keyFile: string;
}

/** A site with an encrypted value in every encrypted column, and a hashed API key and access token. */
async function aSealedSite(kind: 'sqlite' | 'postgres' | 'mysql' = 'sqlite') {
  const database = await freshDatabase(kind);
  opened.push(database);
  count += 1;
  const dataDir = path.join(folder, String(count));
  const env = { GATEWAY_DATA: dataDir, GATEWAY_DB: database.dsn };
  const config = configOf(env);
  const keys: SiteKeys = { env, config, keyFile: path.join(dataDir, 'secret.key') };
  await withSite(config, async (ctx) => {
    for (let id = 1; id <= 3; id += 1) {
      await ctx.db('channel_keys').insert({ channel_id: 1, position: id, ...sealedKey(ctx, id) });
      await ctx.db('tokens').insert({
        user_id: 1,
        name: `t${id}`,
        key_cipher: ctx.secrets.encrypt(`token-${id}`),
        key_hash: ctx.secrets.hash(`token-${id}`),
      });
    }
    await ctx.db('options').insert([
      { key: 'SMTPToken', value: ctx.secrets.encrypt('smtp') },
      { key: 'Notice', value: 'v1:not a secret' },
    ]);
    await ctx.db('kept_answers').insert({
      request_id: 'r1',
      user_id: 1,
      items: ctx.secrets.encrypt('items'),
      bytes: 5,
      expires_at: 1,
    });
    const setting = JSON.stringify({ webhook_secret: ctx.secrets.encrypt('hook'), other: 1 });
    const old = JSON.stringify({ webhook_secret: 'as it came' });
    const user = { password: 'x', role: 1, group: 'default', status: 1 };
    await ctx.db('users').insert([
      { ...user, username: 'a', setting, aff_code: 'a1', access_token_hash: ctx.secrets.hash('a') },
      { ...user, username: 'b', setting: old, aff_code: 'b1', access_token_hash: '' },
    ]);
  });
  return { ...keys, database };
}

const sealedKey = ({ secrets }: Context, id: number) => ({
  key_cipher: secrets.encrypt(`upstream-${id}`),
  key_hint: 'hint',
});

function configOf(env: Readonly<Record<string, string>>): Config {
  return loadConfig({ logLevel: 'silent' }, env);
}

async function withSite<T>(config: Config, work: (ctx: Context) => Promise<T>): Promise<T> {
  const { ctx, close } = await boot(config);
  try {
    return await work(ctx);
  } finally {
    await close();
  }
}

/** The decrypted content of the site, which must be equal before and after. */
function contentOf(config: Config) {
  return withSite(config, async ({ db, secrets, options }) => {
    const sealed = async (table: string) =>
      (await db(table).orderBy('id').select('key_cipher')).map((row) =>
        secrets.decrypt(row.key_cipher),
      );
    const users = await db('users').orderBy('id').select('setting', 'access_token_hash');
    const settings = users.map(({ setting }) => JSON.parse(setting));
    return {
      upstream: await sealed('channel_keys'),
      tokens: await sealed('tokens'),
      found: await db('tokens')
        .where({ key_hash: secrets.hash('token-2') })
        .first('name'),
      caller: users.map(({ access_token_hash: hash }) => hash === secrets.hash('a')),
      mail: options().get('SMTPToken'),
      notice: options().get('Notice'),
      hook: secrets.decrypt(settings[0].webhook_secret),
      rest: [settings[0].other, settings[1].webhook_secret],
    };
  });
}

/** The columns in which the key decrypts at least one value. */
async function openedBy(text: string, { db }: FreshDatabase): Promise<string[]> {
  const secrets = createSecrets(Buffer.from(text.trim(), 'utf8'));
  const found = new Set<string>();
  for (const { table, column, member } of ENCRYPTED_COLUMNS)
    for (const row of await db(table).select(column)) {
      const whole = String(row[column]);
      const value = member !== undefined && whole !== '' ? JSON.parse(whole)[member] : whole;
      if (secrets.isCurrent(String(value))) found.add(table);
    }
  return [...found];
}

const ALL = ['channel_keys', 'tokens', 'options', 'users', 'kept_answers', 'site_keys'];
const quiet = { signal: new AbortController().signal, onRows: () => undefined, isDryRun: false };

function gateway(words: string, env: Readonly<Record<string, string>>) {
  return runCommand(words, { env });
}

describe.each(databases)('changing the secret key on $kind', ({ kind }) => {
  test('re-encrypts everything, and hashed values still match', async () => {
    const site = await aSealedSite(kind);
    const [before, old] = [await contentOf(site.config), await readFile(site.keyFile, 'utf8')];
    const dryRun = await gateway('secret-key rotate --dry-run --json', site.env);
    expect(dryRun).toMatchObject({ exit: 0, err: expect.stringContaining('Dry run') });
    expect(JSON.parse(dryRun.out).items).toContainEqual({ column: 'tokens.key_cipher', values: 3 });
    expect(await readFile(site.keyFile, 'utf8')).toBe(old);

    const done = await gateway('secret-key rotate --yes --json', site.env);
    expect(done).toMatchObject({ exit: 0 });
    expect(JSON.parse(done.out).items).toContainEqual({ column: 'options.value', values: 1 });
    expect(await contentOf(site.config)).toEqual(before);
    expect(await openedBy(old, site.database)).toEqual([]);
    const fresh = await readFile(site.keyFile, 'utf8');
    expect((await openedBy(fresh, site.database)).sort()).toEqual(ALL.toSorted());
    expect((await stat(site.keyFile)).mode & 0o077).toBe(0);
    expect(existsSync(`${site.keyFile}.old`)).toBe(false);

    expect(await gateway('secret-key rotate --yes', site.env)).toMatchObject({ exit: 0 });
    expect(await contentOf(site.config)).toEqual(before);
  });
});

test('an interrupted change leaves a working site, and the next run finishes it', async () => {
  const site = await aSealedSite();
  const before = await contentOf(site.config);
  const first = await readFile(site.keyFile, 'utf8');
  for (let columns = 1; columns < ENCRYPTED_COLUMNS.length; columns += 1) {
    const controller = new AbortController();
    let seen = 0;
    const onRows = () => {
      seen += 1;
      if (seen === columns) controller.abort();
    };
    const cut = rotateSecretKey(site.config, { ...quiet, signal: controller.signal, onRows });
    await expect(cut).rejects.toThrow(/abort/i);
    expect(existsSync(`${site.keyFile}.old`)).toBe(true);
    expect(await contentOf(site.config)).toEqual(before);
  }
  const halfway = await gateway(`backup ${path.join(folder, 'half.gz')}`, site.env);
  expect(halfway).toMatchObject({ exit: 6, err: expect.stringContaining('secret-key rotate') });
  expect((await gateway('doctor --json', site.env)).out).toContain('two secret keys');
  // Repeated starts create no third key.
  expect(await readFile(`${site.keyFile}.old`, 'utf8')).toBe(first);
  await rotateSecretKey(site.config, quiet);
  expect(await contentOf(site.config)).toEqual(before);
  expect(await openedBy(first, site.database)).toEqual([]);
});

test('an interruption between the two key files restarts the change', async () => {
  const site = await aSealedSite();
  const before = await contentOf(site.config);
  const first = await readFile(site.keyFile, 'utf8');
  await copyFile(site.keyFile, `${site.keyFile}.old`);
  expect(await contentOf(site.config)).toEqual(before);
  await rotateSecretKey(site.config, quiet);
  expect(await contentOf(site.config)).toEqual(before);
  expect(await openedBy(first, site.database)).toEqual([]);
});

test('a value that no key decrypts is named and keeps both keys in force', async () => {
  const site = await aSealedSite();
  const foreign = createSecrets(Buffer.alloc(32, 'elsewhere')).encrypt('x');
  await site.database.db('tokens').where({ name: 't3' }).update({ key_cipher: foreign });
  const failure: unknown = await rotateSecretKey(site.config, quiet).catch((error) => error);
  expect(failure).toMatchObject({
    code: 'sealed_unreadable',
    params: { column: 'tokens.key_cipher', key: '3' },
  });
  expect(failure).toBeInstanceOf(AppError);
  expect(existsSync(`${site.keyFile}.old`)).toBe(true);
  await site.database.db('tokens').where({ name: 't3' }).delete();
  await rotateSecretKey(site.config, quiet);
  expect((await contentOf(site.config)).tokens).toEqual(['token-1', 'token-2']);
});

test('changes a key from the environment, given the old key', async () => {
  const site = await aSealedSite();
  const before = await contentOf(site.config);
  const old = (await readFile(site.keyFile, 'utf8')).trim();
  const fresh = 'a fresh key from a vault 0123456789';
  const alone = await gateway('secret-key rotate --yes', {
    ...site.env,
    GATEWAY_SECRET_KEY: fresh,
  });
  expect(alone).toMatchObject({ exit: 2, err: expect.stringContaining('GATEWAY_SECRET_KEY_OLD') });
  await writeFile(site.keyFile, 'nobody reads this file meanwhile 0123456789');
  const both = { ...site.env, GATEWAY_SECRET_KEY: fresh, GATEWAY_SECRET_KEY_OLD: old };
  // A gateway started with both keys before the change can read everything.
  expect(await contentOf(configOf(both))).toEqual(before);
  expect(await gateway('secret-key rotate --yes', both)).toMatchObject({ exit: 0 });
  expect(await contentOf(configOf({ ...site.env, GATEWAY_SECRET_KEY: fresh }))).toEqual(before);
  expect(await openedBy(old, site.database)).toEqual([]);
});

test('refuses to run beside a running gateway, and asks for confirmation first', async () => {
  const site = await aSealedSite();
  expect(await gateway('secret-key rotate', site.env)).toMatchObject({ exit: 2 });
  const serving = await startServer({ ...site.config, port: 0, web: false });
  try {
    const refused = await gateway('secret-key rotate --yes', site.env);
    expect(refused).toMatchObject({ exit: 6, err: expect.stringContaining('running') });
  } finally {
    await serving.stop();
  }
  expect(existsSync(`${site.keyFile}.old`)).toBe(false);
});
