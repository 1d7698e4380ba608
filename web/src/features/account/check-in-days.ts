/** Check-in days in the user's time zone. */
import { dateText } from '../../lib/text/dates.ts';

/** The date of each time, as `2026-11-21`. */
export function checkedDays(timesSec: readonly number[]): ReadonlySet<string> {
  return new Set(timesSec.map(dateText));
}

/** Consecutive days up to today; a missing check-in today does not break the streak yet. */
export function countStreak(days: ReadonlySet<string>, now: Date): number {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (!days.has(dayText(day))) day.setDate(day.getDate() - 1);
  let streak = 0;
  while (days.has(dayText(day))) {
    streak += 1;
    day.setDate(day.getDate() - 1);
  }
  return streak;
}

/** The weeks of a month, from Monday; null is a day of an adjacent month. */
export function weeksOf(now: Date): readonly (readonly (number | null)[])[] {
  const first = new Date(now.getFullYear(), now.getMonth(), 1);
  const lead = (first.getDay() + 6) % 7;
  const length = new Date(now.getFullYear(), now.getMonth() + 1, 0).getDate();
  const cells: (number | null)[] = [
    ...Array.from({ length: lead }, () => null),
    ...Array.from({ length }, (_, index) => index + 1),
  ];
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** The date of a day of this month, in the format of `checkedDays`. */
export function dayOfMonth(now: Date, day: number): string {
  return dayText(new Date(now.getFullYear(), now.getMonth(), day));
}

function dayText(day: Date): string {
  return dateText(day.getTime() / 1000);
}
