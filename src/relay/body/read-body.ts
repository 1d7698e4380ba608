/**
 * Parses the JSON of a request body: at once if it is small, otherwise in slices. The values of a
 * small body are counted and reserved before they are parsed.
 */
import { isUtf8 } from 'node:buffer';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { type Member, topMembers } from '../../json/edit-json-text.ts';
import { isObject, type JsonObject, namesIn, syntaxErrorAt } from '../../json/read-json.ts';
import { LIGHT_UNITS } from './body-budget.ts';
import { BodyBuilder, MAX_DEPTH, type MemberRange, put } from './body-builder.ts';
import { Slices, turnOf } from './event-loop-slices.ts';
import { mayHaveHalfPair } from './half-pairs.ts';
import { JsonScanner, type JsonSink, JsonSyntaxError } from './json-scanner.ts';
import { LongTexts } from './long-text.ts';

export interface JsonBody {
  /** The decoded bytes of the client's body, forwarded unchanged when no edit is needed. */
  readonly raw: Buffer;
  readonly sent: JsonObject;
  /**
   * What `sent` is edited from when only some fields change: the text of a small body, or the field
   * ranges of a large one.
   */
  readonly source: string | readonly MemberRange[];
}

/** Larger bodies are read in slices. */
export const LARGE_BYTES = 128 * 1024;
const STEP_BYTES = 64 * 1024;

/** Counts parsed values, in the units of `BodyReservation.hold`. */
export type Hold = (units: number) => void;

export interface Reading {
  /** The user who sent the body; 0 for none. */
  readonly account: number;
  readonly hold: Hold;
}

/**
 * Waits if this turn of the event loop has done enough for others (`turnOf`). `isRead` selects the
 * fields that are always parsed; in a large body, and in one with another field of many values, the
 * values of other fields stay bytes (`RawJson`) unless they are short.
 * @throws AppError body_encoding_broken, body_missing, body_not_json, body_not_object, field_wrong;
 * what `hold` throws.
 */
export function readJsonBody(
  raw: Buffer,
  isRead: (name: string) => boolean,
  reading: Reading,
): Awaitable<JsonBody> {
  const turn = turnOf(reading.account);
  if (turn !== undefined) return turn.then(() => readInTurn(raw, isRead, reading));
  return readInTurn(raw, isRead, reading);
}

function readInTurn(
  bytes: Buffer,
  isRead: (name: string) => boolean,
  reading: Reading,
): Awaitable<JsonBody> {
  if (!isUtf8(bytes)) throw new AppError('body_encoding_broken', { encoding: 'UTF-8' });
  const raw = withoutBom(bytes);
  if (raw.length > LARGE_BYTES) return readLargeBody(raw, isRead, reading);
  const text = mendedText(raw);
  const members = membersOf(text);
  // Scanning a field whose bytes are kept takes less than parsing its many values.
  const isKept = ({ name, units }: Member) => units > LIGHT_UNITS && !isRead(name);
  if (members.some(isKept)) return readLargeBody(raw, isRead, reading);
  return { raw, sent: parseObject(text, members, reading.hold), source: text };
}

/** Some editors and languages put a byte order mark before UTF-8 (RFC 8259 8.1). */
const BOM = Buffer.from('\ufeff');

function withoutBom(bytes: Buffer): Buffer {
  const starts = bytes[0] === BOM[0] && bytes[1] === BOM[1] && bytes[2] === BOM[2];
  return starts ? bytes.subarray(BOM.length) : bytes;
}

const NO_SINK: JsonSink = {
  open: () => undefined,
  close: () => undefined,
  name: () => undefined,
  text: () => undefined,
  plain: () => undefined,
};

/** The search of text takes a fraction of one of bytes. */
function mendedText(raw: Buffer): string {
  const text = raw.toString('utf8');
  if (!mayHaveHalfPair(text)) return text;
  mendHalfPairs(raw);
  return raw.toString('utf8');
}

