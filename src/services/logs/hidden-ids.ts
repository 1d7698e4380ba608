/**
 * Opaque row ids for non-administrators: stable, unique, and without hints about the number of
 * rows. A Feistel network over 48 bits, keyed by the site's secret, so that the row id can be
 * recovered; 48 bits fit a JSON number.
 */
import type { Secrets } from '../../secrets.ts';

type Hash = Pick<Secrets, 'hash'>;

const HALF = 2 ** 24;
const HEX_DIGITS_OF_A_HALF = 6;
const ROUNDS = [1, 2, 3, 4];

/** `table` separates the ids of one table from those of another. */
export function hiddenId(secrets: Hash, table: string, id: number): number {
  let [left, right] = splitHalves(id);
  for (const round of ROUNDS)
    [left, right] = [right, left ^ roundValue(secrets, table, round, right)];
  return left * HALF + right;
}

/** The row id of a hidden id. Any input yields some id: check who owns the row. */
export function rowIdOf(secrets: Hash, what: string, hidden: number): number {
  let [left, right] = splitHalves(hidden);
  for (const round of [...ROUNDS].reverse())
    [left, right] = [right ^ roundValue(secrets, what, round, left), left];
  return left * HALF + right;
}

function splitHalves(id: number): [number, number] {
  return [Math.floor(id / HALF) % HALF, id % HALF];
}

function roundValue(secrets: Hash, what: string, round: number, half: number): number {
  const digest = secrets.hash(`${what}:${round}:${half}`);
  return Number.parseInt(digest.slice(0, HEX_DIGITS_OF_A_HALF), 16);
}
