/**
 * Builds the fields of a large body while the scanner reads it: objects for the fields the gateway
 * reads, raw bytes for the others. Limits are checked before anything is built.
 */
import type { AppError, ErrorParams } from '../../domain/errors/errors.ts';
import { type FieldProblem, wrongField } from '../../domain/errors/field-errors.ts';
import { namesIn } from '../../json/read-json.ts';
import { LIGHT_UNITS } from './body-budget.ts';
import type { JsonSink } from './json-scanner.ts';
import { RawJson } from './raw-json.ts';

/** Byte range of a top-level field, from its name to the end of its value. */
export interface MemberRange {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Far beyond any schema, far below the engine's stack limit. */
export const MAX_DEPTH = 500;
const MAX_MEMBERS = 1000;
const MAX_NAME_BYTES = 4096;
const SHOWN_NAME_BYTES = 64;
/**
 * Memory limit of the fields that are read, in units of 40 bytes: 300,000 strings, lists and
 * objects, or four times as many names and numbers.
 */
const MAX_UNITS = 1_200_000;
const UNITS_OF_PLAIN = 1;
const UNITS_OF_OTHERS = 4;

/**
 * Values up to this length are parsed at once; longer ones are assembled from chunks of this size.
 */
const CHUNK_BYTES = 64 * 1024;
/** Total size of unknown fields that are still parsed, because a provider's rules may read them. */
const MAX_SMALL_BYTES = 256 * 1024;

type Holder = unknown[] | Record<string, unknown>;

/** A long string that is decoded later, and where to put it. */
export interface TextToRead {
  /** The top-level field that contains it. */
  readonly field: string;
  readonly holder: Holder;
  readonly key: string | number;
  readonly start: number;
  readonly end: number;
}

/** A list or object being read. */
interface Level {
  start: number;
  isList: boolean;
  /** Created once the value is longer than a chunk. */
  made: Holder | undefined;
  /** Range of members or entries that are read but not built yet; -1 when there are none. */
  batchStart: number;
  batchEnd: number;
  /** Start of the current child, including its name. */
  childStart: number;
  nameStart: number;
  nameEnd: number;
}

const NOTHING: unique symbol = Symbol('nothing');

export class BodyBuilder implements JsonSink {
  readonly sent: Record<string, unknown> = {};
  readonly members: MemberRange[] = [];
  readonly texts: TextToRead[] = [];
  isObject = false;
  /** Why the body is refused, provided that the rest of it is valid JSON. */
  refusal: AppError | undefined;

  readonly #bytes: Buffer;
  readonly #isRead: (name: string) => boolean;
  readonly #levels: Level[] = [];
  #depth = 0;
  #deepest = 0;
  #units = 0;
  #smallBytes = 0;
  /** Whether the current field is built into objects. */
  #isMaking = false;

  /** The current top-level field. */
  #name = '';
  #memberStart = 0;
  #valueStart = 0;
  #unitsBefore = 0;
  /** Names in the current field, as read and as built: fewer are built if some repeat. */
  #namesRead = 0;
  #namesBuilt = 0;
  #isMemberRead = false;
  #value: unknown = NOTHING;

  constructor(bytes: Buffer, isRead: (name: string) => boolean) {
    this.#bytes = bytes;
    this.#isRead = isRead;
  }

