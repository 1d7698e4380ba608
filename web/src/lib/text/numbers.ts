/** Numbers as all pages show them: both languages group digits alike, whatever the browser's locale. */
import { countText } from '../../../../src/domain/pricing/quota-text.ts';

const WHOLE = new Intl.NumberFormat('en-US');

/** `2,699` */
export function numberText(value: number): string {
  return WHOLE.format(value);
}

/** Short enough for a card: `2,699`, and from 10,000 on `12.3k`. */
export function shortNumberText(value: number): string {
  return Math.abs(value) < 10_000 ? numberText(Math.trunc(value)) : countText(value);
}
