import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors/errors.ts';
import { type Databases, openDatabases } from '../../src/store/connection/database.ts';
import { parseDsn } from '../../src/store/connection/dsn.ts';
import { databases, freshDatabase } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { sharedDatabase } from '../support/shared-site.ts';
import { tempFolder } from '../support/temp-folder.ts';

it('a new SQLite file and its companions are accessible to its owner only', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'own.sqlite');
  const opened = await openDatabases(file, { mayCreate: true });
  await opened.db.raw('create table t (n integer)');
  for (const end of ['', '-wal', '-shm'])
    expect([end, (await stat(file + end)).mode & 0o777]).toEqual([end, 0o600]);
  await opened.close();
});

describe('a connection string', () => {
  it.each([
    [
      'postgres://ann:s3cret@db.example:5433/site?sslmode=disable',
      'postgres://ann@db.example:5433/site',
    ],
    ['postgresql://db.example/site', 'postgresql://db.example/site'],
    ['mysql://ann:s3cret@db.example/site', 'mysql://ann@db.example/site'],
    ['mariadb://ann:s3cret@db.example:3307/site', 'mariadb://ann@db.example:3307/site'],
    ['ann:s3c@r/e:t@tcp(db.example:3306)/site?parseTime=true', 'mysql://ann@db.example:3306/site'],
    ['sqlite:/data/gateway.sqlite', '/data/gateway.sqlite'],
    ['sqlite:///data/gateway.sqlite', '/data/gateway.sqlite'],
    ['/data/one-api.db?_busy_timeout=5000', '/data/one-api.db'],
  ])('%s is shown as %s', (dsn, location) => {
    expect(parseDsn(dsn).location).toBe(location);
  });

  it("in Go's format has the password up to the last @ and the port after the host", () => {
    expect(parseDsn('ann:s3c@r/e:t@tcp(db.example:3307)/site')).toMatchObject({
      engine: 'mysql',
      server: {
        host: 'db.example',
        port: 3307,
        user: 'ann',
        password: 's3c@r/e:t',
        database: 'site',
      },
    });
    expect(parseDsn('ann@unix(/run/mysqld.sock)/site')).toMatchObject({
      server: { socketPath: '/run/mysqld.sock', user: 'ann', password: '', database: 'site' },
    });
  });

  it('of MySQL accepts escaped characters, a custom port and TLS', () => {
    expect(parseDsn('mysql://a%40b:p%2Fw@[::1]:3310/site?ssl-mode=VERIFY_IDENTITY')).toMatchObject({
      server: {
        host: '::1',
        port: 3310,
        user: 'a@b',
        password: 'p/w',
        ssl: { rejectUnauthorized: true },
      },
    });
    expect(parseDsn('a:b@tcp(h)/d?tls=skip-verify')).toMatchObject({
      server: { host: 'h', port: 3306, ssl: { rejectUnauthorized: false } },
    });
    expect(parseDsn('mysql://h/d')).not.toHaveProperty('server.ssl');
  });

  it.each([
    'mssql://sa:s3cret@h/d',
    ':memory:',
    'sqlite::memory:',
    '',
    'postgres://ann:s3cret@:bad:/d',
  ])('%j is refused without repeating a password', (dsn) => {
    const refusal = caught(() => parseDsn(dsn));
    expect(refusal).toMatchObject({ code: 'config_invalid' });
    expect(JSON.stringify(refusal)).not.toContain('s3cret');
  });
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('an unreachable database', () => {
  it.each([
    ['postgres://ann:s3cret@127.0.0.1:1/site', 'postgres://ann@127.0.0.1:1/site'],
    ['mysql://ann:s3cret@127.0.0.1:1/site', 'mysql://ann@127.0.0.1:1/site'],
  ])('%s is an error with the address but without the password', async (dsn, location) => {
    const refusal: unknown = await openDatabases(dsn).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ code: 'database_unreachable', params: { location } });
    expect(JSON.stringify(refusal)).not.toContain('s3cret');
  });

  it.each(['postgres', 'mysql'])('%s that never responds causes a timeout', async (scheme) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expectRefusal(
      openDatabases(`${scheme}://127.0.0.1:${port}/site`),
      'database_unreachable',
    );
    silent.close();
  });
});

/** Accepts one connection like PgBouncer, and names the parameter it refuses. */
async function aPooler(refused: string) {
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      lines.push(...bytes.subarray(8).toString().split('\0'));
      const fields = `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, Buffer.from(fields)]));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `postgres://127.0.0.1:${port}/site`, lines, close: () => server.close() };
}

