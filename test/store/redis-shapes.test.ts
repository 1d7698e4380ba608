/** A real Redis Cluster and real Sentinels: limits work as on one Redis, and survive a failover. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors/errors.ts';
import { createLogger } from '../../src/log.ts';
import type { Cap, Kv } from '../../src/store/kv/kv.ts';
import { connectRedisKv } from '../../src/store/kv/redis.ts';
import { hasRedisServer, type RedisServer, redisServers } from '../support/redis-servers.ts';
import { eventually } from '../support/site.ts';

const log = createLogger('silent');
const hasServer = hasRedisServer();
const FAILOVER_MS = 40_000;

/** Waits for the servers. Each question to one of them starts a program. */
const eventuallyAgreed = (what: string, probe: () => Promise<boolean> | boolean) =>
  eventually(what, probe, FAILOVER_MS, 250);

const open = (url: string) => connectRedisKv({ url, site: 'test', now: Date.now, log });

async function isShared(one: Kv, other: Kv): Promise<boolean> {
  const window = { key: `test:${randomUUID()}`, limit: 1, windowMs: 60_000 };
  await one.take(window);
  return (await other.peek(window)) > 0;
}

/** One of every kind that a call can have. */
async function sharesOfManyOwners(kv: Kv): Promise<string[]> {
  const froms: string[] = [];
  for (let time = 0; time < 20; time += 1) {
    const caps = ['token', 'user', 'group'].flatMap((owner) =>
      (['calls', 'tokens'] as const).map(
        (of): Cap => ({ key: `cap:${of}:${owner}:${randomUUID()}`, of, limit: 9 }),
      ),
    );
    const request = { id: randomUUID(), caps, tokens: { least: 1, most: 3 }, leaseMs: 60_000 };
    const share = await kv.takePermit(request);
    if ('full' in share) throw new Error(`no room in ${share.full.key}`);
    await kv.renewPermit(share);
    await kv.returnPermit(share, 2);
    froms.push(share.grantedBy);
  }
  return froms;
}

function roleOf(server: RedisServer): string {
  try {
    return server.command('-a', 'secret', 'role');
  } catch {
    return '';
  }
}

/** On a busy machine the first attempt may take too long. */
async function problemOf(url: string): Promise<unknown> {
  return eventually(`${url} is refused`, async () => {
    try {
      await (await open(url)).close();
      return undefined;
    } catch (error) {
      return error instanceof AppError ? [error.code, error.params.problem] : error;
    }
  });
}

describe.skipIf(!hasServer)('a Redis Cluster of three masters', () => {
  const servers = redisServers();
  const nodes: RedisServer[] = [];
  const urlOf = (some: readonly RedisServer[]) =>
    `redis+cluster://${some.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  beforeAll(async () => {
    for (let number = 0; number < 6; number += 1)
      nodes.push(
        await servers.start(
          ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
          ...['--cluster-config-file', `nodes-${number}.conf`],
          ...['--repl-diskless-sync-delay', '0'],
        ),
      );
    const places = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const create = ['--cluster', 'create', ...places, '--cluster-replicas', '1', '--cluster-yes'];
    execFileSync('redis-cli', create, { stdio: 'ignore' });
    await eventuallyAgreed(
      'all nodes know the cluster',
      async () =>
        nodes.every((node) => node.command('cluster', 'info').includes('cluster_state:ok')) &&
        nodes.every((node) => node.command('cluster', 'nodes').split('slave').length === 4),
    );
    // A replica that never received its master's data cannot replace it.
    await eventuallyAgreed('the replicas have their data', () =>
      nodes.every((node) => !node.command('info', 'replication').includes('link_status:down')),
    );
  }, 120_000);
  afterAll(() => servers.stop());

  test('stores permits of several owners, windows, texts and messages', async () => {
    const [kv, other] = [await open(urlOf(nodes)), await open(urlOf(nodes.slice(0, 1)))];
    expect(kv.redis?.topology).toBe('cluster');
    await eventually('both are up', () => kv.isUp() && other.isUp());
    expect(new Set(await sharesOfManyOwners(kv))).toEqual(new Set(['redis']));
    for (let time = 0; time < 20; time += 1) expect(await isShared(kv, other)).toBe(true);
    const keys = Array.from({ length: 20 }, () => randomUUID());
    for (const key of keys) await kv.put(key, `text of ${key}`, 60_000);
    expect(await other.read(keys)).toEqual(keys.map((key) => `text of ${key}`));
    const messages: string[] = [];
    await kv.subscribe('topic', (text) => messages.push(text));
    await other.publish('topic', 'hello');
    await eventually('it is heard', () => messages.includes('hello'));
    expect([kv.redis?.timeouts(), other.redis?.timeouts()]).toEqual([0, 0]);
    await Promise.all([kv.close(), other.close()]);
  });

  test('works again after a replica takes over from a lost master', async () => {
    const [kv, other] = [await open(urlOf(nodes)), await open(urlOf(nodes))];
    const victim = nodes.find((node) => node.command('role').startsWith('master'));
    victim?.signal('SIGKILL');
    await eventually('nobody waits', async () => (await sharesOfManyOwners(kv)).length === 20);
    await eventuallyAgreed('all is shared again', async () => {
      if (!kv.isUp() || !other.isUp()) return false;
      const froms = [...(await sharesOfManyOwners(kv)), ...(await sharesOfManyOwners(other))];
      if (froms.includes('memory')) return false;
      for (let time = 0; time < 20; time += 1) if (!(await isShared(kv, other))) return false;
      return true;
    });
    await Promise.all([kv.close(), other.close()]);
  }, 90_000);

  test('is distinguished from a single server, and a single server from it', async () => {
    const [, , node] = nodes;
    expect(await problemOf(`redis://127.0.0.1:${node?.port}`)).toEqual([
      'config_invalid',
      expect.stringContaining('is a node of a Redis Cluster, whose address is redis+cluster://'),
    ]);
    const single = await servers.start();
    expect(await problemOf(urlOf([single]))).toEqual([
      'config_invalid',
      expect.stringContaining('is a single Redis, whose address is redis://'),
    ]);
    expect(await problemOf(`redis+sentinel://127.0.0.1:${single.port}/main`)).toEqual([
      'config_invalid',
      expect.stringContaining('is a single Redis, whose address is redis://'),
    ]);
  });
});

