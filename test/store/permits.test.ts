/** Permits of caps, in memory and in Redis: one suite, because they must behave the same. */
import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/log.ts';
import {
  type Cap,
  type FullCap,
  type Kv,
  type Permit,
  type PermitRequest,
  type PermitStore,
  tokensToTake,
} from '../../src/store/kv/kv.ts';
import { createMemoryKv } from '../../src/store/kv/memory.ts';
import { createMemoryPermits } from '../../src/store/kv/memory-permits.ts';
import { connectRedisKv } from '../../src/store/kv/redis.ts';
import { isRedisReachable, redisUrl } from '../support/databases.ts';
import { eventually } from '../support/site.ts';
import { randomFrom } from '../system/ledger/receipts.ts';

const log = createLogger('silent');
const hasRedis = await isRedisReachable();
const openRedis = () => connectRedisKv({ url: redisUrl(), site: 'test', now: Date.now, log });
const stores = [
  { kind: 'memory', open: async () => createMemoryKv(Date.now) },
  { kind: 'redis', open: openRedis },
].filter(({ kind }) => kind === 'memory' || hasRedis);

function aCap(of: Cap['of'], limit: number): Cap {
  return { key: `test:${randomUUID()}`, of, limit };
}

/** As Redis stores it. */
function nameOf({ key }: Cap): string {
  return `gateway:test:{caps}:${key}`;
}

interface RequestFields {
  readonly leaseMs?: number;
  /** The lower bound; `most` if it may be more. */
  readonly tokens?: number;
  readonly most?: number;
}

function permitRequest(caps: readonly Cap[], fields: RequestFields = {}): PermitRequest {
  const { tokens = 0, most = tokens, leaseMs = 60_000 } = fields;
  return { id: randomUUID(), caps, tokens: { least: tokens, most }, leaseMs };
}

async function taken(kv: Kv, request: PermitRequest): Promise<Permit> {
  const share = await kv.takePermit(request);
  if ('full' in share) throw new Error(`no room in ${share.full.key}`);
  return share;
}

async function refused(kv: Kv, request: PermitRequest): Promise<FullCap> {
  const share = await kv.takePermit(request);
  if ('full' in share) return share;
  throw new Error('there was room');
}

