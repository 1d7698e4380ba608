/** Short-lived counters in memory and in Redis: one suite, because they must behave the same. */

import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { type Kv, MAX_TEXT_CHARS, type RateWindow } from '../../src/store/kv/kv.ts';
import { createMemoryKv } from '../../src/store/kv/memory.ts';
import { connectRedisKv } from '../../src/store/kv/redis.ts';
import { createKvHost, createSharedKv, type KvMessage } from '../../src/store/kv/shared-kv.ts';
import { isRedisReachable, redisUrl } from '../support/databases.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { aProcessLine } from '../support/process-line.ts';
import { eventually } from '../support/site.ts';
import { aLineTo } from '../support/tcp-proxy.ts';

const log = createLogger('silent');
const hasRedis = await isRedisReachable();
const stores = [
  { kind: 'memory', open: async () => createMemoryKv(Date.now) },
  {
    kind: 'redis',
    open: () => connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log }),
  },
  { kind: 'shared', open: async () => family(1)[0] ?? createMemoryKv(Date.now) },
].filter(({ kind }) => kind !== 'redis' || hasRedis);

function aWindow(fields: Partial<RateWindow> = {}): RateWindow {
  return { key: `test:${randomUUID()}`, limit: 3, windowMs: 60_000, ...fields };
}

async function takeAll(kv: Kv, window: RateWindow, times: number): Promise<number[]> {
  return Promise.all(Array.from({ length: times }, () => kv.take(window)));
}

