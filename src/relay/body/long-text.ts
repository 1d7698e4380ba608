/** Decodes long JSON strings in chunks. */
import { isAscii } from 'node:buffer';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { BACKSLASH } from '../../json/json-signs.ts';
import { Slices } from './event-loop-slices.ts';

const PIECE_BYTES = 64 * 1024;
/**
 * Longest escape sequence that a cut could split: `\ud83d` without its last digit is six bytes
 * long.
 */
const LONGEST_ESCAPE = 6;

/**
 * A string with any character beyond Latin-1 takes two bytes of memory per character. This limits
 * the total length of such strings in one body, in UTF-16 units: more than any model reads.
 */
const MAX_WIDE_CHARS = 16_000_000;
const WIDE = /[\u0100-\uffff]/;

/** Decodes the long strings of one body. */
export class LongTexts {
  readonly #bytes: Buffer;
  readonly #slices = new Slices();
  #wideLeft = MAX_WIDE_CHARS;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Decodes the JSON string literal from `start` to `end`, quotes included. It must be valid.
   * @throws AppError field_wrong, which names `field`.
   */
  async decode(field: string, start: number, end: number): Promise<string> {
    const inner = this.#bytes.subarray(start + 1, end - 1);
    await this.#slices.next();
    const hasEscapes = inner.includes(BACKSLASH);
    // The common case, which includes base64 files: a single fast copy.
    if (!hasEscapes && isAscii(inner)) return inner.toString('latin1');
    const pieces: string[] = [];
    let chars = 0;
    let isWide = false;
    for (let at = 0; at < inner.length; ) {
      const next = cutBefore(inner, at, at + PIECE_BYTES);
      const read = inner.toString('utf8', at, next);
      const piece = hasEscapes ? (JSON.parse(`"${read}"`) as string) : read; // always a string
      pieces.push(piece);
      chars += piece.length;
      isWide ||= WIDE.test(piece);
      if (isWide && chars > this.#wideLeft)
        throw wrongField(field, 'too_wide', { most: MAX_WIDE_CHARS });
      at = next;
      if (this.#slices.isOver) await this.#slices.next();
    }
    if (isWide) this.#wideLeft -= chars;
    // Not `+`: flattening such a string on first use would copy it while its parts are still in
    // memory.
    return pieces.join('');
  }
}

/**
 * The last position up to `at` that splits neither a character nor an escape; `from` must be one
 * too.
 */
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
