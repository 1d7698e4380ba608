/** Names of models: what a client asks for, what a channel serves, what the upstream is told. */

/** Custom-assistant names share one price and one channel entry per family. */
export function lookupName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/**
 * The upstream's name for a model. The full requested name is looked up first, then the bare one;
 * chains are followed. Undefined when the mapping runs in a circle.
 */
export function mapModel(
  mapping: Readonly<Record<string, string>>,
  full: string,
  bare: string,
): string | undefined {
  let name = Object.hasOwn(mapping, full) ? full : bare;
  const seen = new Set<string>();
  for (;;) {
    const next = Object.hasOwn(mapping, name) ? mapping[name]?.trim() : undefined;
    if (next === undefined || next === '' || next === name) return name;
    if (seen.has(next)) return undefined;
    seen.add(name);
    name = next;
  }
}
