/** The one place that turns wire times (epoch seconds) into text, in the reader's own zone. */

/** `2026-11-21 07:56:12`, the same in every language. */
export function dateTimeText(epochSec: number): string {
  const date = new Date(epochSec * 1000);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits);
  return `${day.join('-')} ${time.join(':')}`;
}

/** The reader's zone, e.g. `Asia/Shanghai`, for tooltips. */
export function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}
