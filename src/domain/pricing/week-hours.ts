/** Whether a moment is within hours of the week in a time zone. */
import type { WeekHours } from './catalog/model-entry.ts';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MS_PER_DAY = 86_400_000;

export function isWithinHours({ zone, days, from, until }: WeekHours, atMs: number): boolean {
  const { day, time } = localTime(zone, atMs);
  const isOn = (weekday: number) => days?.includes(weekday) ?? true;
  if (from < until) return isOn(day) && time >= from && time < until;
  // After midnight the hours belong to the day on which they began.
  if (time >= from) return isOn(day);
  return time < until && isOn(localTime(zone, atMs - MS_PER_DAY).day);
}

/** `YYYY-MM-DD` and so on are compared as text, so hours have two digits. */
function localTime(zone: string, atMs: number): { readonly day: number; readonly time: string } {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const day = WEEKDAYS.indexOf(parts.get('weekday') ?? '') + 1;
  return { day, time: `${parts.get('hour')}:${parts.get('minute')}` };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(zone, format);
  return format;
}
