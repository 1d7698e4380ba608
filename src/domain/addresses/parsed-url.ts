/**
 * Parses a URL; returns undefined for an invalid one. Used instead of `URL.canParse`, which on Node
 * 20 rejects letters such as "ü" once it is compiled, and which would require a second parse.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
