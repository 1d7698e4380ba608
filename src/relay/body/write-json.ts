/**
 * Writes the JSON of a large body in slices, as chunks of bytes. Unlike `JSON.stringify` it never
 * holds the whole as one string, and it copies values kept as bytes (`RawJson`) unchanged.
 */

import type { Awaitable } from '../../domain/awaitable.ts';
import { changedNames, renderJson } from '../../json/edit-json-text.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { MemberRange } from './body-builder.ts';
import { Slices } from './event-loop-slices.ts';
import { RawJson } from './raw-json.ts';
import type { JsonBody } from './read-body.ts';

export type WrittenJson = Buffer | string | readonly Buffer[];

const CHUNK_CHARS = 64 * 1024;
/** Values written between two checks of the clock. */
const STEP_VALUES = 256;

/** Serializes all of `body` as JSON, at once if it comes from a small body. */
export function writeJson({ source }: JsonBody, body: JsonObject): Awaitable<WrittenJson> {
  return typeof source === 'string' ? JSON.stringify(body) : writeInSlices(body);
}

async function writeInSlices(body: JsonObject): Promise<WrittenJson> {
  const writer = new JsonWriter();
  await writer.write(body);
  return writer.end();
}

/** The client's JSON with the fields replaced that differ in `after` (see `renderJson`). */
export function writeEdited(json: JsonBody, after: JsonObject): Awaitable<WrittenJson> {
  const { raw, sent, source } = json;
  if (after === sent) return raw;
  if (typeof source === 'string') return renderJson(source, sent, after);
  return writeMembers(json, source, after);
}

async function writeMembers(
  { raw, sent }: JsonBody,
  source: readonly MemberRange[],
  after: JsonObject,
): Promise<WrittenJson> {
  const changed = new Set(changedNames(sent, after));
  if (changed.size === 0) return raw;
  const writer = new JsonWriter();
  let separator = '{';
  const addMember = async (name: string) => {
    writer.add(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
    await writer.write(after[name]);
  };
  for (const { name, start, end } of source) {
    if (!changed.has(name)) {
      writer.add(separator);
      writer.addBytes(raw.subarray(start, end));
      separator = ',';
    } else if (Object.hasOwn(after, name) && after[name] !== undefined) await addMember(name);
  }
  for (const name of changed) if (!Object.hasOwn(sent, name)) await addMember(name);
  writer.add(separator === '{' ? '{}' : '}');
  return writer.end();
}

/** A list or object that is partly written. */
interface Open {
  readonly holder: object;
  /** Undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

class JsonWriter {
  readonly #pieces: Buffer[] = [];
  readonly #slices = new Slices();
  #text = '';

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK_CHARS) this.#flush();
  }

  addBytes(bytes: Buffer): void {
    this.#flush();
    this.#pieces.push(bytes);
  }

  end(): readonly Buffer[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    if (this.#text !== '') this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }

  /** @param value Parsed JSON, without cycles. */
  async write(value: unknown): Promise<void> {
    const stack: Open[] = [];
    await this.#begin(value, stack);
    for (let steps = 1; ; steps++) {
      const top = stack.at(-1);
      if (top === undefined) return;
      if (steps % STEP_VALUES === 0 && this.#slices.isOver) await this.#slices.next();
      // Await only when needed: a promise per value would cost more than writing the value.
      const waiting = this.#step(top, stack);
      if (waiting !== undefined) await waiting;
    }
  }

  /** Writes the next part of the innermost list or object. */
  #step(top: Open, stack: Open[]): Promise<void> | undefined {
    const { holder, names } = top;
    if (top.next === top.length) {
      stack.pop();
      this.add(names === undefined ? ']' : '}');
      return undefined;
    }
    const key = names === undefined ? top.next : (names[top.next] ?? '');
    const inner: unknown = Reflect.get(holder, key);
    top.next++;
    if (names !== undefined && !isWritten(inner)) return undefined;
    const separator = top.isEmpty ? '' : ',';
    top.isEmpty = false;
    this.add(names === undefined ? separator : `${separator}${JSON.stringify(key)}:`);
    return this.#begin(inner, stack);
  }

  #begin(value: unknown, stack: Open[]): Promise<void> | undefined {
    if (typeof value === 'string' && value.length > CHUNK_CHARS) return this.#addLong(value);
    if (value instanceof RawJson) this.addBytes(value.bytes);
    else if (typeof value !== 'object' || value === null) this.add(JSON.stringify(value) ?? 'null');
    else {
      const names = Array.isArray(value) ? undefined : Object.keys(value);
      const length = Array.isArray(value) ? value.length : (names?.length ?? 0);
      stack.push({ holder: value, names, length, next: 0, isEmpty: true });
      this.add(names === undefined ? '[' : '{');
    }
    return undefined;
  }

  async #addLong(text: string): Promise<void> {
    this.add('"');
    for (let at = 0; at < text.length; ) {
      if (this.#slices.isOver) await this.#slices.next();
      const end = endOfPiece(text, at + CHUNK_CHARS);
      this.add(JSON.stringify(text.slice(at, end)).slice(1, -1));
      at = end;
    }
    this.add('"');
  }
}

/** Does not split a surrogate pair, which would be written as two escapes. */
function endOfPiece(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return at < text.length && code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

/** The content-length header of chunks, because many servers refuse a body without it. */
export function lengthOf(body: WrittenJson): Readonly<Record<string, string>> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return {};
  return { 'content-length': String(body.reduce((sum, { length }) => sum + length, 0)) };
}

/** The JSON as one piece of bytes. */
export function writtenBytes(written: WrittenJson): Buffer {
  if (typeof written === 'string') return Buffer.from(written);
  return Buffer.isBuffer(written) ? written : Buffer.concat(written);
}
