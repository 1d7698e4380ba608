/**
 * The URL that a text is; undefined when it is none. In place of `URL.canParse`, which on Node 20 says
 * no to letters like "ü" once it is compiled, and of two parses where one does.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
