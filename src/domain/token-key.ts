/** Keys of API tokens as text. */

/** Without `sk-`, which some clients put before a key that has it already. */
export function withoutKeyPrefix(text: string): string {
  return text.replace(/^(?:sk-)+/, '');
}
