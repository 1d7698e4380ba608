/** Makes text storable in every database. */

/** PostgreSQL rejects null characters in text, and lone surrogates are not valid text. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}
