/** Checks that the limit counting of the chaos run finds violations and nothing else. */
import { describe, expect, test, vi } from 'vitest';
import { loggerTo } from '../../../../src/log.ts';
import { createRedisOutages } from '../../../../src/store/kv/redis-outages.ts';
import type { ClientCall } from '../load.ts';
import { LOG_LEVEL } from '../site/cluster.ts';
import { aloneIn, cappedGroups, countersIn, ratedGroups } from './limits.ts';

const call = (sentAtMs: number, tookMs: number, running?: ClientCall['running']): ClientCall => ({
  of: 'rated',
  marker: 'marker-1',
  model: 'whole',
  units: 1,
  seen: 'answered',
  how: '200',
  sentAtMs,
  tookMs,
  ...(running !== undefined && { running }),
});
const most = (groups: readonly { calls: number }[]) =>
  Math.max(...groups.map(({ calls }) => calls));

describe('rate window groups', () => {
  test('includes calls sent and answered within the window', () => {
    expect(most(ratedGroups([call(0, 50), call(900, 50), call(1_900, 50)]))).toBe(3);
  });
  test('excludes calls that may have been admitted after the window', () => {
    expect(most(ratedGroups([call(0, 50), call(1_900, 150), call(2_000, 50)]))).toBe(2);
  });
});

describe('concurrency groups', () => {
  test('counts calls that ran at the same moment', () => {
    const spans = [
      { fromMs: 0, toMs: 500 },
      { fromMs: 200, toMs: 900 },
      { fromMs: 500, toMs: 900 },
    ];
    expect(most(cappedGroups(spans.map((span) => call(span.fromMs, 1_000, span))))).toBe(2);
  });
  test('ignores calls that received no output', () => {
    expect(cappedGroups([call(0, 1_000)])).toEqual([]);
  });
});

describe('periods in which a node runs without Redis', () => {
  const line = (time: number, msg: string) =>
    JSON.stringify({ level: 40, time, reason: 'connect ECONNREFUSED', msg });

  test('end when the node logs that Redis is back or when it restarts', () => {
    const lines = [
      line(1_000, 'Redis does not answer'),
      line(2_000, 'something else'),
      line(3_000, 'Redis answers again'),
      'no line of the log',
      line(4_000, 'Redis does not answer'),
      line(6_000, 'Redis does not answer'),
    ];
    const alone = (aheadMs: number, startsAtMs: number[]) =>
      aloneIn('node1', lines, { startsAtMs, aheadMs });
    expect(alone(0, [500, 5_000])).toEqual([
      { node: 'node1', fromMs: 1_000, toMs: 3_000 },
      { node: 'node1', fromMs: 4_000, toMs: 5_000 },
      { node: 'node1', fromMs: 6_000, toMs: Number.POSITIVE_INFINITY },
    ]);
    expect(alone(1_000, [4_000])[1]).toEqual({ node: 'node1', fromMs: 3_000, toMs: 4_000 });
  });

  test('are detected in the log lines that a node writes', () => {
    vi.useFakeTimers({ now: 10_000 });
    try {
      const lines: string[] = [];
      const log = loggerTo(LOG_LEVEL, { write: (text) => void lines.push(text) });
      const news = createRedisOutages(log, 'limits are counted per process');
      const redis = {};
      news.connectionLost(redis, new Error('closed'));
      vi.advanceTimersByTime(5_000);
      news.connectionRestored(redis);
      vi.advanceTimersByTime(5_000);
      const [alone, ...more] = aloneIn('node1', lines, { startsAtMs: [], aheadMs: 0 });
      expect(more).toEqual([]);
      expect(alone).toMatchObject({ node: 'node1', fromMs: 10_000 });
      expect(alone?.toMs).toBeLessThanOrEqual(20_000);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('number of admitting counters', () => {
  const group = { fromMs: 10_000, toMs: 12_000, calls: 9 };
  const none = { alone: [], emptyRedisAtMs: [], nodeStartsAtMs: [] };
  test('is one while Redis is available, even after a node start', () => {
    expect(countersIn(group, { ...none, nodeStartsAtMs: [11_000] })).toBe(1);
  });
  test('grows by one for each node without Redis and each loss of Redis data', () => {
    const alone = [
      { node: 'node1', fromMs: 10_500, toMs: 10_900 },
      { node: 'node1', fromMs: 11_000, toMs: 30_000 },
      { node: 'node2', fromMs: 5_000, toMs: 11_500 },
      { node: 'node3', fromMs: 20_000, toMs: Number.POSITIVE_INFINITY },
    ];
    expect(countersIn(group, { ...none, alone, emptyRedisAtMs: [11_000] })).toBe(4);
  });
});
