/**
 * Scans JSON bytes in slices: checks the syntax as `JSON.parse` does and reports the position of
 * each value to a sink, without building anything. The bytes must be valid UTF-8; half a surrogate
 * pair in them is replaced. It does not recurse; each nesting level takes one byte.
 */
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../../json/json-signs.ts';
import { isSurrogate, mendSurrogate } from './half-pairs.ts';

/** Receives byte offsets in document order; ends are exclusive. */
export interface JsonSink {
  open(start: number, isList: boolean): void;
  close(end: number): void;
  /** The name of a member, including its quotes. */
  name(start: number, end: number): void;
  /** A string, including its quotes. */
  text(start: number, end: number): void;
  /** A number, true, false or null. */
  plain(start: number, end: number): void;
}

export class JsonSyntaxError extends Error {
  /** Offset of the syntax error. */
  readonly at: number;
  /** Whether the document is empty or contains only whitespace. */
  readonly isBlank: boolean;

  constructor(at: number, isBlank = false) {
    super(`not JSON at byte ${at}`);
    this.at = at;
    this.isBlank = isBlank;
  }
}

/**
 * What may come next. `item` and `member` are the first ones, where a closing bracket is also
 * allowed.
 */
type State = 'value' | 'item' | 'member' | 'name' | 'colon' | 'after' | 'end';

const LITERALS: ReadonlyMap<number, Buffer> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);
const ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

const MAX_DIGITS = 64 * 1024;

/** 1 for a byte that ends a string, begins an escape or may not be in a string. */
const SPECIAL_IN_TEXT = new Uint8Array(256).fill(1, 0, 0x20);
SPECIAL_IN_TEXT[QUOTE] = 1;
SPECIAL_IN_TEXT[BACKSLASH] = 1;

export class JsonScanner {
  readonly #bytes: Buffer;
  readonly #sink: JsonSink;
  #at = 0;
  #state: State = 'value';
  /** Start of the current string; -1 outside of strings. */
  #textStart = -1;
  #depth = 0;
  /** One byte per level: 1 for a list, 0 for an object. */
  #levels = new Uint8Array(64);

  constructor(bytes: Buffer, sink: JsonSink) {
    this.#bytes = bytes;
    this.#sink = sink;
  }

  /**
   * Reads about `count` more bytes. Returns false when the document is complete.
   * @throws JsonSyntaxError; what the sink throws.
   */
  read(count: number): boolean {
    const bytes = this.#bytes;
    const until = Math.min(bytes.length, this.#at + count);
    while (this.#at < until) {
      if (this.#textStart !== -1) {
        this.#readText(until);
        continue;
      }
      const code = bytes[this.#at] ?? 0;
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.#at++;
      else this.#readToken(code);
    }
    if (this.#at < bytes.length) return true;
    if (this.#state === 'end') return false;
    const isBlank = this.#depth === 0 && this.#state === 'value' && this.#textStart === -1;
    throw new JsonSyntaxError(bytes.length, isBlank);
  }

  #readToken(code: number): void {
    const state = this.#state;
    if (state === 'value' || state === 'item') {
      if (state === 'item' && code === CLOSE_LIST) this.#close();
      else this.#readValue(code);
    } else if (state === 'name' || state === 'member') {
      if (state === 'member' && code === CLOSE_OBJECT) this.#close();
      else this.#openName(code);
    } else if (state === 'colon') this.#readColon(code);
    else if (state === 'after') this.#readAfter(code);
    else throw new JsonSyntaxError(this.#at);
  }

  #readColon(code: number): void {
    if (code !== COLON) throw new JsonSyntaxError(this.#at);
    this.#at++;
    this.#state = 'value';
  }

  #readAfter(code: number): void {
    const isList = this.#levels[this.#depth - 1] === 1;
    if (code === COMMA) {
      this.#at++;
      this.#state = isList ? 'value' : 'name';
    } else if (code === (isList ? CLOSE_LIST : CLOSE_OBJECT)) this.#close();
    else throw new JsonSyntaxError(this.#at);
  }

  #readValue(code: number): void {
    if (code === QUOTE) this.#textStart = this.#at++;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code === OPEN_LIST);
    else this.#readPlain(code);
  }

  #openName(code: number): void {
    if (code !== QUOTE) throw new JsonSyntaxError(this.#at);
    this.#state = 'name';
    this.#textStart = this.#at++;
  }

  #open(isList: boolean): void {
    if (this.#depth === this.#levels.length) {
      const levels = new Uint8Array(2 * this.#depth);
      levels.set(this.#levels);
      this.#levels = levels;
    }
    this.#levels[this.#depth++] = isList ? 1 : 0;
    this.#sink.open(this.#at++, isList);
    this.#state = isList ? 'item' : 'member';
  }

  #close(): void {
    this.#depth--;
    this.#sink.close(++this.#at);
    this.#valueEnds();
  }

  #valueEnds(): void {
    this.#state = this.#depth === 0 ? 'end' : 'after';
  }

  /** Continues the current string. */
  #readText(until: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < until) {
      const code = bytes[at] ?? 0;
      if (SPECIAL_IN_TEXT[code] === 0) {
        at++;
        continue;
      }
      if (code === QUOTE) {
        this.#at = at + 1;
        this.#textEnds();
        return;
      }
      if (code !== BACKSLASH) throw new JsonSyntaxError(at);
      at = this.#afterEscape(at);
    }
    this.#at = at;
  }

  #textEnds(): void {
    const start = this.#textStart;
    this.#textStart = -1;
    if (this.#state === 'name') {
      this.#sink.name(start, this.#at);
      this.#state = 'colon';
    } else {
      this.#sink.text(start, this.#at);
      this.#valueEnds();
    }
  }

  #afterEscape(at: number): number {
    const bytes = this.#bytes;
    const code = bytes[at + 1] ?? 0;
    if (code !== 0x75) {
      if (!ESCAPES.has(code)) throw new JsonSyntaxError(Math.min(at + 1, bytes.length));
      return at + 2;
    }
    for (let digit = at + 2; digit < at + 6; digit++) {
      if (!isHex(bytes[digit] ?? 0)) throw new JsonSyntaxError(Math.min(digit, bytes.length));
    }
    return isSurrogate(bytes, at) ? mendSurrogate(bytes, at) : at + 6;
  }

  #readPlain(code: number): void {
    const start = this.#at;
    const literal = LITERALS.get(code);
    this.#at = literal === undefined ? this.#endOfNumber(start) : this.#endOf(literal, start);
    this.#sink.plain(start, this.#at);
    this.#valueEnds();
  }

  #endOf(literal: Buffer, start: number): number {
    for (const [offset, code] of literal.entries()) {
      if (this.#bytes[start + offset] !== code) throw new JsonSyntaxError(start + offset);
    }
    return start + literal.length;
  }

  #endOfNumber(start: number): number {
    const bytes = this.#bytes;
    let at = bytes[start] === 0x2d ? start + 1 : start;
    at = bytes[at] === 0x30 ? at + 1 : this.#endOfDigits(at);
    if (bytes[at] === 0x2e) at = this.#endOfDigits(at + 1);
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      const hasSign = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d;
      at = this.#endOfDigits(at + (hasSign ? 2 : 1));
    }
    return at;
  }

  /**
   * Requires at least one digit. A number is read in one go, so its length is limited (RFC 8259 6
   * allows that).
   */
  #endOfDigits(start: number): number {
    let at = start;
    while (at - start <= MAX_DIGITS && isDigit(this.#bytes[at] ?? 0)) at++;
    if (at === start || at - start > MAX_DIGITS) throw new JsonSyntaxError(at);
    return at;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
