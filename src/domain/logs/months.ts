/** UTC days and months in epoch seconds. */
export const DAY_SEC = 86_400;

/** The first second of the day. */
export function dayOf(atSec: number): number {
  return atSec - (((atSec % DAY_SEC) + DAY_SEC) % DAY_SEC);
}

/** The first second of the month. */
export function monthOf(atSec: number): number {
  return monthsAfter(atSec, 0);
}

/** The first second of the month that is `months` after that of `atSec`. */
export function monthsAfter(atSec: number, months: number): number {
  const at = new Date(atSec * 1000);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months) / 1000;
}

/** `2026-11-21`. */
export function dayText(atSec: number): string {
  return new Date(atSec * 1000).toISOString().slice(0, 10);
}