/** Of a small body, whose text is parsed afterwards; the scanner does it for a large one. */
function mendHalfPairs(raw: Buffer): void {
  try {
    new JsonScanner(raw, NO_SINK).read(raw.length);
  } catch (error) {
    // Parsing reports the error.
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
}

function membersOf(text: string): readonly Member[] {
  try {
    return topMembers(text);
  } catch {
    return []; // not JSON, which parsing it reports
  }
}

/** Parses a body of any length in slices. The bytes must be valid UTF-8. */
export async function readLargeBody(
  raw: Buffer,
  isRead: (name: string) => boolean,
  reading: Reading,
): Promise<JsonBody> {
  const builder = new BodyBuilder(raw, isRead);
  try {
    await scan(new JsonScanner(raw, builder), builder, reading);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw await syntaxError(raw, error);
  }
  if (!builder.isObject) throw new AppError('body_not_object');
  if (builder.refusal !== undefined) throw builder.refusal;
  const texts = new LongTexts(raw);
  for (const text of builder.texts) {
    const { field, holder, key, start, end } = text;
    // Skip it if a later member of the same name has replaced it.
    if (Reflect.get(holder, key) !== text) continue;
    put(holder, key, await texts.decode(field, start, end));
  }
  return { raw, sent: builder.sent, source: builder.members };
}

async function scan(
  scanner: JsonScanner,
  builder: BodyBuilder,
  { account, hold }: Reading,
): Promise<void> {
  const slices = new Slices(account);
  let held = 0;
  for (let isMore = true; isMore; ) {
    if (slices.isOver) await slices.next();
    isMore = scanner.read(STEP_BYTES);
    hold(builder.unitsMade - held);
    held = builder.unitsMade;
  }
}

async function syntaxError(raw: Buffer, cause: JsonSyntaxError): Promise<AppError> {
  if (cause.isBlank) return new AppError('body_missing', {}, { cause });
  return new AppError('body_not_json', { position: await charsIn(raw, cause.at) }, { cause });
}

/** Character count in UTF-16 units, as `JSON.parse` reports positions. */
async function charsIn(raw: Buffer, end: number): Promise<number> {
  const slices = new Slices();
  let chars = 0;
  for (let at = 0; at < end; ) {
    if (slices.isOver) await slices.next();
    const until = Math.min(end, at + STEP_BYTES);
    for (; at < until; at++) {
      const byte = raw[at] ?? 0;
      // Count only the first byte of a character, and count a four-byte character twice.
      if ((byte & 0xc0) !== 0x80) chars += byte >= 0xf0 ? 2 : 1;
    }
  }
  return chars;
}

function parseObject(text: string, members: readonly Member[], hold: Hold): JsonObject {
  if (text.trim() === '') throw new AppError('body_missing');
  hold(members.reduce((sum, { units }) => sum + units, 0));
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new AppError('body_not_json', { position: syntaxErrorAt(text) ?? 0 }, { cause });
  }
  if (!isObject(parsed)) throw new AppError('body_not_object');
  refuseTraps(members, parsed);
  return parsed;
}

/**
 * Refuses JSON that parses but is harmful. With a repeated name some parsers take the first value
 * and some the last (RFC 8259 4), so the upstream could read another model or limit than the one
 * priced; a value nested too deeply cannot be serialized for forwarding or logs.
 */
function refuseTraps(members: readonly Member[], parsed: JsonObject): void {
  const isFlat = members.every(({ depth }) => depth <= MAX_DEPTH);
  const written = members.reduce((sum, { names }) => sum + names, members.length);
  if (isFlat && written === namesIn(parsed)) return;
  const names = new Set<string>();
  for (const { name, depth, names: inner } of members) {
    if (names.has(name)) throw wrongField(name, 'repeated');
    if (depth > MAX_DEPTH) throw wrongField(name, 'too_deep', { most: MAX_DEPTH });
    if (inner !== namesIn(parsed[name])) throw wrongField(name, 'name_repeated');
    names.add(name);
  }
}
