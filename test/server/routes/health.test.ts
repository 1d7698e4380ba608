/** Health responses for load balancers and operators. */
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { readScrape } from '../../observe/scrape.ts';
import { isRedisReachable, redisUrl } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually } from '../../support/site.ts';
import { aLineTo } from '../../support/tcp-proxy.ts';

const TOKEN = 'a-token-for-operators';
const hasRedis = await isRedisReachable();

const site = await sharedSite({ config: { metricsPort: 0, metricsToken: TOKEN } });

/** Forwarded by nginx for a remote client. */
const FROM_AFAR = { 'x-forwarded-for': '203.0.113.9' };

function ready(headers: Readonly<Record<string, string>> = {}, key = '') {
  return site.call({ path: '/health/ready?verbose', key, headers });
}

test('health shows the details with the metrics token', async () => {
  const checks = {
    database: 'ok',
    log: 'in the database',
    changes: 'ok',
    settlement: 'ok',
    redis: 'not used',
    version: site.ctx.version,
  };
  expect(JSON.parse((await ready({}, TOKEN)).text)).toEqual({ status: 'ok', checks });
  expect(JSON.parse((await ready(FROM_AFAR, TOKEN)).text)).toEqual({ status: 'ok', checks });
});

test('without it health shows only readiness, also to a loopback address', async () => {
  for (const key of ['', 'another-token', site.token.key])
    for (const headers of [{}, FROM_AFAR])
      expect(JSON.parse((await ready(headers, key)).text)).toEqual({ status: 'ok' });
  const answer = await ready(FROM_AFAR);
  expect(answer.headers['cache-control']).toBe('no-store');
});

test('concurrent health checks write to the database once', async () => {
  let reads = 0;
  site.ctx.db.on('query', ({ sql }: { sql: string }) => {
    if (sql.startsWith('update `nodes`')) reads += 1;
  });
  await pause(1_100); // a response is cached for a second
  const answers = await Promise.all(Array.from({ length: 50 }, () => ready()));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  // The heartbeat may run in between.
  expect([1, 2]).toContain(reads);
});

test('a process that no longer receives changes is not ready', async () => {
  const other = await aSite({
    config: { drainTimeoutMs: 1, clientGraceMs: 0, metricsToken: TOKEN },
  });
  const { changes } = other.ctx;
  // As after a stall: no read for a minute.
  Object.assign(changes, { ageMs: () => 60_000 });
  const answer = await other.call({ path: '/health/ready?verbose', key: TOKEN });
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
    503,
    { status: 'changes are not read', checks: { database: 'ok', changes: 'not read for 60 s' } },
  ]);
  await other.close();
});

test.skipIf(!hasRedis)('a missing Redis is reported, and calls continue', async () => {
  const line = await aLineTo(redisUrl(), 6379);
  const other = await aSite({
    config: { redisUrl: line.url, metricsPort: 0, metricsToken: TOKEN },
  });
  const redisIn = async () => {
    const answer = await other.call({ path: '/health/ready?verbose', key: TOKEN });
    expect(answer.status).toBe(200);
    return JSON.parse(answer.text).checks.redis;
  };
  const up = async () => {
    const { body } = await request(other.serving.metricsUrl ?? '', {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    return readScrape(await body.text()).value('gateway_redis_up');
  };
  expect(await redisIn()).toBe('ok');
  expect(await up()).toBe(1);
  await line.cut();
  await eventually('it is told', async () => (await redisIn()) === 'unreachable');
  expect(await up()).toBe(0);
  await line.repair();
  await eventually('it is back', async () => (await redisIn()) === 'ok');
  expect(await up()).toBe(1);
  await other.close();
  await line.cut();
});