describe.skipIf(!hasServer)('a master that Sentinels watch', () => {
  const servers = redisServers();
  const sentinels: RedisServer[] = [];
  let master: RedisServer;
  let url: string;
  beforeAll(async () => {
    master = await servers.start('--requirepass', 'secret', '--masterauth', 'secret');
    const replicaOf = ['--replicaof', '127.0.0.1', String(master.port)];
    await servers.start(...replicaOf, '--requirepass', 'secret', '--masterauth', 'secret');
    for (let number = 0; number < 3; number += 1)
      sentinels.push(
        await servers.startSentinel(
          [
            `sentinel monitor main 127.0.0.1 ${master.port} 2`,
            'sentinel auth-pass main secret',
            'sentinel down-after-milliseconds main 1500',
            'sentinel failover-timeout main 5000',
          ].join('\n'),
        ),
      );
    await eventuallyAgreed('the Sentinels know each other and the replica', async () =>
      sentinels.every(
        (one) =>
          one.command('sentinel', 'sentinels', 'main').split('runid').length === 3 &&
          one.command('sentinel', 'replicas', 'main').includes('master-link-status\nok'),
      ),
    );
    const places = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    url = `redis+sentinel://:secret@${places}/main/1`;
  }, 60_000);
  afterAll(() => servers.stop());

  test('is found, as is its successor, after a freeze or a kill', async () => {
    const [kv, other] = [await open(url), await open(url)];
    expect(kv.redis?.topology).toBe('sentinel');
    await eventually('both are up', () => kv.isUp() && other.isUp());
    expect(new Set(await sharesOfManyOwners(kv))).toEqual(new Set(['redis']));
    expect(await isShared(kv, other)).toBe(true);
    const messages: string[] = [];
    await kv.subscribe('topic', (text) => messages.push(text));

    master.signal('SIGSTOP');
    expect((await sharesOfManyOwners(kv)).at(-1)).toBe('memory');
    const isBack = async () => kv.isUp() && other.isUp() && (await isShared(kv, other));
    await eventuallyAgreed('the replica has taken over', isBack);
    await eventually('messages are heard', async () => {
      await other.publish('topic', 'hello');
      return messages.includes('hello');
    });
    // The old one resumes as a master and becomes a replica: no client may return to it.
    master.signal('SIGCONT');
    await eventuallyAgreed(
      'it is a replica',
      // While it resumes it may not respond.
      () => roleOf(master).startsWith('slave'),
    );
    expect(await isShared(kv, other)).toBe(true);
    await Promise.all([kv.close(), other.close()]);
  }, 90_000);

  test('requires a name that the Sentinels know', async () => {
    expect(await problemOf(url.replace('/main', '/other'))).toEqual([
      'config_invalid',
      expect.stringContaining('does not know "other"'),
    ]);
    const [sentinel] = sentinels;
    expect(await problemOf(`redis://127.0.0.1:${sentinel?.port}`)).toEqual([
      'config_invalid',
      expect.stringContaining('is a Sentinel, whose address is redis+sentinel://'),
    ]);
  });
});
