/** Days of a time zone (IANA), whose distance from UTC changes with summer time. */

const DAY_SEC = 86_400;
const HOUR_SEC = 3600;

/** Where local time is ahead of UTC, in seconds, at a moment in epoch seconds. */
export type OffsetAt = (sec: number) => number;

/** Undefined for a name that is no time zone. */
export function offsetsOf(timeZone: string): OffsetAt | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  return (sec) => {
    const name = format
      .formatToParts(sec * 1000)
      .find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? [];
    const seconds = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60;
    return sign === '-' ? -seconds : seconds;
  };
}

/** The beginning of the local hour, which may lie within an hour of UTC. */
export function localHourStart(sec: number, offsetAt: OffsetAt): number {
  const local = sec + offsetAt(sec);
  return sec - (((local % HOUR_SEC) + HOUR_SEC) % HOUR_SEC);
}

/** The beginning of the local day, `days` before the day that contains `sec`. */
export function localDayStart(sec: number, offsetAt: OffsetAt, days = 0): number {
  return startOfLocalDay(localDay(sec, offsetAt) - days, offsetAt);
}

/** The beginning of a local day by its number since 1970-01-01. */
export function startOfLocalDay(day: number, offsetAt: OffsetAt): number {
  // In UTC the zone's midnight is less than a day away, so these are the offsets before and after it.
  const starts = [-DAY_SEC, DAY_SEC].map((away) => day * DAY_SEC - offsetAt(day * DAY_SEC + away));
  // A clock that is set at midnight skips that moment, or has it twice.
  return Math.min(...starts.filter((start) => localDay(start, offsetAt) >= day));
}

/** The number of the local day since 1970-01-01, a Thursday. */
export function localDay(sec: number, offsetAt: OffsetAt): number {
  return Math.floor((sec + offsetAt(sec)) / DAY_SEC);
}

/** '' counts as none given. */
export function isTimeZone(name: string): boolean {
  return name === '' || offsetsOf(name) !== undefined;
}