describe.each(stores)('permits in $kind', ({ open }) => {
  let kv: Kv;
  beforeAll(async () => {
    kv = await open();
  });
  afterAll(() => kv.close());

  test('never exceed the cap, however many concurrent requests', async () => {
    const cap = aCap('calls', 7);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => kv.takePermit(permitRequest([cap]))),
    );
    expect(answers.filter((answer) => !('full' in answer))).toHaveLength(7);
  });

  test('become available when they are returned', async () => {
    const cap = aCap('calls', 1);
    const share = await taken(kv, permitRequest([cap]));
    expect(await refused(kv, permitRequest([cap]))).toEqual({ full: cap, left: 0, waitMs: 1000 });
    await kv.returnPermit(share, 0);
    await taken(kv, permitRequest([cap]));
  });

  test('expire unless they are renewed', async () => {
    const [kept, left] = [aCap('calls', 1), aCap('calls', 1)];
    const share = await taken(kv, permitRequest([kept], { leaseMs: 400 }));
    await taken(kv, permitRequest([left], { leaseMs: 400 }));
    const renewing = setInterval(() => void kv.renewPermit(share), 50);
    try {
      await eventually(
        'the lease is over',
        async () => !('full' in (await kv.takePermit(permitRequest([left])))),
      );
      await refused(kv, permitRequest([kept]));
    } finally {
      clearInterval(renewing);
    }
  });

  test('are taken from all caps or from none', async () => {
    const [wide, narrow, tokens] = [aCap('calls', 5), aCap('calls', 1), aCap('tokens', 100)];
    await taken(kv, permitRequest([narrow]));
    const request = permitRequest([wide, tokens, narrow], { tokens: 100 });
    expect((await refused(kv, request)).full).toEqual(narrow);
    for (let index = 0; index < 5; index += 1) await taken(kv, permitRequest([wide]));
    await taken(kv, permitRequest([tokens], { tokens: 100 }));
  });

  test('reserve tokens up to the cap, and return when there is room again', async () => {
    const cap = aCap('tokens', 1000);
    await taken(kv, permitRequest([cap], { tokens: 600 }));
    await taken(kv, permitRequest([cap], { tokens: 400 }));
    const { full, waitMs } = await refused(kv, permitRequest([cap], { tokens: 1 }));
    expect(full).toEqual(cap);
    expect(waitMs).toBeGreaterThan(50_000);
    expect(waitMs).toBeLessThanOrEqual(61_000);
    await refused(kv, permitRequest([cap]));
  });

  test('are refused to a call that is larger than the cap', async () => {
    const cap = aCap('tokens', 10);
    expect((await refused(kv, permitRequest([cap], { tokens: 11 }))).waitMs).toBe(60_000);
    await taken(kv, permitRequest([cap], { tokens: 10 }));
  });

  test('count the real usage, whether it is below or above the estimate', async () => {
    const cap = aCap('tokens', 1000);
    const less = await taken(kv, permitRequest([cap], { tokens: 900 }));
    await kv.returnPermit(less, 300);
    const more = await taken(kv, permitRequest([cap], { tokens: 100 }));
    await kv.returnPermit(more, 650);
    await refused(kv, permitRequest([cap], { tokens: 51 }));
    const none = await taken(kv, permitRequest([cap], { tokens: 50 }));
    await kv.returnPermit(none, 0);
    await taken(kv, permitRequest([cap], { tokens: 50 }));
  });

  test('return what is left of each cap, and of a full one', async () => {
    const caps = [aCap('calls', 3), aCap('tokens', 100)];
    expect((await taken(kv, permitRequest(caps, { tokens: 40 }))).left).toEqual([2, 60]);
    expect((await taken(kv, permitRequest(caps, { tokens: 25 }))).left).toEqual([1, 35]);
    expect(await refused(kv, permitRequest(caps, { tokens: 36 }))).toMatchObject({
      full: caps[1],
      left: 35,
    });
    expect((await taken(kv, permitRequest(caps, { tokens: 35 }))).left).toEqual([0, 0]);
    expect(await refused(kv, permitRequest(caps))).toMatchObject({ full: caps[0], left: 0 });
  });

  test('reserve at most the whole cap, so that a large call runs alone rather than never', async () => {
    const [small, large] = [aCap('tokens', 100), aCap('tokens', 1000)];
    const alone = await taken(kv, permitRequest([small, large], { tokens: 40, most: 300 }));
    expect(alone.left).toEqual([0, 700]);
    await refused(kv, permitRequest([small], { tokens: 1 }));
    await kv.returnPermit(alone, 60);
    expect((await taken(kv, permitRequest([small, large], { tokens: 40 }))).left).toEqual([0, 900]);
    expect((await refused(kv, permitRequest([small], { tokens: 101, most: 200 }))).waitMs).toBe(
      60_000,
    );
  });

  test('remain reserved if the usage is unknown', async () => {
    const cap = aCap('tokens', 100);
    await kv.returnPermit(
      await taken(kv, permitRequest([cap], { tokens: 10, most: 90 })),
      undefined,
    );
    expect(await refused(kv, permitRequest([cap], { tokens: 11 }))).toMatchObject({ left: 10 });
  });

  test('keep keys separate, and concurrency from tokens', async () => {
    const caps = [aCap('calls', 1), aCap('calls', 1), aCap('tokens', 1)];
    for (const cap of caps) await taken(kv, permitRequest([cap], { tokens: 1 }));
    for (const cap of caps) await refused(kv, permitRequest([cap], { tokens: 1 }));
  });
});

