/**
 * A separate module, loaded on demand: importing the package itself dynamically would give the
 * bundle no named exports.
 */
import { parseDocument, stringify } from 'yaml';

export function yamlText(value: unknown): string {
  return stringify(value);
}

/**
 * Parses YAML or JSON; undefined when it is neither. Unknown tags (`!vault`, `!!js/function`) make
 * it invalid, because the text behind the tag is not the intended value.
 */
export function yamlValue(text: string): unknown {
  try {
    // The parser would otherwise print warnings on the user's terminal.
    const document = parseDocument(text, { logLevel: 'error' });
    if (document.errors.length > 0 || document.warnings.some(isUnknownTag)) return undefined;
    return document.toJS();
  } catch {
    // Invalid text is a normal result here; the caller reports it with the file's name.
    return undefined;
  }
}

function isUnknownTag({ code }: { readonly code: string }): boolean {
  return code === 'TAG_RESOLVE_FAILED';
}
