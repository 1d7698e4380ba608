/**
 * A separate module, loaded on demand: importing the package itself dynamically would give the
 * bundle no named exports.
 */
import { isMap, isNode, isSeq, LineCounter, parseDocument, stringify } from 'yaml';

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
 * Why `yamlValue` gave undefined: a problem for `Values.refuse` and its parameters, with the location of
 * the first mistake.
 */
export function yamlProblem(
  text: string,
): [problem: string, location: Readonly<Record<string, number>>] {
  try {
    const { errors, warnings } = parseDocument(text, { logLevel: 'error' });
    const location = (errors[0] ?? warnings.find(isUnknownTag))?.linePos?.[0];
    return location === undefined
      ? ['yaml', {}]
      : ['yaml_at', { line: location.line, column: location.col }];
  } catch {
    return ['yaml', {}];
  }
}

/**
 * The line of a value, or of what contains it if it is missing; undefined for another text.
 * @param path such as `channels.2.priority`; names of members may contain dots.
 */
export function yamlLineOf(text: string, path: string): number | undefined {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { logLevel: 'error', lineCounter });
  let found: { readonly node: unknown; readonly at: unknown; readonly rest: string } | undefined;
  for (
    let next: typeof found = { node: contents, at: contents, rest: path };
    next !== undefined;
    next = memberOf(next.node, next.rest)
  )
    found = next;
  const start = isNode(found?.at) ? found.at.range?.[0] : undefined;
  return start === undefined ? undefined : lineCounter.linePos(start).line;
}

function memberOf(node: unknown, path: string) {
  const items = isSeq(node)
    ? node.items.map((item, index) => ({ name: String(index), node: item, at: item }))
    : isMap(node)
      ? node.items.map(({ key, value }) => ({ name: String(key), node: value, at: key }))
      : [];
  const member = items.find(({ name }) => path === name || path.startsWith(`${name}.`));
  return member && { ...member, rest: path.slice(member.name.length + 1) };
}

function isUnknownTag({ code }: { readonly code: string }): boolean {
  return code === 'TAG_RESOLVE_FAILED';
}
