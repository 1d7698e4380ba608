/**
 * Counts durations in exponentially growing buckets, so that percentiles of any period can be
 * computed by adding up counts: eight buckets per doubling, each 9 % wider than the one before.
 */

/** The count of each number (a duration bucket or a status code); zero counts are absent. */
export type ValueCounts = Map<number, number>;

export const BUCKETS_A_DOUBLING = 8;

/** The bucket of a duration in milliseconds; durations below one millisecond share the first. */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.floor(Math.log2(ms) * BUCKETS_A_DOUBLING) + 1;
}

function lowerEnd(bucket: number): number {
  return bucket === 0 ? 0 : 2 ** ((bucket - 1) / BUCKETS_A_DOUBLING);
}

/**
 * The duration in whole milliseconds that the share `q` (0 to 1) of the counted durations does not
 * exceed, accurate to one bucket width; null if there are none.
 */
export function quantileOf(counts: ValueCounts, q: number): number | null {
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const rank = Math.max(1, Math.ceil(q * totalOf(counts)));
  let before = 0;
  for (const [bucket, count] of buckets) {
    if (before + count >= rank) {
      const lower = lowerEnd(bucket);
      return Math.round(lower + ((lowerEnd(bucket + 1) - lower) * (rank - before)) / count);
    }
    before += count;
  }
  return null;
}

function totalOf(counts: ValueCounts): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

export function addCount(counts: ValueCounts, value: number, count = 1): void {
  counts.set(value, (counts.get(value) ?? 0) + count);
}

export function addCounts(counts: ValueCounts, more: ValueCounts): void {
  for (const [value, count] of more) addCount(counts, value, count);
}

/** Comma-separated `value:count` pairs, as stored in the column. */
export function countsText(counts: ValueCounts): string {
  return [...counts].map(([value, count]) => `${value}:${count}`).join(',');
}

export function readCounts(text: string): ValueCounts {
  const counts: ValueCounts = new Map();
  if (text === '') return counts;
  for (const pair of text.split(',')) {
    const [value, count] = pair.split(':');
    addCount(counts, Number(value), Number(count));
  }
  return counts;
}