test('tokens in memory are released after a minute, second by second', async () => {
  let nowMs = 1_000_000;
  const shares = createMemoryPermits(() => nowMs);
  const cap = aCap('tokens', 100);
  await shares.takePermit(permitRequest([cap], { tokens: 60 }));
  nowMs += 10_000;
  const second = await shares.takePermit(permitRequest([cap], { tokens: 40 }));
  expect(await shares.takePermit(permitRequest([cap], { tokens: 50 }))).toMatchObject({
    waitMs: 51_000,
  });
  expect(await shares.takePermit(permitRequest([cap], { tokens: 70 }))).toMatchObject({
    waitMs: 61_000,
  });
  nowMs += 50_999;
  expect(await shares.takePermit(permitRequest([cap], { tokens: 60 }))).toMatchObject({
    full: cap,
  });
  nowMs += 1;
  expect(await shares.takePermit(permitRequest([cap], { tokens: 61 }))).toMatchObject({
    full: cap,
  });
  expect(await shares.takePermit(permitRequest([cap], { tokens: 60 }))).toMatchObject({
    grantedBy: 'memory',
  });
  nowMs += 10_000;
  // Usage that has left the window is not returned again.
  if (!('full' in second)) await shares.returnPermit(second, 0);
  expect(await shares.takePermit(permitRequest([cap], { tokens: 41 }))).toMatchObject({
    full: cap,
  });
  nowMs += 120_000;
  shares.removeEmptyKeys();
  expect(await shares.takePermit(permitRequest([cap], { tokens: 100 }))).toMatchObject({
    left: [0],
  });
});

/** One cap, with a minute that passes without waiting. */
interface Clocked {
  readonly nodes: readonly PermitStore[];
  readonly cap: Cap;
  /** Epoch seconds, including the skipped ones. */
  nowSec(): Promise<number>;
  skip(sec: number): Promise<void>;
  readonly skippedSec: number;
  close(): Promise<void>;
}

async function clockedMemory(limit: number): Promise<Clocked> {
  let nowMs = 1_000_000_500;
  const shares = createMemoryPermits(() => (nowMs += 37));
  return {
    nodes: [shares],
    cap: aCap('tokens', limit),
    nowSec: async () => Math.floor(nowMs / 1000),
    async skip(sec) {
      nowMs += sec * 1000;
    },
    skippedSec: 0,
    async close() {},
  };
}

/** Simulates passing time by ageing the stored data. */
async function clockedRedis(limit: number): Promise<Clocked> {
  const nodes = [await openRedis(), await openRedis()];
  const looker = createClient({ url: redisUrl() });
  await looker.connect();
  const cap = aCap('tokens', limit);
  const name = nameOf(cap);
  let skippedSec = 0;
  return {
    nodes,
    cap,
    async nowSec() {
      const [sec] = await looker.sendCommand<string[]>(['TIME']);
      return Number(sec) + skippedSec;
    },
    async skip(sec) {
      const written = Object.entries(await looker.hGetAll(name));
      await looker.del(name);
      for (const [at, tokens] of written) await looker.hSet(name, String(Number(at) - sec), tokens);
      skippedSec += sec;
    },
    get skippedSec() {
      return skippedSec;
    },
    async close() {
      await looker.del(name);
      await Promise.all([looker.close(), ...nodes.map((node) => node.close())]);
    },
  };
}

/** What was reserved from the cap, or its known usage. */
interface Entry {
  readonly share: Permit;
  readonly skippedSec: number;
  readonly atSec: number;
  tokens: number;
}

/** Concurrent requests through all nodes. */
async function takeAtOnce({ nodes }: Clocked, wishes: readonly PermitRequest[]) {
  return Promise.all(
    wishes.map(async (request, at) => ({
      request,
      answer: await nodes[at % nodes.length]?.takePermit(request),
    })),
  );
}

async function giveBack(clock: Clocked, entry: Entry, used: number): Promise<void> {
  const atSec = entry.share.atSec - (clock.skippedSec - entry.skippedSec);
  await clock.nodes.at(-1)?.returnPermit({ ...entry.share, atSec }, used);
  entry.tokens = used;
}

const sumIn = (entries: readonly Entry[], fromSec: number, toSec = Number.POSITIVE_INFINITY) =>
  entries
    .filter(({ atSec }) => atSec >= fromSec && atSec <= toSec)
    .reduce((sum, { tokens }) => sum + tokens, 0);

const clocked = [
  { kind: 'memory', open: clockedMemory, runs: 60 },
  { kind: 'redis', open: clockedRedis, runs: 6 },
].filter(({ kind }) => kind === 'memory' || hasRedis);

