/** A database or a secret key that is missing, damaged or not the gateway's own. */
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import knex from 'knex';
import { describe, expect, test } from 'vitest';
import {
  at,
  expectFault,
  expectFinding,
  folder,
  gateway,
  makeFaultySite,
  template,
} from './faulty-site.ts';

makeFaultySite();

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
    const flags = `--data ${at('nothing')} --json`;
    expect((await gateway(`status ${flags}`)).json()).toMatchObject({ setup: false });
    expect((await gateway(`doctor ${flags}`)).exit).toBe(9);
    expect((await gateway(`db check ${flags}`)).json()).toMatchObject({ state: 'empty' });
    expect((await gateway(`db migrate --plan ${flags}`)).exit).toBe(0);
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

  test('a dry run of a restore creates no file, and fails for a site whose log database is missing', async () => {
    expect((await gateway(`backup ${at('site.gz')} --with-secret-key`)).exit).toBe(0);
    const dryRun = `restore ${at('site.gz')} --dry-run`;
    expect((await gateway(`${dryRun} --data ${at('new')}`)).exit).toBe(0);
    expect(existsSync(at('new'))).toBe(false);
    await expectFault(dryRun, {
      code: 'restore_not_empty',
      exit: 6,
      env: { GATEWAY_LOG_DB: at('log.sqlite') },
    });
    await expectFault(`restore ${at('absent.gz')}`, { code: 'backup_missing', exit: 5 });
    await truncate(at('site.gz'), 200);
    const cut = { code: 'backup_broken', exit: 6, names: at('site.gz') };
    await expectFault(`restore ${at('site.gz')} --data ${at('new')}`, cut);
    await expectFault(`restore ${folder} --data ${at('new')}`, {
      ...cut,
      code: 'backup_unreadable',
      names: folder,
    });
  });
});

describe('a file that is not the database of a gateway', () => {
  test('a text file or a folder is not a SQLite database', async () => {
    await writeFile(at('text'), 'This is a text and no database.\n'.repeat(100));
    for (const file of [at('text'), folder]) {
      const fault = { code: 'database_not_sqlite', names: file };
      await expectFault(`user list --db ${file}`, fault);
    }
    expect(await readFile(at('text'), 'utf8')).toMatch(/^(This is a text and no database\.\n)+$/);
    const source = { code: 'import_source_unknown', exit: 6, names: at('text') };
    await expectFault(`import ${at('text')}`, source);
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

  test('that is cut off, missing or a folder is named with its path', async () => {
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
