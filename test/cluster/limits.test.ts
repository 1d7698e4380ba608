/** The counting of the chaos run has to find what it looks for, and nothing else. */
import { describe, expect, test } from 'vitest';
import { aloneIn, cappedGroups, countersIn, ratedGroups } from './limits.ts';
import type { ClientCall } from './load.ts';

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

describe('calls within a window', () => {
  test('are those that were sent and answered in it', () => {
    expect(most(ratedGroups([call(0, 50), call(900, 50), call(1_900, 50)]))).toBe(3);
  });
  test('are not those that may have been let through after it', () => {
    expect(most(ratedGroups([call(0, 50), call(1_900, 150), call(2_000, 50)]))).toBe(2);
  });
});

describe('calls at the same time', () => {
  test('are those that ran at one moment', () => {
    const spans = [
      { fromMs: 0, toMs: 500 },
      { fromMs: 200, toMs: 900 },
      { fromMs: 500, toMs: 900 },
    ];
    expect(most(cappedGroups(spans.map((span) => call(span.fromMs, 1_000, span))))).toBe(2);
  });
  test('are none of which no piece came', () => {
    expect(cappedGroups([call(0, 1_000)])).toEqual([]);
  });
});

test('a node is alone until it says that Redis is back, or until it ends', () => {
  const line = (pid: number, time: number, msg: string) =>
    JSON.stringify({ level: 40, time, pid, msg });
  const lines = [
    line(1, 1_000, 'redis is away'),
    line(1, 2_000, 'something else'),
    line(1, 3_000, 'redis is back'),
    'no line of the log',
    line(1, 4_000, 'redis is away'),
    line(2, 5_000, 'serving'),
    line(2, 6_000, 'redis is away'),
  ];
  expect(aloneIn('node1', lines)).toEqual([
    { node: 'node1', fromMs: 1_000, toMs: 3_000 },
    { node: 'node1', fromMs: 4_000, toMs: 5_000 },
    { node: 'node1', fromMs: 6_000, toMs: Number.POSITIVE_INFINITY },
  ]);
  expect(aloneIn('node1', lines.slice(0, 3), 1_000)).toEqual([
    { node: 'node1', fromMs: 0, toMs: 2_000 },
  ]);
});

describe('counters that let calls through', () => {
  const group = { fromMs: 10_000, toMs: 12_000, calls: 9 };
  const none = { alone: [], emptyRedisAtMs: [], nodeStartsAtMs: [] };
  test('are Redis alone in good times, whichever node has just started', () => {
    expect(countersIn(group, { ...none, nodeStartsAtMs: [11_000] })).toBe(1);
  });
  test('are one more for each node without Redis, and for each loss of its data', () => {
    const alone = [
      { node: 'node1', fromMs: 10_500, toMs: 10_900 },
      { node: 'node1', fromMs: 11_000, toMs: 30_000 },
      { node: 'node2', fromMs: 5_000, toMs: 11_500 },
      { node: 'node3', fromMs: 20_000, toMs: Number.POSITIVE_INFINITY },
    ];
    expect(countersIn(group, { ...none, alone, emptyRedisAtMs: [11_000] })).toBe(4);
  });
});