test.each(
  clocked.flatMap(({ runs, ...store }) =>
    Array.from({ length: runs }, (_, seed) => ({ ...store, seed })),
  ),
)(
  'token use per minute never exceeds the cap, with no needless refusals ($kind, $seed)',
  async ({ open, seed }) => {
    const random = randomFrom(Math.imul(seed + 1, 0x9e3779b9));
    const dice = (below: number) => Math.floor(random() * below);
    const limit = 100 + dice(5_000);
    const clock = await open(limit);
    const { cap } = clock;
    const entries: Entry[] = [];
    const running = new Set<Entry>();
    for (let step = 0; step < 40; step += 1) {
      const fromSec = await clock.nowSec();
      const wishes = Array.from({ length: 1 + dice(8) }, () => {
        const least = dice(Math.floor(limit / 4));
        return permitRequest([cap], { tokens: least, most: least + dice(Math.floor(limit / 2)) });
      });
      const results = await takeAtOnce(clock, wishes);
      const { skippedSec } = clock;
      for (const { answer: share } of results) {
        if (share === undefined || 'full' in share) continue;
        const tokens = tokensToTake(cap, share.tokens);
        const entry = { share, skippedSec, atSec: share.atSec + skippedSec, tokens };
        entries.push(entry);
        running.add(entry);
      }
      for (const { atSec } of entries)
        expect(sumIn(entries, atSec - 60, atSec)).toBeLessThanOrEqual(limit);
      for (const { request, answer } of results) {
        if (answer === undefined || !('full' in answer)) continue;
        const needed = Math.max(1, tokensToTake(cap, request.tokens));
        expect(sumIn(entries, fromSec - 60) + needed).toBeGreaterThan(limit);
        expect(answer.waitMs).toBeLessThanOrEqual(61_000);
      }
      for (const entry of [...running].filter(() => dice(3) === 0)) {
        running.delete(entry);
        await giveBack(clock, entry, dice(entry.tokens + 1));
      }
      if (dice(2) === 0) await clock.skip(dice(40));
    }
    expect(entries.length).toBeGreaterThan(20);
    await clock.close();
  },
);

describe.skipIf(!hasRedis)('permits in Redis', () => {
  test('are shared by all nodes, and expire with the node that held them', async () => {
    const nodes = [await openRedis(), await openRedis()];
    const cap = aCap('calls', 10);
    const answers = await Promise.all(
      nodes.flatMap((node) =>
        Array.from({ length: 15 }, () => node.takePermit(permitRequest([cap], { leaseMs: 300 }))),
      ),
    );
    expect(answers.filter((answer) => !('full' in answer))).toHaveLength(10);
    const [killed, other] = nodes;
    if (!killed || !other) throw new Error('no nodes');
    await killed.close();
    await eventually(
      'its places are free',
      async () => !('full' in (await other.takePermit(permitRequest([cap])))),
    );
    await other.close();
  });

  test('leave no data after their lifetime', async () => {
    const kv = await openRedis();
    const looker = createClient({ url: redisUrl() });
    await looker.connect();
    const [calls, tokens] = [aCap('calls', 1), aCap('tokens', 10)];
    await taken(kv, permitRequest([calls, tokens], { tokens: 5, leaseMs: 100 }));
    expect(await looker.ttl(nameOf(tokens))).toBeGreaterThan(55);
    expect(await looker.ttl(nameOf(tokens))).toBeLessThanOrEqual(61);
    await eventually('the places are gone', async () => (await looker.exists(nameOf(calls))) === 0);
    await Promise.all([kv.close(), looker.close()]);
  });

  test('are kept per process while Redis is away', async () => {
    const kv = await openRedis();
    const cap = aCap('calls', 2);
    const before = await taken(kv, permitRequest([cap]));
    await kv.close();
    const [one] = [await taken(kv, permitRequest([cap])), await taken(kv, permitRequest([cap]))];
    await refused(kv, permitRequest([cap]));
    if (one !== undefined) await kv.returnPermit(one, 0);
    await kv.returnPermit(before, 0);
    await kv.renewPermit(before);
    await taken(kv, permitRequest([cap]));
  });
});
