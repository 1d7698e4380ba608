/** Calendar days in a given time zone. */

/** The day at `atMs` (epoch milliseconds) in an IANA time zone, e.g. `2026-11-21`. */
export function calendarDay(timeZone: string, atMs: number): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}
