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

/**
 * Why `yamlValue` gave undefined: a problem for `Values.refuse` and its parameters, with the place of
 * the first mistake.
 */
export function yamlProblem(
  text: string,
): [problem: string, place: Readonly<Record<string, number>>] {
  try {
    const { errors, warnings } = parseDocument(text, { logLevel: 'error' });
    const place = (errors[0] ?? warnings.find(isUnknownTag))?.linePos?.[0];
    return place === undefined
      ? ['yaml', {}]
      : ['yaml_at', { line: place.line, column: place.col }];
  } catch {
    return ['yaml', {}];
  }
}

function isUnknownTag({ code }: { readonly code: string }): boolean {
  return code === 'TAG_RESOLVE_FAILED';
}
