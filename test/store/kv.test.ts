/** The short-lived counters, in memory and in Redis: one suite, as callers must not see a difference. */
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/log.ts';
import type { Kv, Window } from '../../src/store/kv/kv.ts';
import { createMemoryKv } from '../../src/store/kv/memory.ts';
import { connectRedisKv } from '../../src/store/kv/redis.ts';
import { isRedisReachable, redisUrl } from '../databases.ts';
import { eventually } from '../site.ts';

const log = createLogger('silent');
const hasRedis = await isRedisReachable();
const stores = [
  { kind: 'memory', open: async () => createMemoryKv(Date.now) },
  {
    kind: 'redis',
    open: () => connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log }),
  },
].filter(({ kind }) => kind === 'memory' || hasRedis);

function aWindow(fields: Partial<Window> = {}): Window {
  return { key: `test:${randomUUID()}`, limit: 3, windowMs: 60_000, ...fields };
}

async function takeAll(kv: Kv, window: Window, times: number): Promise<number[]> {
  return Promise.all(Array.from({ length: times }, () => kv.take(window)));
}

describe.each(stores)('counters in $kind', ({ kind, open }) => {
  let kv: Kv;
  beforeAll(async () => {
    kv = await open();
  });
  afterAll(() => kv.close());

  test('say what they are', () => {
    expect(kv.kind).toBe(kind);
  });

  test('let exactly as many events in as the limit says, however many come at once', async () => {
    const waits = await takeAll(kv, aWindow({ limit: 10 }), 50);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
  });

  test('tell the time until the next one would fit', async () => {
    const window = aWindow({ limit: 2, windowMs: 60_000 });
    expect(await takeAll(kv, window, 2)).toEqual([0, 0]);
    const waitMs = await kv.take(window);
    expect(waitMs).toBeGreaterThan(55_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    expect(await kv.peek(window)).toBeLessThanOrEqual(waitMs);
  });

  test('let the next one in when that time is over, as refused ones were not counted', async () => {
    const window = aWindow({ limit: 1, windowMs: 300 });
    expect(await kv.take(window)).toBe(0);
    const startedAtMs = Date.now();
    await eventually('the window slides on', async () => (await kv.take(window)) === 0, 2_000);
    expect(Date.now() - startedAtMs).toBeGreaterThan(200);
  });

  test('slide: an old event makes room while newer ones still count', async () => {
    const window = aWindow({ limit: 2, windowMs: 400 });
    await kv.take(window);
    await eventually('half of the window is over', async () => {
      const left = await kv.peek({ ...window, limit: 1 });
      return left < 200;
    });
    expect(await kv.take(window)).toBe(0);
    const waitMs = await kv.take(window);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThan(200);
    await eventually('the first event is forgotten', async () => (await kv.take(window)) === 0);
    expect(await kv.take(window)).toBeGreaterThan(0);
  });

  test('count nothing by a peek', async () => {
    const window = aWindow({ limit: 1 });
    for (let time = 0; time < 5; time += 1) expect(await kv.peek(window)).toBe(0);
    expect(await kv.take(window)).toBe(0);
    expect(await kv.peek(window)).toBeGreaterThan(0);
  });

  test('record what has happened, fit or not', async () => {
    const window = aWindow({ limit: 2 });
    await kv.record(window);
    expect(await kv.peek(window)).toBe(0);
    await kv.record(window);
    await kv.record(window);
    expect(await kv.peek(window)).toBeGreaterThan(0);
    expect(await kv.take(window)).toBeGreaterThan(0);
  });

  test('keep keys apart', async () => {
    const [one, other] = [aWindow({ limit: 1 }), aWindow({ limit: 1 })];
    expect(await kv.take(one)).toBe(0);
    expect(await kv.take(other)).toBe(0);
    expect(await kv.take(one)).toBeGreaterThan(0);
  });

  test('obey a limit that was lowered meanwhile at once', async () => {
    const window = aWindow({ limit: 5 });
    await takeAll(kv, window, 2);
    expect(await kv.peek({ ...window, limit: 2 })).toBeGreaterThan(0);
    expect(await kv.peek({ ...window, limit: 3 })).toBe(0);
  });

  test('remember windows of any length', async () => {
    const window = aWindow({ limit: 1, windowMs: 31_536_000_000 });
    expect(await kv.take(window)).toBe(0);
    expect(await kv.take(window)).toBeGreaterThan(31_535_000_000);
  });

  test('carry messages to everyone who listens to the topic, themselves included', async () => {
    const topic = `test:${randomUUID()}`;
    const heard: string[] = [];
    await kv.subscribe(topic, (text) => heard.push(`one ${text}`));
    await kv.subscribe(topic, (text) => heard.push(`two ${text}`));
    await kv.publish(topic, 'hello');
    await kv.publish(`${topic}:other`, 'not for us');
    await eventually('both have heard', () => heard.length >= 2);
    expect(heard.sort()).toEqual(['one hello', 'two hello']);
  });
});

describe.skipIf(!hasRedis)('counters in Redis', () => {
  test('are one for all nodes: two of them never let more in than the limit', async () => {
    const nodes = [
      await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log }),
      await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log }),
    ];
    const window = aWindow({ limit: 20 });
    const waits = await Promise.all(nodes.map((node) => takeAll(node, window, 40)));
    expect(waits.flat().filter((wait) => wait === 0)).toHaveLength(20);
    await Promise.all(nodes.map((node) => node.close()));
  });

  test('go by the clock of Redis, so a node whose own is wrong is limited all the same', async () => {
    const late = await connectRedisKv({ url: redisUrl(), site: 'test', now: () => 0, log });
    const early = await connectRedisKv({
      url: redisUrl(),
      site: 'test',
      now: () => Date.now() + 86_400_000,
      log,
    });
    const window = aWindow({ limit: 1 });
    expect(await late.take(window)).toBe(0);
    expect(await early.take(window)).toBeGreaterThan(0);
    await Promise.all([late.close(), early.close()]);
  });

  test('leave nothing behind after their window', async () => {
    const kv = await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log });
    const looker = createClient({ url: redisUrl() });
    await looker.connect();
    const window = aWindow({ limit: 3, windowMs: 200 });
    await takeAll(kv, window, 3);
    const name = `gateway:test:${window.key}`;
    expect(await looker.lLen(name)).toBe(3);
    await eventually('the key expires', async () => (await looker.exists(name)) === 0, 2_000);
    await Promise.all([kv.close(), looker.close()]);
  });

  test('are kept per process while Redis is away, and shared again when it is back', async () => {
    const line = await aLineTo(redisUrl());
    const kv = await connectRedisKv({ url: line.url, site: 'test', now: Date.now, log });
    const window = aWindow({ limit: 2 });
    await line.cut();
    expect((await takeAll(kv, window, 5)).filter((wait) => wait === 0)).toHaveLength(2);
    await kv.record(window);
    await kv.publish('test', 'nobody hears it, nobody fails');
    await line.mend();
    const fresh = aWindow({ limit: 1 });
    const other = await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log });
    await eventually('the counter is shared', async () => {
      const one = { ...fresh, key: `test:${randomUUID()}` };
      await kv.take(one);
      return (await other.peek(one)) > 0;
    });
    await Promise.all([kv.close(), other.close()]);
    await line.cut();
  });
});

test('an address where no Redis answers is told at once', async () => {
  await expect(
    connectRedisKv({ url: 'redis://127.0.0.1:1', site: 'test', now: Date.now, log }),
  ).rejects.toMatchObject({
    code: 'config_invalid',
    param: 'redisUrl',
  });
});

interface Line {
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** A TCP relay in front of a server, which can be cut like a network cable. */
async function aLineTo(target: string): Promise<Line> {
  const { hostname, port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const listen = (at: number): Promise<number> =>
    new Promise((resolve) => {
      server = createServer((near) => {
        const far = connect(Number(port || 6379), hostname);
        for (const socket of [near, far]) {
          sockets.add(socket);
          socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
        }
        near.pipe(far).pipe(near);
      }).listen(at, '127.0.0.1', () => {
        const address = server?.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  const at = await listen(0);
  return {
    url: `redis://127.0.0.1:${at}${pathname}`,
    async cut() {
      const closed = new Promise((resolve) => server?.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async mend() {
      await listen(at);
    },
  };
}
