import { describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { openDatabases } from '../../src/store/connection/database.ts';
import { migrate, requireCurrentSchema, schemaState } from '../../src/store/schema/migrate.ts';
import {
  databases,
  emptyDatabase,
  type FreshDatabase,
  freshDatabase,
} from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { ownDatabase } from '../support/shared-site.ts';

const NAMES = migrations.map((migration) => migration.name);

describe.each(databases)('the schema on $kind', ({ kind }) => {
  it('is created from nothing, and a second run changes nothing', async () => {
    const database = await ownDatabase(emptyDatabase(kind));
    expect(await schemaState(database.db)).toMatchObject({ state: 'empty', pending: NAMES });
    await expectRefusal(requireCurrentSchema(database), 'database_empty');

    expect(await migrate(database)).toEqual(NAMES);
    expect((await schemaState(database.db)).state).toBe('current');
    await requireCurrentSchema(database);
    expect(await migrate(database)).toEqual([]);
  });

  it('is checked through the read pool as well', async () => {
    const database = await ownDatabase(freshDatabase(kind));
    expect((await schemaState(database.reads)).state).toBe('current');
  });

  it('that is outdated is refused, and migrating runs only the missing migrations', async () => {
    const database = await ownDatabase(emptyDatabase(kind));
    await migrate(database, migrations.slice(0, -2));
    expect(await schemaState(database.db)).toMatchObject({
      state: 'behind',
      pending: NAMES.slice(-2),
    });
    await expectRefusal(requireCurrentSchema(database), 'schema_behind', {
      params: { migrations: NAMES.slice(-2) },
    });
    expect(await migrate(database)).toEqual(NAMES.slice(-2));
  });
});

describe.each(databases)('an incompatible schema on $kind', ({ kind }) => {
  it('of a newer version is refused and left unchanged', async () => {
    const database = await ownDatabase(freshDatabase(kind));
    await database.db('schema_migrations').insert({ name: '20991231-1000-future', batch: 2 });
    expect(await schemaState(database.db)).toMatchObject({
      state: 'newer',
      unknown: ['20991231-1000-future'],
    });
    const refusal = { code: 'schema_newer', params: { migrations: ['20991231-1000-future'] } };
    await expect(requireCurrentSchema(database)).rejects.toMatchObject(refusal);
    await expect(migrate(database)).rejects.toMatchObject(refusal);
  });

  it('with a started migration is refused until a migration run completes it', async () => {
    const database = await ownDatabase(freshDatabase(kind));
    const last = NAMES.at(-1) ?? '';
    await database.db('schema_migrations').where({ name: last }).delete();
    await database.db('schema_migrations_started').insert({ name: last, started_at: 1 });
    await database.db('schema_migrations_lock').update({ is_locked: 1 });
    expect(await schemaState(database.db)).toMatchObject({ state: 'half', started: [last] });
    await expectRefusal(requireCurrentSchema(database), 'schema_half', {
      params: { migrations: [last] },
    });

    expect(await migrate(database)).toEqual([last]);
    await requireCurrentSchema(database);
  });

  it('remains intact when a migration fails midway, and the next run continues it', async () => {
    const database = await ownDatabase(emptyDatabase(kind));
    let fails = true;
    const list = [
      ...migrations.slice(0, 1),
      {
        name: '20261121-1005-half',
        up: async (db: (typeof database)['db']) => {
          if (!(await db.schema.hasTable('half_one')))
            await db.schema.createTable('half_one', (table) => table.bigIncrements('id'));
          if (fails) throw new Error('cut');
          await db.schema.createTable('half_two', (table) => table.bigIncrements('id'));
        },
      },
    ];
    await expect(migrate(database, list)).rejects.toThrow('cut');
    // Only MySQL cannot undo what the migration did; on SQLite all of them are one transaction.
    const left = { sqlite: 'empty', postgres: 'behind', mysql: 'half' };
    expect((await schemaState(database.db, list)).state).toBe(left[kind]);
    fails = false;
    await migrate(database, list);
    expect((await schemaState(database.db, list)).state).toBe('current');
    expect(await database.db.schema.hasTable('half_two')).toBe(true);
  });
});

/** A reader that keeps `users` open until released, like a backup or a forgotten psql. */
async function aReaderOf({ db }: FreshDatabase): Promise<() => Promise<void>> {
  let leave = (): void => undefined;
  const stays = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let hasRead = (): void => undefined;
  const reading = new Promise<void>((resolve) => {
    hasRead = resolve;
  });
  const gone = db.transaction(async (trx) => {
    if (trx.client.dialect === 'postgresql')
      await trx.raw('set local idle_in_transaction_session_timeout = 0');
    await trx('users').first('id');
    hasRead();
    await stays;
  });
  await reading;
  return async () => {
    leave();
    await gone;
  };
}

describe.each(databases.filter(({ kind }) => kind === 'mysql'))(
  'a key too long on $kind',
  ({ kind }) => {
    it('as on a server with small pages is named', async () => {
      const database = await ownDatabase(emptyDatabase(kind));
      const up = (db: (typeof database)['db']) =>
        db.schema.createTable('long_key', (table) => void table.string('text', 3000).primary());
      await expectRefusal(migrate(database, [{ name: '1-long-key', up }]), 'database_pages_small');
    });
  },
);

describe.each(databases.filter(({ kind }) => kind !== 'sqlite'))(
  'a migration of a $kind database in use',
  ({ kind }) => {
    const list = [
      ...migrations,
      {
        name: '20991231-1000-next',
        up: async (db: FreshDatabase['db']) => {
          if (!(await db.schema.hasColumn('users', 'next')))
            await db.schema.alterTable('users', (table) => table.integer('next').defaultTo(0));
        },
      },
    ];

    it('waits for a long reader without blocking others', async () => {
      const database = await ownDatabase(freshDatabase(kind));
      await database.db('users').insert({ username: 'alice' });
      const leave = await aReaderOf(database);
      let waits = 0;
      let isDone = false;
      const migrating = migrate(database, list, { onWait: () => (waits += 1) }).then((names) => {
        isDone = true;
        return names;
      });
      // In sequence: queries waiting behind the migration continue after its short attempt.
      let writes = 0;
      while (waits === 0 || writes < 20) {
        await database.db('users').where({ username: 'alice' }).increment('quota', 1);
        writes += 1;
      }
      expect(isDone).toBe(false);
      await leave();
      expect(await migrating).toEqual(['20991231-1000-next']);
      expect(waits).toBe(1);
      expect(await database.db('users').first('quota', 'next')).toEqual({ quota: writes, next: 0 });
    });

    it('that never gets its lock fails and leaves the schema unchanged', async () => {
      const database = await ownDatabase(freshDatabase(kind));
      const leave = await aReaderOf(database);
      await expectRefusal(migrate(database, list, { timeoutMs: 1 }), 'schema_locked');
      await leave();
      expect(await migrate(database, list)).toEqual(['20991231-1000-next']);
    });
  },
);

describe.each(databases.filter(({ kind }) => kind === 'postgres'))(
  'a migration of a $kind database that is written all the time',
  ({ kind }) => {
    const TABLES = ['users', 'tokens', 'ledger'];
    const list = [
      ...migrations,
      {
        name: '20991231-1000-next',
        up: async (db: FreshDatabase['db']) => {
          for (const table of TABLES)
            await db.schema.alterTable(table, (rows) => rows.integer('next').defaultTo(0));
        },
      },
    ];

    it('gets its locks, although the writers lock the same tables in another order', async () => {
      const database = await ownDatabase(freshDatabase(kind));
      let isOver = false;
      const write = async () => {
        while (!isOver)
          await database.db.transaction(async (trx) => {
            for (const table of TABLES.toReversed()) {
              await trx.raw('lock table ?? in row exclusive mode', [table]);
              await trx.raw('select pg_sleep(0.02)');
            }
          });
      };
      const writers = [write(), write(), write()];
      try {
        expect(await migrate(database, list, { timeoutMs: 20_000 })).toEqual([
          '20991231-1000-next',
        ]);
      } finally {
        isOver = true;
        await Promise.all(writers);
      }
    });
  },
);

describe.each(databases)('a fresh database on $kind', ({ kind }) => {
  it('is created once when several processes migrate concurrently', async () => {
    const database = await ownDatabase(emptyDatabase(kind));
    const others = await Promise.all([openDatabases(database.dsn), openDatabases(database.dsn)]);
    const runs = await Promise.all([database, ...others].map((each) => migrate(each)));
    await Promise.all(others.map((other) => other.close()));
    expect(runs.flat().sort()).toEqual(NAMES);
    await requireCurrentSchema(database);
  });

  it('is case-sensitive in names and keys, and enforces unique values', async () => {
    const { db } = await ownDatabase(freshDatabase(kind));
    await db('users').insert([{ username: 'alice' }, { username: 'Alice' }]);
    await expect(db('users').insert({ username: 'alice' })).rejects.toThrow();
    await db('options').insert({ key: 'a', value: 'x'.repeat(100_000) });
    expect(await db('options').where({ key: 'A' })).toEqual([]);
    const [option] = await db('options').where({ key: 'a' });
    expect(option.value).toHaveLength(100_000);
  });

  it('creates a user with nothing held, in the default group, without identities', async () => {
    const { db } = await ownDatabase(freshDatabase(kind));
    await db('users').insert({ username: 'bob' });
    expect(
      await db('users').first(
        'group',
        'held',
        'quota',
        'setting',
        'access_token_hash',
        'session_version',
        'last_check_in_day',
      ),
    ).toEqual({
      group: 'default',
      held: 0,
      quota: 0,
      setting: '',
      access_token_hash: null,
      session_version: 1,
      last_check_in_day: null,
    });
  });
});

describe.each(databases.filter(({ kind }) => kind !== 'mysql'))(
  'user identities on $kind',
  ({ kind }) => {
    it('have unique email addresses, ignoring case, and provider ids, both optional', async () => {
      const { db } = await ownDatabase(freshDatabase(kind));
      await db('users').insert({ username: 'none-1' });
      await db('users').insert({ username: 'none-2' });
      await db('users').insert({ username: 'one', email: 'One@example.com', github_id: '7' });
      await expect(
        db('users').insert({ username: 'two', email: 'one@EXAMPLE.com' }),
      ).rejects.toThrow();
      await expect(db('users').insert({ username: 'three', github_id: '7' })).rejects.toThrow();
    });
  },
);
