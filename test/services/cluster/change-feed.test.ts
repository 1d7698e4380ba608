import { readdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/log.ts';
import {
  type ChangeFeed,
  createChangeFeed,
  type Scope,
} from '../../../src/services/cluster/change-feed.ts';
import { createLocalSignal, type LocalSignal } from '../../../src/services/cluster/local-signal.ts';
import { type Databases, openDatabases } from '../../../src/store/connection/database.ts';
import { inTransaction } from '../../../src/store/connection/transaction.ts';
import type { Kv } from '../../../src/store/kv/kv.ts';
import { createMemoryKv } from '../../../src/store/kv/memory.ts';
import { connectRedisKv } from '../../../src/store/kv/redis.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import {
  databases,
  type FreshDatabase,
  freshDatabase,
  isRedisReachable,
  redisUrl,
} from '../../support/databases.ts';
import { eventually } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const log = createLogger('silent');
const SILENT: LocalSignal = { send: async () => undefined, watch: () => () => undefined };

/** Stops the whole process, including its timers. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe.each(databases)('the change feed on $kind', ({ kind }) => {
  let database: FreshDatabase;
  /** Another process that writes. */
  let writer: Databases;
  const feeds: ChangeFeed[] = [];
  beforeAll(async () => {
    database = await freshDatabase(kind);
    writer = await openDatabases(database.dsn);
  });
  afterEach(() => {
    for (const feed of feeds.splice(0)) feed.stop();
  });
  afterAll(async () => {
    await writer.close();
    await database.drop();
  });

  const aFeed = (kv: Kv = createMemoryKv(Date.now)): ChangeFeed => {
    const feed = createChangeFeed(database.reads, { kv, signal: SILENT, log });
    feeds.push(feed);
    return feed;
  };
  const announce = (scope: Scope, ...ids: number[]) =>
    inTransaction(writer, async ({ db }) => {
      for (const id of ids) await announceChange(db, scope, id);
    });
  /** The notifications of each listener of a scope, in order. */
  const received = (feed: ChangeFeed, scope: Scope): (readonly number[] | 'all')[] => {
    const notified: (readonly number[] | 'all')[] = [];
    feed.on(scope, (ids) => void notified.push(ids));
    return notified;
  };

  it('returns what another process wrote, each id once, to the listeners of the scope only', async () => {
    const feed = aFeed();
    const [users, tokens] = [received(feed, 'users'), received(feed, 'tokens')];
    await feed.pull();
    await announce('users', 3, 5, 3);
    await feed.pull();
    await feed.pull();
    expect(users).toHaveLength(1);
    expect([...(users[0] ?? [])].sort()).toEqual([3, 5]);
    expect(tokens).toEqual([]);
  });

  it('starts from the present: earlier writes are not reported', async () => {
    await announce('users', 1);
    const feed = aFeed();
    const users = received(feed, 'users');
    await feed.pull();
    expect(users).toEqual([]);
  });

  it('does not report uncommitted changes', async () => {
    const feed = aFeed();
    const users = received(feed, 'users');
    await feed.pull();
    const failed = inTransaction(writer, async ({ db }) => {
      await announceChange(db, 'users', 9);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await feed.pull();
    expect(users).toEqual([]);
    await announce('users', 10);
    await feed.pull();
    expect(users).toEqual([[10]]);
  });

  it('returns "all" when the feed no longer reaches back far enough', async () => {
    const feed = aFeed();
    const users = received(feed, 'users');
    await feed.pull();
    await announce('users', 1, 2);
    await writer.db('changes').where({ scope: 'users' }).delete();
    await feed.pull();
    expect(users).toEqual(['all']);
  });

  it('returns "all" when the database was restored to an older state', async () => {
    await announce('users', 1, 2, 3);
    const feed = aFeed();
    const users = received(feed, 'users');
    await feed.pull();
    const { revision } = await writer.db('revisions').where({ scope: 'users' }).first('revision');
    await writer
      .db('revisions')
      .where({ scope: 'users' })
      .update({ revision: revision - 2 });
    await feed.pull();
    expect(users).toEqual(['all']);
    await feed.pull();
    expect(users).toHaveLength(1);
    await writer.db('revisions').where({ scope: 'users' }).update({ revision });
  });

  it('is up to date for a reader, even in a process that was frozen', async () => {
    const feed = aFeed();
    await feed.start();
    await feed.fresh();
    const users = received(feed, 'users');
    await announce('users', 21);
    freeze(1_100);
    await feed.fresh();
    expect(users.flat()).toEqual([21]);
  });

  it('is not up to date if nothing can be read', async () => {
    const own = await openDatabases(database.dsn);
    const feed = createChangeFeed(own.reads, { kv: createMemoryKv(Date.now), signal: SILENT, log });
    feeds.push(feed);
    await feed.start();
    await own.close();
    freeze(1_100);
    await expect(Promise.all([feed.fresh(), feed.fresh()])).rejects.toThrow();
  });

  it('reads changes committed before a refresh, with one read for many callers', async () => {
    const feed = aFeed();
    await feed.pull();
    const users = received(feed, 'users');
    await feed.latest();
    await announce('users', 31);
    const before = feed.latest();
    await announce('users', 32);
    await Promise.all([before, ...Array.from({ length: 50 }, () => feed.latest())]);
    expect(users.flat().sort()).toEqual([31, 32]);
    expect(users.length).toBeLessThanOrEqual(2);
  });

  it('returns from a refresh even if nothing can be read', async () => {
    const own = await openDatabases(database.dsn);
    const feed = createChangeFeed(own.reads, { kv: createMemoryKv(Date.now), signal: SILENT, log });
    feeds.push(feed);
    await feed.start();
    await own.close();
    await feed.latest();
    await expect(feed.pull()).rejects.toThrow();
  });

  it('retries a listener that failed', async () => {
    const feed = aFeed();
    const notified: unknown[] = [];
    await feed.pull();
    feed.on('users', (ids) => {
      notified.push(ids);
      if (notified.length === 1) throw new Error('not now');
    });
    await announce('users', 4);
    await expect(feed.pull()).rejects.toThrow('not now');
    await feed.pull();
    expect(notified).toEqual([[4], [4]]);
  });

  it('reads again for a refresh during a read, so that no caller resolves too early', async () => {
    const feed = aFeed();
    const users = received(feed, 'users');
    await feed.pull();
    const running = feed.pull();
    await announce('users', 8);
    await feed.pull();
    expect(users).toEqual([[8]]);
    await running;
  });

  it('misses nothing from many concurrent writers', async () => {
    const feed = aFeed();
    const seen = new Set<number>();
    feed.on('tokens', (ids) => {
      if (ids !== 'all') for (const id of ids) seen.add(id);
    });
    await feed.pull();
    const writes = Array.from({ length: 40 }, (_, index) => announce('tokens', index + 1));
    for (const write of writes) {
      await write;
      await feed.pull();
    }
    expect(seen.size).toBe(40);
  });

  it('polls automatically once started', async () => {
    const feed = aFeed();
    const users = received(feed, 'users');
    await feed.start();
    await announce('users', 77);
    await eventually('the change is known', () => users.length === 1);
    expect(users).toEqual([[77]]);
  });
});

