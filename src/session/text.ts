/** Amounts, times and text of others as a terminal shows them. */
import stringWidth from 'string-width';
import { quotaText } from '../domain/pricing/quota-text.ts';

/** `$0.00` would hide a small cost, so below a cent the fine form is used. */
export function amountText(units: number, quotaPerUnit: number): string {
  const isSmall = Math.abs(units) * 100 < quotaPerUnit && units !== 0;
  return quotaText(units, { currency: true, quotaPerUnit, fine: isSmall });
}

/** `2026-11-21 09:30:05` in the zone of this machine. */
export function localTime(epochSec: number): string {
  const date = new Date(epochSec * 1000);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** A cell is a line; and what an upstream wrote may not steer the terminal. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** At most `width` columns, never cutting inside what a person sees as one character. */
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
