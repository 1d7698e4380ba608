/** A channel's models compared with the upstream's list. */
export interface ModelDiff {
  /** Listed by the upstream only. */
  readonly fresh: readonly string[];
  readonly both: readonly string[];
  /** Listed by the channel only: renamed by a mapping, or gone. */
  readonly gone: readonly string[];
}

export type DiffPart = keyof ModelDiff;

export function diffOf(current: readonly string[], offered: readonly string[]): ModelDiff {
  return {
    fresh: [...new Set(offered)].filter((model) => !current.includes(model)),
    both: current.filter((model) => offered.includes(model)),
    gone: current.filter((model) => !offered.includes(model)),
  };
}

/** Keeps the channel's models by default; selects all upstream models if the channel has none. */
export function firstChoice({ fresh, both, gone }: ModelDiff): Set<string> {
  const current = [...both, ...gone];
  return new Set(current.length === 0 ? fresh : current);
}
