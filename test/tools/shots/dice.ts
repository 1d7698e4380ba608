/** Chance that falls the same way in every run, so that two pictures differ by the console alone. */
import { seededRandom } from '../../support/random.ts';

export interface Dice {
  /** 0 to below 1. */
  unit(): number;
  /** Both ends included. */
  whole(from: number, to: number): number;
  pick<T>(rows: readonly T[]): T;
  weighted<T extends { readonly share: number }>(rows: readonly T[]): T;
}

export function dice(seed: number): Dice {
  const unit = seededRandom(seed);
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
