/** Checks that the audit of the chaos run detects every kind of wrong charge. */
import { expect, test } from 'vitest';
import type { ClientCall, Seen } from '../load.ts';
import { type Charge, judge } from './audit.ts';

const call = (seen: Seen, tookMs = 100): ClientCall => ({
  of: 'people',
  marker: 'marker-1',
  model: 'streamed',
  units: 36,
  seen,
  how: '',
  sentAtMs: 0,
  tookMs,
});
const reported: Charge = { units: 36, isEstimated: false };
const counted: Charge = { units: 48, isEstimated: true };

test.each<[Seen, number, readonly Charge[], ReturnType<typeof judge>]>([
  ['answered', 100, [reported], 'right'],
  ['answered', 100, [], 'lost'],
  ['answered', 100, [reported, reported], 'doubled'],
  ['answered', 100, [{ ...reported, units: 35 }], 'wrong'],
  ['answered', 100, [counted], 'wrong'],
  ['answered', 10_500, [counted], 'right'],
  ['refused', 100, [], 'right'],
  ['refused', 100, [reported], 'unjust'],
  ['broken', 100, [], 'right'],
  ['broken', 100, [{ units: 12, isEstimated: true }], 'right'],
  ['left', 100, [{ units: 500, isEstimated: true }], 'wrong'],
  ['left', 100, [reported, counted], 'doubled'],
])(
  'a call seen as %s after %i ms with charges %j is judged %s',
  (seen, tookMs, charged, verdict) => {
    expect(judge(call(seen, tookMs), charged)).toBe(verdict);
  },
);
