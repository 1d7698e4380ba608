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

/** The mapping as in `channels.model_mapping`. */
interface Aliased {
  readonly models: readonly string[];
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly prefix: string;
}

/**
 * Mapped names that are not among the models, without the prefix under which they are offered: no
 * call can use them. A name that is itself the target of another mapping need not be offered.
 */
export function unlistedAliases({ models, mapping, prefix }: Aliased): string[] {
  const targets = new Set(Object.values(mapping).map(String));
  const bare = Object.keys(mapping)
    .filter((name) => name.trim() !== '' && !targets.has(name))
    .map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));
  return [...new Set(bare)].filter(
    (name) => !models.includes(name) && !models.includes(lookupName(name)),
  );
}
