/** Formats amounts, times and foreign text for a terminal. */
import stringWidth from 'string-width';
import { quotaText } from '../domain/pricing/quota-text.ts';

/** Always in dollars, as the terminal has no switch for the display. */
export function amountText(units: number, quotaPerUnit: number): string {
  return quotaText(units, { currency: true, quotaPerUnit });
}

/** `2026-11-21 09:30:05` in the machine's time zone. */
export function localTime(epochSec: number): string {
  const date = new Date(epochSec * 1000);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** Removes line breaks and control characters, with which upstream text could steer a terminal. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** At most `width` columns, never splitting a grapheme. */
export function truncated(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