describe.skipIf(!(await isRedisReachable()))('the change feed with Redis', () => {
  let database: FreshDatabase;
  const kvs: Kv[] = [];
  beforeAll(async () => {
    database = await freshDatabase('sqlite');
    for (let node = 0; node < 2; node += 1)
      kvs.push(await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log }));
  });
  afterAll(async () => {
    for (const kv of kvs) await kv.close();
    await database.drop();
  });

  it('notifies the other nodes immediately', async () => {
    const [writing, reading] = kvs.map((kv) =>
      createChangeFeed(database.reads, { kv, signal: SILENT, log }),
    );
    if (writing === undefined || reading === undefined) throw new Error('two feeds were made');
    const notified: unknown[] = [];
    reading.on('users', (ids) => void notified.push(ids));
    await writing.pull();
    // The poll timer is stopped: only the message can notify.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await reading.start();
    await inTransaction(database, ({ db }) => announceChange(db, 'users', 5));
    await writing.committed();
    await eventually('the other node knows', () => notified.length > 0);
    expect(notified).toEqual([[5]]);
    reading.stop();
    vi.useRealTimers();
  });
});

describe('the change feed of two processes with the same data folder', () => {
  it('notifies the other process immediately', async () => {
    const folder = tempFolder();
    const database = await freshDatabase('sqlite');
    const aFeed = () =>
      createChangeFeed(database.reads, {
        kv: createMemoryKv(Date.now),
        signal: createLocalSignal(folder),
        log,
      });
    const [server, command] = [aFeed(), aFeed()];
    const notified: unknown[] = [];
    server.on('users', (ids) => void notified.push(ids));
    // The poll timer is stopped: only the signal can notify.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await server.start();
    await command.pull();
    await inTransaction(database, ({ db }) => announceChange(db, 'users', 5));
    await command.committed();
    await eventually('the server knows', () => notified.length > 0);
    expect(notified).toEqual([[5]]);
    server.stop();
    vi.useRealTimers();
    await database.drop();
  });

  it('works without a server, which alone makes the file', async () => {
    const folder = tempFolder();
    await createLocalSignal(folder).send();
    expect(await readdir(folder)).toEqual([]);
  });
});
