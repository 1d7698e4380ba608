/** A channel's models beside those its upstream lists. */
export interface ModelDiff {
  /** Only the upstream has them. */
  readonly fresh: readonly string[];
  readonly both: readonly string[];
  /** Only the channel has them: renamed by a mapping, or gone. */
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

/** Nothing changes unless the reader ticks it; an empty channel wants what there is. */
export function firstChoice({ fresh, both, gone }: ModelDiff): Set<string> {
  const current = [...both, ...gone];
  return new Set(current.length === 0 ? fresh : current);
}
