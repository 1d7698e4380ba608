/** Normalises API token keys. */

/** Strips `sk-`, which some clients add to a key that already has it. */
export function withoutKeyPrefix(text: string): string {
  return text.replace(/^(?:sk-)+/, '');
}