describe('a pooler in front of PostgreSQL', () => {
  it('gets only parameters that every pooler accepts', async () => {
    const pooler = await aPooler('x');
    await openDatabases(pooler.url).catch(() => undefined);
    const names = pooler.lines.filter((_, index) => index % 2 === 0 && pooler.lines[index] !== '');
    expect(names.sort()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
    pooler.close();
  });

  it('that refuses a connection string parameter is reported with its name', async () => {
    const pooler = await aPooler('statement_timeout');
    await expectRefusal(openDatabases(`${pooler.url}?statement_timeout=9`), 'database_refused', {
      params: { reason: 'unsupported startup parameter: statement_timeout' },
    });
    expect(pooler.lines).toContain('statement_timeout');
    pooler.close();
  });
});

describe.each(databases.filter(({ kind }) => kind === 'postgres'))(
  'a connection to $kind',
  ({ kind }) => {
    it("has limits, its process's name and the requested pool size", async () => {
      const database = await freshDatabase(kind);
      const { db, close } = await openDatabases(database.dsn, { pool: 3 });
      const { rows } = await db.raw(
        `select current_setting('lock_timeout') as lock, current_setting('application_name') as name,
        current_setting('idle_in_transaction_session_timeout') as idle`,
      );
      expect(rows).toEqual([
        { lock: '10s', idle: '5s', name: `gateway ${hostname()} ${process.pid}` },
      ]);
      await Promise.all(Array.from({ length: 9 }, () => db.raw('select pg_sleep(0.05)')));
      expect(db.client.pool.numUsed() + db.client.pool.numFree()).toBe(3);
      await close();
      await database.drop();
    });
  },
);

describe.each(databases)('values on $kind', async ({ kind }) => {
  const database = await sharedDatabase(kind);

  it('are numbers where expected: large integers, counts, sums and decimals', async () => {
    const { db, reads } = database;
    const quota = 9_007_199_254_740_000;
    await db('users').insert([
      { username: 'a', quota },
      { username: 'b', quota: -900 },
    ]);
    await db('top_ups').insert({ user_id: 1, trade_no: 't', money: 12.5 });
    expect(await reads('users').orderBy('id').pluck('quota')).toEqual([quota, -900]);
    expect(await reads('users').count({ n: '*' }).sum({ total: 'quota' }).first()).toEqual({
      n: 2,
      total: quota - 900,
    });
    expect(await reads('top_ups').first('money')).toEqual({ money: 12.5 });
  });

  it('of a refused statement are not included in its error', async () => {
    const { db } = database;
    const row = { username: 'e', password: 's3cret hash', quota: null };
    const refusals: unknown[] = [
      await db('users')
        .insert(row)
        .catch((error: unknown) => error),
      await db.transaction((trx) => trx('users').insert(row)).catch((error: unknown) => error),
    ];
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(Error);
      expect(inspect(refusal)).toContain('quota');
      expect(inspect(refusal)).not.toContain('s3cret');
    }
  });

  it('are stored durably and compared in UTC', async () => {
    const queries = {
      sqlite: 'select synchronous as a from pragma_synchronous',
      // The setting of the database (`createPostgres`), not one of the gateway.
      postgres: "select source as a from pg_settings where name = 'synchronous_commit'",
      mysql: 'select @@session.time_zone as a',
    };
    const answer = await database.db.raw(queries[kind]);
    const expected = {
      sqlite: [{ a: 2 }],
      postgres: [{ a: 'database' }],
      mysql: [{ a: '+00:00' }],
    };
    expect(kind === 'postgres' ? answer.rows : kind === 'mysql' ? answer[0] : answer).toEqual(
      expected[kind],
    );
  });
});

describe('a SQLite database', () => {
  const folder = tempFolder();

  async function opened<T>(count: number, work: (all: Databases[]) => Promise<T>): Promise<T> {
    const file = path.join(folder, 'new', `${Math.random()}.sqlite`);
    const all = await Promise.all(
      Array.from({ length: count }, () => openDatabases(file, { mayCreate: true })),
    );
    try {
      return await work(all);
    } finally {
      for (const each of all) await each.close();
    }
  }

  it('is created with its folder, opened several times, and read-only for readers', async () => {
    await opened(4, async ([first, second]) => {
      await first?.db.raw('create table a (b integer)');
      expect(await second?.reads('a')).toEqual([]);
      await expect(second?.reads('a').insert({ b: 1 })).rejects.toThrow(/readonly/);
      expect(await first?.db.raw('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
      expect(await second?.reads.raw('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    });
  });

  it('never reports busy to concurrent writers that read before they write', async () => {
    await opened(3, async (all) => {
      await all[0]?.db.raw('create table a (id integer primary key, n integer)');
      await all[0]?.db('a').insert({ id: 1, n: 0 });
      const addOne = ({ db }: Databases) =>
        db.transaction(async (trx) => {
          const row = await trx('a').where({ id: 1 }).first();
          await trx('a')
            .where({ id: 1 })
            .update({ n: row.n + 1 });
        });
      const rounds = Array.from({ length: 60 }, (_, index) => index);
      await Promise.all(
        all.map(async (each) => {
          for (const _ of rounds) await addOne(each);
        }),
      );
      expect(await all[1]?.reads('a').first('n')).toEqual({ n: 180 });
    });
  });
});
