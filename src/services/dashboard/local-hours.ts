/** The hours and days of a reader's time zone, which may begin within an hour of the aggregates. */
import { HOUR_SEC, hourOf } from '../../domain/logs/log-hours.ts';
import { type OffsetAt, offsetsOf } from '../../domain/time-zones.ts';

const MAX_OFFSET_MINUTES = 14 * 60;
const OFFSET_MINUTES = 15;

export function offsetsFor(input: {
  readonly time_zone?: string | undefined;
  readonly utc_offset?: number | undefined;
}): OffsetAt {
  const { time_zone: zone, utc_offset: minutes = 0 } = input;
  const offsetAt = zone ? offsetsOf(zone) : undefined;
  if (offsetAt !== undefined) return offsetAt;
  const known = Math.min(Math.max(minutes, -MAX_OFFSET_MINUTES), MAX_OFFSET_MINUTES);
  const fixedSec = Math.round(known / OFFSET_MINUTES) * OFFSET_MINUTES * 60;
  return () => fixedSec;
}

/** Epoch seconds; the end is excluded. */
export interface HourSpan {
  readonly fromSec: number;
  readonly toSec: number;
}

/** The hours (UTC) that lie entirely in the span: their aggregates count as a whole. */
export function wholeHours({ fromSec, toSec }: HourSpan): HourSpan {
  return { fromSec: hourOf(fromSec + HOUR_SEC - 1), toSec: hourOf(toSec) };
}

/** The beginning of a span: an hour that was not split belongs to it as a whole. */
export function readableStart(fromSec: number, split: ReadonlySet<number>): number {
  return split.has(hourOf(fromSec)) ? fromSec : hourOf(fromSec);
}

/** The end of a span, likewise. */
export function readableEnd(toSec: number, split: ReadonlySet<number>): number {
  return split.has(hourOf(toSec)) ? toSec : hourOf(toSec + HOUR_SEC - 1);
}
