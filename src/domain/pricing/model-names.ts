/**
 * Finds the name under which a price is stored for names that clouds and relays give a model:
 * `maker/model`, names of Bedrock and Vertex, dated and `-latest` names, other case.
 */

/** Name patterns priced as one: the price is stored under the name with the asterisk. */
const COLLAPSED_NAMES: readonly { readonly prefix: string; readonly name: string }[] = [
  { prefix: 'gpt-4-gizmo-', name: 'gpt-4-gizmo-*' },
  { prefix: 'gpt-4o-gizmo-', name: 'gpt-4o-gizmo-*' },
];

export function collapsedName(model: string): string | undefined {
  return COLLAPSED_NAMES.find((row) => model.startsWith(row.prefix))?.name;
}

/** Region and maker before a name of Bedrock: `us.anthropic.claude-…`, also in an ARN. */
const BEDROCK_PREFIX = /^(?:arn:[^/]*\/)?(?:[a-z]{2,6}\.)?[a-z0-9]+\.(?=[a-z])/;
/** Version after a name of Bedrock: `-v1:0`. */
const BEDROCK_VERSION = /-v\d+(?::\d+)*$/;
/** Version after a name of Vertex: `@20250514`, `@default`. */
const VERTEX_VERSION = /@(\d{8}|default|latest)$/;
const DATE = /-(?:20\d{6}|20\d\d-\d\d-\d\d)$/;
const LATEST = /-latest$/;

/** Each rule gives another name of the same model, or the name itself. */
const RULES: readonly ((name: string) => string)[] = [
  (name) => name.slice(name.lastIndexOf('/') + 1),
  (name) => name.replace(BEDROCK_PREFIX, '').replace(BEDROCK_VERSION, ''),
  (name) => name.replace(VERTEX_VERSION, (_match, date) => (/^\d/.test(date) ? `-${date}` : '')),
  (name) => name.replace(DATE, ''),
  (name) => name.replace(LATEST, ''),
];

/** Names to look up, the most exact first. */
function otherNames(model: string): readonly string[] {
  const names = new Set<string>();
  const collapsed = collapsedName(model);
  if (collapsed !== undefined) names.add(collapsed);
  let name = model;
  for (const rule of RULES) {
    name = rule(name);
    if (name !== '') names.add(name);
  }
  names.delete(model);
  return [...names];
}

/** Names in lower case, by table. */
const indexes = new WeakMap<ReadonlyMap<string, unknown>, ReadonlyMap<string, string>>();

function indexOf(models: ReadonlyMap<string, unknown>): ReadonlyMap<string, string> {
  const index =
    indexes.get(models) ?? new Map([...models.keys()].map((name) => [name.toLowerCase(), name]));
  indexes.set(models, index);
  return index;
}

/** The stored name of a model whose exact name is not stored; undefined if no rule finds one. */
export function findModelName(
  models: ReadonlyMap<string, unknown>,
  model: string,
): string | undefined {
  const index = indexOf(models);
  for (const name of [model, ...otherNames(model)]) {
    const found = models.has(name) ? name : index.get(name.toLowerCase());
    if (found !== undefined) return found;
  }
  return undefined;
}
