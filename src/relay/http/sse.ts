/**
 * Reads server-sent events: takes chunks of bytes and returns complete events. It works on bytes
 * and decodes only complete frames, so that no character is split, and a frame can be forwarded to
 * the client byte for byte.
 */
import { append } from '../../domain/append.ts';
import { AppError } from '../../domain/errors/errors.ts';

export type SseEvent =
  /** `event` is '' when the frame names none; several data lines are joined with LF. */
  | { readonly kind: 'data'; readonly event: string; readonly data: string; readonly raw: Buffer }
  | { readonly kind: 'comment'; readonly comment: string; readonly raw: Buffer };

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const LINE_END = /\r\n|\n|\r/;
/**
 * A comment is a field with an empty name. A blank line has no name either, so it uses another
 * marker.
 */
const COMMENT = '';
const BLANK = '\n';
const DATA_FIELD = Buffer.from('data:');
const DEFAULT_MAX_EVENT_BYTES = 10 * 1024 * 1024;

/**
 * Grammar: WHATWG HTML, "Server-sent events", 9.2.6. `raw` is a view of the pushed chunk where
 * possible, so a pushed chunk must not be modified afterwards. An event longer than `maxEventBytes`
 * (10 MB by default) throws `upstream_too_large`.
 */
export class SseReader {
  readonly #maxEventBytes: number;
  /** The incomplete frame, in the chunks it arrived in; joined once it is complete. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #lineIsEmpty = true;
  /** The last byte was a CR; a following LF belongs to it. */
  #afterCr = false;
  /** That CR ended a blank line, and its LF may still arrive. */
  #blankCr = false;
  #usesCrLf = false;
  #atStart = true;
  /** Complete, but not returned yet. */
  #events: SseEvent[] = [];

  constructor(options: { readonly maxEventBytes?: number } = {}) {
    this.#maxEventBytes = options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES;
  }

  /** Every event that this chunk completes, in order. */
  push(chunk: Uint8Array): SseEvent[] {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const plain = !this.#afterCr && bytes.indexOf(CR) === -1;
    const rest = plain ? this.#scanLines(bytes) : this.#scanBytes(bytes);
    if (rest < bytes.length) this.#hold(bytes.subarray(rest));
    return this.#takeEvents();
  }

  /**
   * The last event if its closing blank line is missing; its `raw` is completed, so that another
   * frame can follow it.
   */
  end(): SseEvent[] {
    if (this.#heldBytes > 0) {
      const last = this.#held.at(-1)?.at(-1);
      const closing = Buffer.from(last === LF ? '\n' : '\n\n');
      this.#cut(closing, 0, closing.length);
    }
    this.#lineIsEmpty = true;
    this.#afterCr = false;
    this.#blankCr = false;
    return this.#takeEvents();
  }

  #takeEvents(): SseEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /**
   * Fast path for chunks without a CR: jumps from LF to LF. Returns where the incomplete frame
   * starts.
   */
  #scanLines(bytes: Buffer): number {
    let frameStart = 0;
    let lineStart = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, lineStart)) {
      if (at === lineStart && this.#lineIsEmpty) {
        this.#cut(bytes, frameStart, at + 1);
        frameStart = at + 1;
      }
      this.#lineIsEmpty = true;
      lineStart = at + 1;
    }
    if (lineStart < bytes.length) this.#lineIsEmpty = false;
    return frameStart;
  }

  /** Like `#scanLines`, byte by byte, for CR LF and bare CR. */
  #scanBytes(bytes: Buffer): number {
    let frameStart = 0;
    const cutAt = (end: number) => {
      this.#cut(bytes, frameStart, end);
      frameStart = end;
    };
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LF && this.#afterCr) {
        this.#usesCrLf = true;
        this.#afterCr = false;
        if (this.#blankCr) cutAt(at + 1);
        // This LF belongs to the CR at the end of the last chunk, which ended the frame before.
        else if (at === frameStart && this.#heldBytes === 0) frameStart = at + 1;
        this.#blankCr = false;
        continue;
      }
      if (this.#blankCr) cutAt(at);
      this.#blankCr = false;
      this.#afterCr = byte === CR;
      if (byte !== LF && byte !== CR) {
        this.#lineIsEmpty = false;
        continue;
      }
      if (this.#endsFrame(byte, at + 1 === bytes.length)) cutAt(at + 1);
    }
    return frameStart;
  }

  /**
   * Whether a line end closes the frame. A CR LF stream that is cut between the two waits for the
   * LF; a bare CR stream does not.
   */
  #endsFrame(byte: number, isLast: boolean): boolean {
    const isBlank = this.#lineIsEmpty;
    this.#lineIsEmpty = true;
    this.#blankCr = isBlank && byte === CR && (!isLast || this.#usesCrLf);
    return isBlank && !this.#blankCr;
  }

  #hold(piece: Buffer): void {
    this.#held = append(this.#held, piece);
    this.#heldBytes += piece.length;
    this.#bound(this.#heldBytes);
  }

  #cut(bytes: Buffer, from: number, to: number): void {
    let frame = bytes.subarray(from, to);
    this.#bound(this.#heldBytes + frame.length);
    if (this.#heldBytes > 0) {
      frame = Buffer.concat([...this.#held, frame]);
      this.#held = [];
      this.#heldBytes = 0;
    }
    if (this.#atStart) {
      this.#atStart = false;
      if (frame.subarray(0, BOM.length).equals(BOM)) frame = frame.subarray(BOM.length);
    }
    const event = readOneLine(frame) ?? readLines(frame);
    if (event !== undefined) this.#events = append(this.#events, event);
  }

  #bound(eventBytes: number): void {
    if (eventBytes > this.#maxEventBytes) {
      throw new AppError('upstream_too_large');
    }
  }
}

/** Fast path for the most common frame, `data: ...` LF LF, without splitting it into lines. */
function readOneLine(raw: Buffer): SseEvent | undefined {
  const end = raw.length - 2;
  if (end < DATA_FIELD.length || raw.indexOf(LF) !== end || raw.indexOf(CR) !== -1)
    return undefined;
  // Compared byte by byte, because a Buffer call would cost more for five bytes.
  for (let at = 0; at < DATA_FIELD.length; at++) if (raw[at] !== DATA_FIELD[at]) return undefined;
  const skipped = raw[DATA_FIELD.length] === SPACE ? 1 : 0;
  const data = raw.toString('utf8', DATA_FIELD.length + skipped, end);
  return { kind: 'data', event: '', data, raw };
}

/**
 * Parses any frame; `undefined` for one without data or comment (blank lines, a lone id or event).
 */
function readLines(raw: Buffer): SseEvent | undefined {
  const fields = raw.toString('utf8').split(LINE_END).map(readField);
  const data = joined(fields, 'data');
  if (data !== undefined) {
    const event = fields.findLast((field) => field.name === 'event')?.value ?? '';
    return { kind: 'data', event, data, raw };
  }
  const comment = joined(fields, COMMENT);
  return comment === undefined ? undefined : { kind: 'comment', comment, raw };
}

interface Field {
  readonly name: string;
  readonly value: string;
}

function readField(line: string): Field {
  const colon = line.indexOf(':');
  if (colon === -1) return { name: line === COMMENT ? BLANK : line, value: '' };
  const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
  return { name: line.slice(0, colon), value };
}

function joined(fields: readonly Field[], name: string): string | undefined {
  const found = fields.filter((field) => field.name === name);
  return found.length === 0 ? undefined : found.map((field) => field.value).join('\n');
}
