/** Chance that falls the same way in every run, so that two pictures differ by the console alone. */
export interface Dice {
  /** 0 to below 1. */
  unit(): number;
  /** Both ends included. */
  whole(from: number, to: number): number;
  pick<T>(rows: readonly T[]): T;
  weighted<T extends { readonly share: number }>(rows: readonly T[]): T;
}

/** Mulberry32: small, even enough for pictures. */
export function dice(seed: number): Dice {
  let state = seed;
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    unit,
    whole: (from, to) => from + Math.floor(unit() * (to - from + 1)),
    pick: (rows) => nth(rows, Math.floor(unit() * rows.length)),
    weighted: (rows) => {
      let left = unit() * rows.reduce((sum, row) => sum + row.share, 0);
      return (
        rows.find((row) => {
          left -= row.share;
          return left < 0;
        }) ?? nth(rows, rows.length - 1)
      );
    },
  };
}

function nth<T>(rows: readonly T[], index: number): T {
  const row = rows[index];
  if (row === undefined) throw new Error('there is nothing to choose from');
  return row;
}
