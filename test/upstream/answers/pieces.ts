/** Splits a body into separately written pieces. */
import type { Plan } from '../plans/plan.ts';

/** Splits as planned, for clients that rely on packet boundaries. */
export function recut(pieces: readonly Buffer[], split: Plan['split']): readonly Buffer[] {
  if (split === undefined) return pieces;
  const whole = Buffer.concat(pieces);
  return split === 'characters' ? cutInsideCharacters(whole) : cut(whole, split);
}

export function cut(bytes: Buffer, size: number): Buffer[] {
  const count = size > 0 ? Math.ceil(bytes.length / size) : 0;
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** Splits after the lead byte of every multibyte character (RFC 3629: 0xC2 to 0xF4). */
function cutInsideCharacters(bytes: Buffer): Buffer[] {
  const cuts = [...bytes.keys()].filter((at) => (bytes[at] ?? 0) >= 0xc2).map((at) => at + 1);
  return [...cuts, bytes.length].map((end, at) => bytes.subarray(cuts[at - 1] ?? 0, end));
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text);
}