  open(start: number, isList: boolean): void {
    const depth = this.#depth++;
    if (depth === 0) {
      this.isObject = !isList;
      return;
    }
    if (depth > this.#deepest) this.#deepest = depth;
    this.#count(UNITS_OF_OTHERS);
    if (depth === 1) this.#valueStart = start;
    else this.#startChild(depth, start);
    if (depth > MAX_DEPTH) this.#isMaking = false;
    if (this.#isMaking) this.#levels[depth] = newLevel(start, isList);
  }

  close(end: number): void {
    const depth = --this.#depth;
    if (depth === 0) return;
    const level = this.#isMaking ? this.#levels[depth] : undefined;
    if (level === undefined) {
      if (depth === 1) this.#memberEnds(end);
      return;
    }
    const isLong = level.made !== undefined || end - level.start > CHUNK_BYTES;
    const value = isLong ? this.#make(level) : NOTHING;
    this.#valueEnds(depth, end, value);
  }

  name(start: number, end: number): void {
    if (this.#depth === 1) {
      this.#startMember(start, end);
      return;
    }
    this.#count(UNITS_OF_PLAIN);
    if (!this.#isMaking) return;
    const level = this.#levels[this.#depth - 1];
    if (level === undefined) return;
    this.#namesRead++;
    level.childStart = start;
    level.nameStart = start;
    level.nameEnd = end;
  }

  text(start: number, end: number): void {
    this.#scalar(start, end, UNITS_OF_OTHERS, end - start > CHUNK_BYTES);
  }

  plain(start: number, end: number): void {
    this.#scalar(start, end, UNITS_OF_PLAIN, false);
  }

  #scalar(start: number, end: number, units: number, isLongText: boolean): void {
    const depth = this.#depth;
    if (depth === 0) return;
    this.#count(units);
    if (depth === 1) this.#valueStart = start;
    else this.#startChild(depth, start);
    if (this.#isMaking && isLongText) this.#addLongText(depth, start, end);
    else if (this.#isMaking) this.#valueEnds(depth, end, NOTHING);
    else if (depth === 1) this.#memberEnds(end);
  }

  /** Units of everything built so far; it never decreases. */
  get unitsMade(): number {
    return this.#isMemberRead ? this.#units : this.#unitsBefore;
  }

  #startMember(start: number, end: number): void {
    const isRefused = this.#isFull && this.refusal !== undefined;
    const name = isRefused ? '' : this.#nameIn(start, end);
    this.#name = name;
    this.#memberStart = start;
    this.#deepest = 0;
    this.#namesRead = 0;
    this.#namesBuilt = 0;
    this.#unitsBefore = this.#units;
    this.#value = NOTHING;
    this.#isMemberRead = this.#isRead(name);
    this.#isMaking = this.#isMemberRead && this.refusal === undefined;
  }

  #nameIn(start: number, end: number): string {
    if (end - start <= MAX_NAME_BYTES) return String(this.#parse(start, end));
    const name = this.#bytes.toString('utf8', start + 1, start + SHOWN_NAME_BYTES);
    this.refusal ??= wrongField(name, 'name_too_long', { most: MAX_NAME_BYTES });
    return name;
  }

  get #isFull(): boolean {
    return this.members.length >= MAX_MEMBERS;
  }

  #startChild(depth: number, start: number): void {
    const level = this.#isMaking ? this.#levels[depth - 1] : undefined;
    if (level?.isList) level.childStart = start;
  }

  #count(units: number): void {
    this.#units += units;
    if (this.#units <= MAX_UNITS || !this.#isMemberRead || this.refusal !== undefined) return;
    if (this.#deepest <= MAX_DEPTH)
      this.#refuse('too_many_values', { most: MAX_UNITS / UNITS_OF_OTHERS });
  }

  #refuse(problem: FieldProblem, params: ErrorParams = {}): void {
    this.refusal ??= wrongField(this.#name, problem, params);
    this.#isMaking = false;
  }

  /**
   * Called when a value at `depth` is complete: built already, or to be built in a batch with its
   * neighbours.
   */
  #valueEnds(depth: number, end: number, value: unknown): void {
    if (depth === 1) {
      this.#value = value;
      this.#memberEnds(end);
      return;
    }
    const level = this.#levels[depth - 1];
    if (level === undefined) return;
    if (value !== NOTHING) {
      const holder = this.#make(level);
      this.#add(holder, this.#keyIn(level, holder), value);
      return;
    }
    if (level.batchStart === -1) level.batchStart = level.childStart;
    level.batchEnd = end;
    if (end - level.batchStart > CHUNK_BYTES) this.#make(level);
  }

  #keyIn(level: Level, holder: Holder): string | number {
    return Array.isArray(holder)
      ? holder.length
      : String(this.#parse(level.nameStart, level.nameEnd));
  }

  #addLongText(depth: number, start: number, end: number): void {
    if (depth === 1) {
      const text = { field: this.#name, holder: this.sent, key: this.#name, start, end };
      this.texts.push(text);
      this.#value = text;
      this.#memberEnds(end);
      return;
    }
    const level = this.#levels[depth - 1];
    if (level === undefined) return;
    const holder = this.#make(level);
    const text = { field: this.#name, holder, key: this.#keyIn(level, holder), start, end };
    this.texts.push(text);
    this.#add(holder, text.key, text);
  }

  #add(holder: Holder, key: string | number, value: unknown): void {
    if (typeof key === 'string' && !Object.hasOwn(holder, key)) this.#namesBuilt++;
    put(holder, key, value);
  }

  /** Builds the pending batch of a level. */
  #make(level: Level): Holder {
    const made: Holder = level.made ?? (level.isList ? [] : {});
    level.made = made;
    const { batchStart, batchEnd } = level;
    level.batchStart = -1;
    if (batchStart === -1) return made;
    const batch = this.#bytes.toString('utf8', batchStart, batchEnd);
    if (Array.isArray(made)) {
      const entries = JSON.parse(`[${batch}]`) as unknown[]; // the brackets make it a list
      this.#namesBuilt += namesIn(entries);
      for (const entry of entries) made.push(entry);
    } else {
      const fields: object = JSON.parse(`{${batch}}`);
      for (const [name, value] of Object.entries(fields)) {
        this.#namesBuilt += namesIn(value);
        this.#add(made, name, value);
      }
    }
    return made;
  }

