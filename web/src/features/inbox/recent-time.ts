import { dateText } from '../../lib/text/dates.ts';

const DAY_SEC = 86_400;

/** The time within a day, the weekday within a week, else the date; in the user's time zone. */
export function recentTime(atSec: number, nowSec: number, language: string): string {
  const age = nowSec - atSec;
  if (age >= 7 * DAY_SEC) return dateText(atSec);
  const style: Intl.DateTimeFormatOptions =
    age < DAY_SEC ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : { weekday: 'long' };
  return new Intl.DateTimeFormat(language, style).format(atSec * 1000);
}
