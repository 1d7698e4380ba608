/** Decodes a long JSON string in pieces. */
import { isAscii } from 'node:buffer';
import { Slices } from './event-loop-slices.ts';

const BACKSLASH = 0x5c;
const PIECE_BYTES = 64 * 1024;
/** Bytes before a cut that may belong to what the cut would divide: `\ud83d` without its last sign. */
const LONGEST_ESCAPE = 6;

/** The text of the JSON string literal from `start` to `end`, quotes included. It is known to be valid. */
export async function decodeLongText(bytes: Buffer, start: number, end: number): Promise<string> {
  const inner = bytes.subarray(start + 1, end - 1);
  const slices = new Slices();
  await slices.next();
  const hasEscapes = inner.includes(BACKSLASH);
  // What most long texts are, files in base64 among them: one copy, and no time to speak of.
  if (!hasEscapes && isAscii(inner)) return inner.toString('latin1');
  let text = '';
  for (let at = 0; at < inner.length; ) {
    const next = cutBefore(inner, at, at + PIECE_BYTES);
    const piece = inner.toString('utf8', at, next);
    text += hasEscapes ? (JSON.parse(`"${piece}"`) as string) : piece; // a literal parses to a string
    at = next;
    if (slices.isOver) await slices.next();
  }
  return text;
}

/** The last place up to `at` that divides neither a character nor an escape; `from` is such a place. */
function cutBefore(bytes: Buffer, from: number, at: number): number {
  if (at >= bytes.length) return bytes.length;
  let cut = at;
  while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut--;
  for (let back = 1; back < LONGEST_ESCAPE; back++) {
    const slash = cut - back;
    if (bytes[slash] !== BACKSLASH || isEscaped(bytes, from, slash)) continue;
    const length = bytes[slash + 1] === 0x75 ? LONGEST_ESCAPE : 2;
    return slash + length > cut ? slash : cut;
  }
  return cut;
}

function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
