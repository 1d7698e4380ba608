/** A module of its own, loaded when YAML is asked for: a dynamic import of the package itself would give the bundle no named exports. */
import { parseDocument, stringify } from 'yaml';

export function yamlText(value: unknown): string {
  return stringify(value);
}

/**
 * The value in a YAML or JSON text; undefined when it is neither. A tag that nobody here knows
 * (`!vault`, `!!js/function`) makes it neither: what stands behind it is not the text that is meant.
 */
export function yamlValue(text: string): unknown {
  try {
    // The parser would print what it finds odd on the user's terminal.
    const document = parseDocument(text, { logLevel: 'error' });
    if (document.errors.length > 0 || document.warnings.some(isUnknownTag)) return undefined;
    return document.toJS();
  } catch {
    // Not a document is an answer here: the caller names the file.
    return undefined;
  }
}

function isUnknownTag({ code }: { readonly code: string }): boolean {
  return code === 'TAG_RESOLVE_FAILED';
}
