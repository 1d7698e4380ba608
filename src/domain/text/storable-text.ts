/** Text that every database takes. */

/** PostgreSQL refuses the null character in text, and a half surrogate is no text at all. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}
