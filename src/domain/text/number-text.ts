const WHOLE = new Intl.NumberFormat('en-US');

/** A whole number for people: `2,699`. English and Chinese group digits alike. */
export function numberText(value: number | bigint): string {
  return WHOLE.format(value);
}
