/** Model names: as requested by clients, as configured on channels and as sent upstream. */

/** Custom-assistant names share one price and one channel entry per family. */
export function lookupName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/**
 * Maps a model to its upstream name. The full requested name is looked up first, then the bare one;
 * chains are followed. Undefined when the mapping is circular.
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
