/** The week that a digest covers: from Monday to Sunday in the time zone of its reader. */
import { HOUR_SEC } from './logs/log-hours.ts';
import { localDay, type OffsetAt, startOfLocalDay } from './time-zones.ts';

/** Epoch seconds. */
export interface DigestWeek {
  /** The beginning of the week before, for comparison. */
  readonly beforeSec: number;
  readonly fromSec: number;
  /** Excluded. */
  readonly toSec: number;
  /** ISO dates of Monday and Sunday. */
  readonly firstDay: string;
  readonly lastDay: string;
}

const WEEK_DAYS = 7;
/** Of the number of a day since 1970-01-01, a Thursday, modulo 7. */
const MONDAY = 4;
/** A digest is sent from this hour on. */
const MORNING_HOUR = 8;

/** The week that ended last; undefined except on Monday from the morning on. */
export function digestWeekAt(sec: number, offsetAt: OffsetAt): DigestWeek | undefined {
  const today = localDay(sec, offsetAt);
  const toSec = startOfLocalDay(today, offsetAt);
  if (today % WEEK_DAYS !== MONDAY || sec < toSec + MORNING_HOUR * HOUR_SEC) return undefined;
  return {
    beforeSec: startOfLocalDay(today - 2 * WEEK_DAYS, offsetAt),
    fromSec: startOfLocalDay(today - WEEK_DAYS, offsetAt),
    toSec,
    firstDay: isoDate(today - WEEK_DAYS),
    lastDay: isoDate(today - 1),
  };
}

function isoDate(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
