/** `gateway serve --workers`: several processes that act as one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readScrape } from '../../observe/scrape.ts';
import { databases } from '../../support/databases.ts';
import { eventually } from '../../support/site.ts';
import { createServers, MODEL, type Served, type Servers, send, steadyLoad } from './servers.ts';

const WORKERS = 2;
/** Each starts a process, which takes a busy machine long. */
const REPLACED_WITHIN_MS = 100_000;
const METRICS_TOKEN = 'a-token-for-scrapers';

describe.each(databases.filter(({ kind }) => kind !== 'mysql'))(
  'two workers on $kind',
  ({ kind }) => {
    let servers: Servers;
    let served: Served;
    beforeAll(async () => {
      servers = await createServers(kind);
      served = await servers.serve(['--workers', String(WORKERS)], {
        GATEWAY_METRICS_TOKEN: METRICS_TOKEN,
      });
    });
    afterAll(() => servers.close());

    const pids = () => servers.inSite((ctx) => ctx.db('nodes').pluck('pid'));
    /** On separate connections, which are distributed to the workers in turn. */
    const askOften = (key: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, async () => {
          const answer = await fetch(`${served.url}/v1/chat/completions`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${key}`,
              'content-type': 'application/json',
              connection: 'close',
            },
            body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }),
          });
          await answer.text();
          return answer.status;
        }),
      );

    test('are two processes on one port, each a node with its own name in the log', async () => {
      expect(served.printed()).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+ with 2 workers/);
      expect(served.printed()).toMatch(/"worker":1,.*"msg":"serving"/);
      expect(served.printed()).toMatch(/"worker":2,.*"msg":"serving"/);
      const serving = await pids();
      expect(new Set(serving).size).toBe(WORKERS);
      expect(serving).not.toContain(served.pid);
    });

    test("share a token's rate limit without Redis", async () => {
      const limit = { rate_limit_enabled: true, rate_limit_count: 6, rate_limit_success: 0 };
      const { key } = await servers.addToken(limit);
      const statuses = await askOften(key, 20);
      expect(statuses.filter((status) => status === 200)).toHaveLength(6);
      expect(statuses.filter((status) => status === 429)).toHaveLength(14);
    });

    test('commit through their parent on SQLite, and themselves elsewhere', async () => {
      expect(await askOften(servers.key, 4)).toEqual([200, 200, 200, 200]);
      const isCommitting = served.printed().includes('"msg":"committing for the workers"');
      expect(isCommitting).toBe(kind === 'sqlite');
    });

    test('return the metrics of all in one scrape of any worker', async () => {
      const counts = async () => {
        const headers = { authorization: `Bearer ${METRICS_TOKEN}`, connection: 'close' };
        const answer = await fetch(`${served.url}/metrics`, { headers });
        const scrape = readScrape(await answer.text());
        return {
          answered: scrape.sum('gateway_calls_total', { outcome: 'answered' }),
          committed: scrape.sum('gateway_commit_operations_sum'),
        };
      };
      // Each call has a hold and a settlement, which is counted after the answer.
      const settled = (answered?: number) =>
        eventually('all calls are counted as settled', async () => {
          const now = await counts();
          const isAll = answered === undefined || now.answered === answered;
          return isAll && now.committed === 2 * now.answered && now;
        });
      const before = await settled();
      expect(await askOften(servers.key, 10)).not.toContain(500);
      for (let scrape = 0; scrape < 4; scrape += 1) await settled(before.answered + 10);
    });

    test('are replaced on SIGHUP one after the other, without a failed call', async () => {
      const before = await pids();
      const load = steadyLoad(served.url, servers.key);
      served.signal('SIGHUP');
      await eventually(
        'both are replaced and the old ones are gone',
        async () => {
          const now = await pids();
          return now.length === WORKERS && now.every((pid) => !before.includes(pid));
        },
        REPLACED_WITHIN_MS,
      );
      const { answered, failures } = await load.stop();
      expect(failures).toEqual([]);
      expect(answered).toBeGreaterThan(20);
    });

    test('are replaced when killed, and their holds are released', async () => {
      servers.upstream.script('hang-stream:2');
      const cut = await send(served.url, servers.key, { stream: true });
      const [victim] = await servers.inSite((ctx) =>
        ctx.db('nodes').join('holds', 'holds.node', 'nodes.id').pluck('pid'),
      );
      process.kill(Number(victim), 'SIGKILL');
      await expect(cut.body.text()).rejects.toThrow();
      await eventually(
        'a new one serves',
        async () => {
          const now = await pids();
          return now.length === WORKERS && !now.includes(victim);
        },
        REPLACED_WITHIN_MS,
      );
      expect(served.printed()).toContain('"msg":"a worker died and is replaced"');
      servers.upstream.reset();
      expect(await askOften(servers.key, 4)).toEqual([200, 200, 200, 200]);
    });

    test('share the circuit breaker of a channel', async () => {
      servers.upstream.setDefault('status:500');
      const before = servers.upstream.stats.calls;
      const startedAtMs = Date.now();
      for (let call = 0; call < 12; call += 1) await askOften(servers.key, 1);
      // Separately they would call it ten times. One more may be running when the news arrives, and
      // the only channel of a model is probed once a second.
      const probes = Math.floor((Date.now() - startedAtMs) / 1000);
      expect(servers.upstream.stats.calls - before).toBeLessThan(8 + probes);
    });

    test('end together on SIGTERM with a settled ledger', async () => {
      expect(await served.end()).toBe(0);
      expect(await pids()).toEqual([]);
      await servers.expectLedgerAgrees();
    });
  },
);
