/**
 * Whether a text is a valid header value (RFC 9110 5.5): a line break would start another header,
 * and characters beyond Latin-1 cannot be encoded.
 */
export function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]*$/u.test(text);
}
