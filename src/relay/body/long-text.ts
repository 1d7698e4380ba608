/** Decodes long JSON strings in pieces. */
import { isAscii } from 'node:buffer';
import type { AppError } from '../../domain/errors/errors.ts';
import { BACKSLASH } from '../../providers/json-signs.ts';
import { invalidField } from './body-builder.ts';
import { Slices } from './event-loop-slices.ts';

const PIECE_BYTES = 64 * 1024;
/** Bytes before a cut that may belong to what the cut would divide: `\ud83d` without its last sign. */
const LONGEST_ESCAPE = 6;

/**
 * Beyond Latin-1 a text takes two bytes of memory for each character, and one such character is enough.
 * All long texts of a body that have one may be so long together, in UTF-16: more than any model reads.
 */
const MAX_WIDE_CHARS = 16_000_000;
const WIDE = /[\u0100-\uffff]/;

/** Reads the long texts of one body. */
export class LongTexts {
  readonly #bytes: Buffer;
  readonly #slices = new Slices();
  #wideLeft = MAX_WIDE_CHARS;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * The text of the JSON string literal from `start` to `end`, quotes included. It is known to be valid.
   * @throws AppError field_wrong, which names `field`.
   */
  async decode(field: string, start: number, end: number): Promise<string> {
    const inner = this.#bytes.subarray(start + 1, end - 1);
    await this.#slices.next();
    const hasEscapes = inner.includes(BACKSLASH);
    // What most long texts are, files in base64 among them: one copy, and no time to speak of.
    if (!hasEscapes && isAscii(inner)) return inner.toString('latin1');
    const pieces: string[] = [];
    let chars = 0;
    let isWide = false;
    for (let at = 0; at < inner.length; ) {
      const next = cutBefore(inner, at, at + PIECE_BYTES);
      const read = inner.toString('utf8', at, next);
      const piece = hasEscapes ? (JSON.parse(`"${read}"`) as string) : read; // a literal parses to a string
      pieces.push(piece);
      chars += piece.length;
      isWide ||= WIDE.test(piece);
      if (isWide && chars > this.#wideLeft) throw tooWide(field);
      at = next;
      if (this.#slices.isOver) await this.#slices.next();
    }
    if (isWide) this.#wideLeft -= chars;
    // Not by `+`: the first look at such a text would copy it while its parts are still there.
    return pieces.join('');
  }
}

function tooWide(field: string): AppError {
  const problem = `its texts beyond Latin-1 must not have more than ${MAX_WIDE_CHARS} characters`;
  return invalidField(field, problem);
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