describe.each(stores)('counters in $kind', ({ kind, open }) => {
  let kv: Kv;
  beforeAll(async () => {
    kv = await open();
  });
  afterAll(() => kv.close());

  test('report where they are kept', () => {
    expect(kv.kind).toBe(kind);
  });

  test('allow exactly as many events as the limit, even concurrent ones', async () => {
    const waits = await takeAll(kv, aWindow({ limit: 10 }), 50);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
  });

  test('return how many more fit, and count only allowed events', async () => {
    const window = aWindow({ limit: 3 });
    expect(await kv.windowState(window, 'peek')).toEqual({ waitMs: 0, left: 3 });
    expect(await kv.windowState(window, 'take')).toEqual({ waitMs: 0, left: 2 });
    await kv.record(window);
    expect(await kv.windowState(window, 'take')).toEqual({ waitMs: 0, left: 0 });
    const full = await kv.windowState(window, 'take');
    expect(full.left).toBe(0);
    expect(full.waitMs).toBeGreaterThan(0);
    // Events outside the window no longer count, although they are still stored.
    const short = { ...window, windowMs: 60 };
    await eventually(
      'all events are over',
      async () => (await kv.windowState(short, 'peek')).left === 3,
    );
    expect(await kv.windowState({ ...window, limit: 2 }, 'peek')).toMatchObject({ left: 0 });
  });

  test('return the time until the next event fits', async () => {
    const window = aWindow({ limit: 2, windowMs: 60_000 });
    expect(await takeAll(kv, window, 2)).toEqual([0, 0]);
    const waitMs = await kv.take(window);
    expect(waitMs).toBeGreaterThan(55_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    expect(await kv.peek(window)).toBeLessThanOrEqual(waitMs);
  });

  test('allow the next event after that time, because refused ones are not counted', async () => {
    const window = aWindow({ limit: 1, windowMs: 300 });
    expect(await kv.take(window)).toBe(0);
    const startedAtMs = Date.now();
    await eventually('the window slides on', async () => (await kv.take(window)) === 0);
    expect(Date.now() - startedAtMs).toBeGreaterThan(200);
  });

  test('slide: an old event frees a place while newer ones still count', async () => {
    const window = aWindow({ limit: 2, windowMs: 2_000 });
    await kv.take(window);
    await eventually('half of the window is over', async () => {
      const left = await kv.peek({ ...window, limit: 1 });
      return left < 1_000;
    });
    expect(await kv.take(window)).toBe(0);
    const waitMs = await kv.take(window);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThan(1_000);
    await eventually('the first event is forgotten', async () => (await kv.take(window)) === 0);
    expect(await kv.take(window)).toBeGreaterThan(0);
  });

  test('count nothing by a peek', async () => {
    const window = aWindow({ limit: 1 });
    for (let time = 0; time < 5; time += 1) expect(await kv.peek(window)).toBe(0);
    expect(await kv.take(window)).toBe(0);
    expect(await kv.peek(window)).toBeGreaterThan(0);
  });

  test('forget the events of a cleared key only', async () => {
    const [cleared, other] = [aWindow({ limit: 1 }), aWindow({ limit: 1 })];
    await Promise.all([kv.take(cleared), kv.take(other)]);
    await kv.clear(cleared.key);
    expect(await kv.take(cleared)).toBe(0);
    expect(await kv.take(other)).toBeGreaterThan(0);
  });

  test('record past events even above the limit', async () => {
    const window = aWindow({ limit: 2 });
    await kv.record(window);
    expect(await kv.peek(window)).toBe(0);
    await kv.record(window);
    await kv.record(window);
    expect(await kv.peek(window)).toBeGreaterThan(0);
    expect(await kv.take(window)).toBeGreaterThan(0);
  });

  test('keep keys separate', async () => {
    const [one, other] = [aWindow({ limit: 1 }), aWindow({ limit: 1 })];
    expect(await kv.take(one)).toBe(0);
    expect(await kv.take(other)).toBe(0);
    expect(await kv.take(one)).toBeGreaterThan(0);
  });

  test('apply a lowered limit immediately', async () => {
    const window = aWindow({ limit: 5 });
    await takeAll(kv, window, 2);
    expect(await kv.peek({ ...window, limit: 2 })).toBeGreaterThan(0);
    expect(await kv.peek({ ...window, limit: 3 })).toBe(0);
  });

  test('support windows of any length', async () => {
    const window = aWindow({ limit: 1, windowMs: 31_536_000_000 });
    expect(await kv.take(window)).toBe(0);
    expect(await kv.take(window)).toBeGreaterThan(31_535_000_000);
  });

  test('keep texts for their lifetime, each under its key', async () => {
    const [long, short, none] = [randomUUID(), randomUUID(), randomUUID()];
    await kv.put(long, 'stays', 60_000);
    await kv.put(short, 'goes', 1);
    await eventually(
      'the short one is gone',
      async () => (await kv.read([short]))[0] === undefined,
    );
    expect(await kv.read([none, long, short])).toEqual([undefined, 'stays', undefined]);
    expect(await kv.read([])).toEqual([]);
  });

  test('refuse a text that is too long', async () => {
    const key = randomUUID();
    await kv.put(key, 'x'.repeat(MAX_TEXT_CHARS + 1), 60_000);
    expect(await kv.read([key])).toEqual([undefined]);
  });

  test('deliver messages to all subscribers of a topic, including the sender', async () => {
    const topic = `test:${randomUUID()}`;
    const received: string[] = [];
    await kv.subscribe(topic, (text) => received.push(`one ${text}`));
    await kv.subscribe(topic, (text) => received.push(`two ${text}`));
    await kv.publish(topic, 'hello');
    await kv.publish(`${topic}:other`, 'not for us');
    await eventually('both have heard', () => received.length >= 2);
    expect(received.sort()).toEqual(['one hello', 'two hello']);
  });
});

describe('counters of processes without Redis', () => {
  test('are shared by all of them', async () => {
    const workers = family(3);
    const window = aWindow({ limit: 20 });
    const waits = await Promise.all(workers.map((worker) => takeAll(worker, window, 15)));
    expect(waits.flat().filter((wait) => wait === 0)).toHaveLength(20);
  });

  test('share messages and stored texts between processes', async () => {
    const [one, other] = family(2);
    const received: string[] = [];
    await other?.subscribe('topic', (text) => received.push(text));
    await one?.publish('topic', 'hello');
    await eventually('it is heard', () => received.length === 1);
    const key = randomUUID();
    await one?.put(key, 'kept', 60_000);
    expect(await other?.read([key, 'none'])).toEqual(['kept', undefined]);
  });

  test('continue in each process when their host ends, including pending requests', async () => {
    const { near, far, cut } = aProcessLine<KvMessage>();
    const worker = createSharedKv(near, Date.now);
    // A peer that receives and never responds.
    far.onMessage(() => undefined);
    const window = aWindow({ limit: 2 });
    const taking = worker.take(window);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    cut();
    expect(await taking).toBe(0);
    expect(await worker.take(window)).toBe(0);
    expect(await worker.take(window)).toBeGreaterThan(0);
    const received: string[] = [];
    await worker.subscribe('topic', (text) => received.push(text));
    await worker.publish('topic', 'to itself');
    expect(received).toEqual(['to itself']);
    await worker.close();
  });
});

/** The counters of several workers of one host, connected by structured clones. */
function family(size: number): Kv[] {
  const host = createKvHost(Date.now);
  return Array.from({ length: size }, () => {
    const { near, far } = aProcessLine<KvMessage>();
    host.serve(far);
    return createSharedKv(near, Date.now);
  });
}

describe.skipIf(!hasRedis)('counters in Redis', () => {
  test('are shared by all nodes: two never allow more than the limit', async () => {
    const nodes = [
      await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log }),
      await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log }),
    ];
    const window = aWindow({ limit: 20 });
    const waits = await Promise.all(nodes.map((node) => takeAll(node, window, 40)));
    expect(waits.flat().filter((wait) => wait === 0)).toHaveLength(20);
    await Promise.all(nodes.map((node) => node.close()));
  });

  test('share a stored text between nodes', async () => {
    const open = () => connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log });
    const [one, other] = [await open(), await open()];
    const key = randomUUID();
    await one.put(key, 'kept', 60_000);
    expect(await other.read([key])).toEqual(['kept']);
    await Promise.all([one.close(), other.close()]);
  });

  test('use the clock of Redis, so a node with a wrong clock is limited correctly', async () => {
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

  test('leave no data after their window', async () => {
    const kv = await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log });
    const looker = createClient({ url: redisUrl() });
    await looker.connect();
    const window = aWindow({ limit: 3, windowMs: 200 });
    await takeAll(kv, window, 3);
    const name = `gateway:test:${window.key}`;
    expect(await looker.lLen(name)).toBe(3);
    await eventually('the key expires', async () => (await looker.exists(name)) === 0);
    await Promise.all([kv.close(), looker.close()]);
  });

  test('are kept per process while Redis is away, and shared again when it is back', async () => {
    const line = await aLineTo(redisUrl(), 6379);
    const kv = await connectRedisKv({ url: line.url, site: 'test', now: Date.now, log });
    const window = aWindow({ limit: 2 });
    await line.cut();
    expect((await takeAll(kv, window, 5)).filter((wait) => wait === 0)).toHaveLength(2);
    await kv.record(window);
    await kv.publish('test', 'nobody hears it, nobody fails');
    await line.repair();
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

describe.skipIf(!hasRedis)('a Redis that does not respond', () => {
  test('is not waited for; limits, texts and messages recover automatically', async () => {
    const line = await aLineTo(redisUrl(), 6379);
    const open = (url: string) => connectRedisKv({ url, site: 'test', now: Date.now, log });
    const [kv, other] = [await open(line.url), await open(redisUrl())];
    const topic = `test:${randomUUID()}`;
    const received: string[] = [];
    await kv.subscribe(topic, (text) => received.push(text));
    const [window, key] = [aWindow({ limit: 2 }), randomUUID()];
    await kv.put(key, 'kept', 60_000);

    line.fallSilent();
    expect((await takeAll(kv, window, 5)).filter((wait) => wait === 0)).toHaveLength(2);
    expect(await kv.read([key])).toEqual([undefined]);
    await kv.publish(topic, 'nobody hears it, nobody waits');

    line.speak();
    await eventually('the counter is shared', async () => {
      const one = aWindow({ limit: 1 });
      await kv.take(one);
      return (await other.peek(one)) > 0;
    });
    expect(await kv.read([key])).toEqual(['kept']);
    await eventually('messages are heard', async () => {
      await other.publish(topic, 'hello');
      return received.includes('hello');
    });
    await Promise.all([kv.close(), other.close()]);
    await line.cut();
  });
});

/** A logger that keeps its entries. */
function recordingLog() {
  const lines: { readonly level: number; readonly msg: string; readonly stack?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { lines, log };
}

describe.skipIf(!hasRedis)('a Redis that is unavailable when a node starts', () => {
  test.each([
    { how: 'refuses connections', away: 'cut', back: 'repair' },
    { how: 'says nothing', away: 'fallSilent', back: 'speak' },
  ] as const)('with $how is not required, and is used once it is available', async (way) => {
    const line = await aLineTo(redisUrl(), 6379);
    await line[way.away]();
    const { lines, log } = recordingLog();
    const kv = await connectRedisKv({ url: line.url, site: 'test', now: Date.now, log });
    const other = await connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log });
    const topic = `test:${randomUUID()}`;
    const received: string[] = [];
    await kv.subscribe(topic, (text) => received.push(text));
    expect([kv.isUp(), kv.redis?.topology]).toEqual([false, 'single']);
    expect((await takeAll(kv, aWindow({ limit: 2 }), 5)).filter((wait) => wait === 0)).toHaveLength(
      2,
    );
    expect(kv.redis?.timeouts()).toBeGreaterThanOrEqual(5);
    await line[way.back]();
    await eventually('it is asked', () => kv.isUp());
    await eventually('the counter is shared', async () => {
      const one = aWindow({ limit: 1 });
      await kv.take(one);
      return (await other.peek(one)) > 0;
    });
    await eventually('messages are heard', async () => {
      await other.publish(topic, 'hello');
      return received.includes('hello');
    });
    await eventually('the loss is logged', () => lines.length > 1);
    expect(lines.map(({ msg }) => msg)).toEqual(['Redis does not answer', 'Redis answers again']);
    await Promise.all([kv.close(), other.close()]);
    await line.cut();
  });
});

describe.skipIf(!hasRedis)('a Redis that disconnects and returns', () => {
  test('causes one log entry each time, without a stack, however many calls fail', async () => {
    const line = await aLineTo(redisUrl(), 6379);
    const { lines, log } = recordingLog();
    const kv = await connectRedisKv({ url: line.url, site: 'test', now: Date.now, log });
    const before = kv.redis?.timeouts();
    await line.cut();
    await takeAll(kv, aWindow(), 200);
    await kv.put(randomUUID(), 'lost', 1_000);
    await line.repair();
    await eventually('it is back', () => lines.some(({ msg }) => msg === 'Redis answers again'));
    expect(lines.map(({ msg }) => msg)).toEqual(['Redis does not answer', 'Redis answers again']);
    expect(JSON.stringify(lines)).not.toContain('stack');
    expect(lines[0]).toMatchObject({ meanwhile: 'limits are counted per process' });
    expect([before, kv.redis?.timeouts()]).toEqual([0, 201]);
    await kv.close();
    await line.cut();
  });
});

describe.skipIf(!hasRedis)('fail-closed limits', () => {
  test('refuse limited calls while Redis is away; events and sign-in attempts are counted', async () => {
    const line = await aLineTo(redisUrl(), 6379);
    const place = { url: line.url, site: 'test', now: Date.now, log };
    const kv = await connectRedisKv({ ...place, onLoss: 'refuse' });
    await line.cut();
    const refused = { code: 'limits_unavailable', status: 503 };
    const ofCalls = () => aWindow({ isModelCall: true });
    await expect(kv.take(ofCalls())).rejects.toMatchObject(refused);
    await expect(kv.peek(ofCalls())).rejects.toMatchObject(refused);
    await expect(kv.windowState(ofCalls(), 'take')).rejects.toMatchObject(refused);
    expect((await takeAll(kv, aWindow({ limit: 2 }), 5)).filter((wait) => wait === 0)).toHaveLength(
      2,
    );
    await kv.record(aWindow());
    await kv.close();
  });
});

describe('an invalid server address is refused immediately', () => {
  test.each([
    ['redis.example.com:6379', 'must be redis://'],
    ['http://127.0.0.1:6379', 'must be redis://'],
    ['redis://127.0.0.1:6379,127.0.0.1:6380', 'several servers'],
    ['redis://127.0.0.1:6379/main', 'not the number'],
    ['redis://127.0.0.1:x', 'is not HOST:PORT'],
    ['redis+cluster://127.0.0.1:7000/3', 'no numbered databases'],
    ['redis+sentinel://127.0.0.1:26379', 'name of the master'],
  ])('%s', async (url, problem) => {
    await expectRefusal(
      connectRedisKv({ url, site: 'test', now: Date.now, log }),
      'config_invalid',
      { param: 'redisUrl', params: { problem: expect.stringContaining(problem) } },
    );
  });

  test.skipIf(!hasRedis).each([
    [
      'a password that Redis does not take',
      (url: URL) => Object.assign(url, { username: 'nobody', password: 'wrong' }),
    ],
    ['a database that there is not', (url: URL) => (url.pathname = '/99999')],
  ])('%s', async (_what, change) => {
    const url = new URL(redisUrl());
    change(url);
    await expectRefusal(
      connectRedisKv({ url: url.href, site: 'test', now: Date.now, log }),
      'config_invalid',
      { param: 'redisUrl' },
    );
  });
});
