/**
 * Whether a text can be the value of a header (RFC 9110 5.5): a line break would begin another header,
 * and beyond Latin-1 there is no encoding.
 */
export function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]*$/u.test(text);
}
