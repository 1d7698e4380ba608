/** Query keys. A change of one kind invalidates `all`, whatever its filters. */
export interface EntityKeys {
  readonly all: readonly [string];
  list(query: unknown): readonly unknown[];
  one(id: number | string): readonly unknown[];
  /** Other data of the kind, e.g. `statistics`. */
  part(name: string, query?: unknown): readonly unknown[];
}

export function entityKeys(noun: string): EntityKeys {
  return {
    all: [noun],
    list: (query) => [noun, 'list', query],
    one: (id) => [noun, 'one', id],
    part: (name, query) => [noun, name, query],
  };
}