  #memberEnds(end: number): void {
    this.#isMaking = false;
    const name = this.#name;
    const isFull = this.#isFull;
    const isRepeated = !isFull && Object.hasOwn(this.sent, name);
    if (isFull) this.#refuse('too_many_fields', { most: MAX_MEMBERS });
    else if (isRepeated) this.#refuse('repeated');
    else if (this.#deepest > MAX_DEPTH) this.#refuse('too_deep', { most: MAX_DEPTH });
    if (this.refusal !== undefined && (isFull || isRepeated)) return;
    this.members.push({ name, start: this.#memberStart, end });
    put(this.sent, name, this.refusal === undefined ? this.#valueOf(end) : undefined);
    if (this.#isMemberRead && this.#namesRead !== this.#namesBuilt) this.#refuse('name_repeated');
  }

  #parseRead(start: number, end: number): unknown {
    const value = this.#parse(start, end);
    this.#namesBuilt += namesIn(value);
    return value;
  }

  #valueOf(end: number): unknown {
    const start = this.#valueStart;
    if (this.#isMemberRead)
      return this.#value === NOTHING ? this.#parseRead(start, end) : this.#value;
    const bytes = end - start;
    const isSmall =
      bytes <= CHUNK_BYTES &&
      this.#smallBytes + bytes <= MAX_SMALL_BYTES &&
      this.#units - this.#unitsBefore <= LIGHT_UNITS;
    if (isSmall) {
      this.#smallBytes += bytes;
      this.#unitsBefore = this.#units;
      return this.#parse(start, end);
    }
    this.#units = this.#unitsBefore;
    return new RawJson(this.#bytes.subarray(start, end));
  }

  #parse(start: number, end: number): unknown {
    return JSON.parse(this.#bytes.toString('utf8', start, end));
  }
}

function newLevel(start: number, isList: boolean): Level {
  return {
    start,
    isList,
    made: undefined,
    batchStart: -1,
    batchEnd: 0,
    childStart: start,
    nameStart: 0,
    nameEnd: 0,
  };
}

/** Like `JSON.parse`, treats `__proto__` as an ordinary name. */
export function put(holder: Holder, key: string | number, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else if (key === '__proto__')
    Object.defineProperty(holder, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else holder[key] = value;
}
