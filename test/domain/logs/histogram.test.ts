import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  addCount,
  addCounts,
  bucketOf,
  countsText,
  quantileOf,
  readCounts,
  type ValueCounts,
} from '../../../src/domain/logs/histogram.ts';

function counted(values: readonly number[]): ValueCounts {
  const counts: ValueCounts = new Map();
  for (const value of values) addCount(counts, bucketOf(value));
  return counts;
}

const durations = fc.array(fc.integer({ min: 1, max: 3_600_000 }), {
  minLength: 1,
  maxLength: 200,
});

it('a percentile is accurate to the width of a bucket', () => {
  void fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99, 1), (values, q) => {
      const sorted = [...values].sort((a, b) => a - b);
      const exact = sorted[Math.ceil(q * sorted.length) - 1] ?? 0;
      const found = quantileOf(counted(values), q) ?? -1;
      expect(found).toBeGreaterThanOrEqual(Math.floor(exact / 1.1) - 1);
      expect(found).toBeLessThanOrEqual(Math.ceil(exact * 1.1) + 1);
    }),
  );
});

it('merged histograms equal a single one', () => {
  void fc.assert(
    fc.property(durations, durations, (some, others) => {
      const sum = counted(some);
      addCounts(sum, counted(others));
      const whole = counted([...some, ...others]);
      expect(quantileOf(sum, 0.95)).toBe(quantileOf(whole, 0.95));
    }),
  );
});

it('a histogram survives being stored as text', () => {
  const counts: ValueCounts = new Map([
    [0, 3],
    [97, 1],
  ]);
  expect(countsText(counts)).toBe('0:3,97:1');
  expect(readCounts('0:3,97:1')).toEqual(counts);
  expect(readCounts('')).toEqual(new Map());
});

it('an empty histogram has no percentile, and times under a millisecond share one bucket', () => {
  expect(quantileOf(new Map(), 0.5)).toBeNull();
  expect(bucketOf(0)).toBe(0);
  expect(quantileOf(counted([0]), 0.5)).toBeLessThanOrEqual(1);
});
