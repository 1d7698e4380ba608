/** Finds out whether an upstream may have repeated a phrase from the request that it refused. */

/**
 * Whether the phrase occurs in the request. Ignores case, spaces and punctuation, also between
 * fields, because an upstream may join and quote what it repeats.
 */
export function occursIn(request: string, phrase: string): boolean {
  const letters = lettersOnly(phrase);
  // Twice, because the arguments of a tool call are JSON inside JSON.
  const once = unescaped(request);
  return [request, once, unescaped(once)].some((text) => lettersOnly(text).includes(letters));
}

function lettersOnly(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/** The text without JSON's and URLs' escapes; those of white space become spaces. */
function unescaped(text: string): string {
  return text.replaceAll(
    /\\u([\da-f]{4})|%([\da-f]{2})|\\([\s\S])/gi,
    (_all, unit?: string, byte?: string, letter = '') => {
      const code = unit ?? byte;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return 'nrtbf'.includes(letter) ? ' ' : letter;
    },
  );
}
