/** Three nodes on one PostgreSQL and one Redis, restarted one after the other under load. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localApi } from '../../../src/handlers.ts';
import { databases, isRedisReachable, redisUrl } from '../../support/databases.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { createServers, type Served, type Servers, send, steadyLoad } from './servers.ts';

const NODES = 3;
/** Many times the interval of the balancer's checks, which are late on a busy machine. */
const LEAD_SEC = '3';
const hasRedis = await isRedisReachable();
const hasPostgres = databases.some(({ kind }) => kind === 'postgres');

describe.skipIf(!hasRedis || !hasPostgres)('three nodes', () => {
  let servers: Servers;
  let balancer: Balancer;
  const nodes: Served[] = [];
  beforeAll(async () => {
    servers = await createServers('postgres');
    balancer = await startBalancer();
    nodes.push(...(await Promise.all(Array.from({ length: NODES }, start))));
    await eventually('all are ready', () => balancer.ready() === NODES);
  });
  afterAll(async () => {
    await balancer?.close();
    await servers?.close();
  });

  async function start(): Promise<Served> {
    const env = { GATEWAY_REDIS: redisUrl(), GATEWAY_DRAIN_LEAD: LEAD_SEC };
    const node = await servers.serve([], env);
    balancer.add(node.url);
    return node;
  }

  test('enforce one rate limit of a token together', async () => {
    const limit = { rate_limit_enabled: true, rate_limit_count: 5, rate_limit_success: 0 };
    const { key } = await servers.addToken(limit);
    const statuses = await Promise.all(
      Array.from({ length: 15 }, async () => {
        const { statusCode, body } = await send(balancer.url, key);
        await body.dump();
        return statusCode;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('all see configuration changes', async () => {
    const { id, key } = await servers.addToken();
    const statusAt = async ({ url }: Served) => {
      const { statusCode, body } = await send(url, key);
      await body.dump();
      return statusCode;
    };
    expect(await Promise.all(nodes.map(statusAt))).toEqual([200, 200, 200]);
    await servers.inSite((ctx) => localApi(ctx, OPERATOR).token.setStatus({ id, status: 2 }));
    await eventually('every node refuses it', async () =>
      (await Promise.all(nodes.map(statusAt))).every((status) => status === 401),
    );
  });

  test('restart one after the other under load without a failed call', async () => {
    const before = await servers.charges();
    const load = steadyLoad(balancer.url, servers.key);
    for (const node of nodes.splice(0)) {
      expect(await node.end()).toBe(0);
      nodes.push(await start());
      await eventually('it is ready', () => balancer.ready() === NODES);
    }
    const { answered, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(50);
    await Promise.all(nodes.map((node) => node.end()));
    expect((await servers.charges()) - before).toBe(answered);
    await servers.expectLedgerAgrees();
    expect(await servers.inSite((ctx) => ctx.reads('nodes').pluck('id'))).toEqual([]);
  });
});
