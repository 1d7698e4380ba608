/**
 * Finds parts of a key in upstream responses. A part is a run of `MIN_RUN_LENGTH` or more
 * characters of the key's secret portion. Cheap enough for every byte of every response: a run of
 * twelve covers a position divisible by eleven and the next one, so only those two characters are
 * looked up.
 */
import { secretPartsOf } from '../channels/cloud-keys.ts';

/** Shorter runs reveal too little and also occur in ordinary text. */
export const MIN_RUN_LENGTH = 12;
const STRIDE = MIN_RUN_LENGTH - 1;
/** Shorter keys are placeholders for "no key". */
const SHORTEST_KEY = 8;
const MASK = '***';
const SHOWN = 3;
/** Vendor prefixes that are the same in all keys: `sk-ant-api03-`, `gsk_`, `github_pat_`. */
const PREFIX = /^[A-Za-z]{1,8}\d{0,2}[-_]/;
const MAX_PREFIXES = 3;
const PEM = '-----BEGIN ';
const PRINTABLE = /^[\x21-\x7e]+$/;

export class SecretRuns {
  /** Secrets that are masked when they occur in full, longest first. */
  readonly #wholes: readonly string[];
  /** Those too short to contain a run, which are matched only in full. */
  readonly #short: readonly Buffer[];
  readonly #pairs: Pairs[];

  constructor(key: string) {
    const secrets = [...new Set(secretPartsOf(key))].filter(({ length }) => length >= SHORTEST_KEY);
    this.#wholes = secrets.sort((one, other) => other.length - one.length);
    const portions = secrets.flatMap(splitPortions);
    this.#pairs = [...new Set(portions)].map((portion) => new Pairs(portion));
    this.#short = secrets
      .filter((secret) => secret.length < 2 * MIN_RUN_LENGTH && splitPortions(secret).length === 0)
      .map((secret) => Buffer.from(secret));
  }

  isIn(bytes: Buffer): boolean {
    // Loops, because closures would be garbage for every stream event.
    for (const pairs of this.#pairs) if (pairs.isIn(bytes)) return true;
    for (const secret of this.#short) if (bytes.includes(secret)) return true;
    return false;
  }

  /** Complete keys keep their first characters; partial ones are masked entirely. */
  hide(text: string): string {
    const shown = this.#wholes.reduce(
      (text, secret) => text.replaceAll(secret, secret.slice(0, SHOWN) + MASK),
      text,
    );
    return this.#pairs.reduce((text, pairs) => pairs.hide(text), shown);
  }
}

/** Every body line of a PEM is secret, except the first, whose beginning is common to its kind. */
function splitPortions(secret: string): string[] {
  // Keys with several parts are checked part by part.
  if (secret.startsWith('{') || secret.includes('|')) return [];
  const lines = secret.startsWith(PEM) ? secret.split('\n').slice(2, -1) : [secret];
  return lines
    .filter((line) => PRINTABLE.test(line))
    .map(withoutPrefix)
    .filter(({ length }) => length >= MIN_RUN_LENGTH);
}

function withoutPrefix(secret: string): string {
  let rest = secret;
  for (let cut = 0; cut < MAX_PREFIXES; cut++) {
    const shorter = rest.replace(PREFIX, '');
    if (shorter.length < MIN_RUN_LENGTH) break;
    rest = shorter;
  }
  return rest;
}

const TABLE_SIZE = 4096;

/** The positions in one secret, indexed by the two characters at each. */
class Pairs {
  readonly #codes: Uint8Array;
  readonly #isKnown = new Uint8Array(TABLE_SIZE);

  constructor(secret: string) {
    this.#codes = Uint8Array.from(secret, (sign) => sign.charCodeAt(0));
    for (let at = 0; at + 1 < secret.length; at++)
      this.#isKnown[placeOf(this.#codes[at], this.#codes[at + 1])] = 1;
  }

  isIn(bytes: Buffer): boolean {
    const isKnown = this.#isKnown;
    const end = bytes.length - 1;
    // For nearly every response this loop ends without a match.
    for (let at = 0; at < end; at += STRIDE)
      if (isKnown[placeOf(bytes[at], bytes[at + 1])] === 1 && this.#isRunAt(bytes, at)) return true;
    return false;
  }

  #isRunAt(bytes: Buffer, at: number): boolean {
    return this.#runAround(bytes.length, (index) => bytes[index], at) !== undefined;
  }

  /** The first run at or after `from`, in its full length. */
  findIn(
    length: number,
    codeAt: (at: number) => number | undefined,
    from: number,
  ): readonly [start: number, end: number] | undefined {
    for (let at = from; at + 1 < length; at += STRIDE) {
      if (this.#isKnown[placeOf(codeAt(at), codeAt(at + 1))] === 0) continue;
      const run = this.#runAround(length, codeAt, at);
      if (run !== undefined) return run;
    }
    return undefined;
  }

  hide(text: string): string {
    const codeAt = (at: number) => text.charCodeAt(at);
    let shown = '';
    let from = 0;
    for (;;) {
      const run = this.findIn(text.length, codeAt, from);
      if (run === undefined) return shown + text.slice(from);
      shown += text.slice(from, Math.max(from, run[0])) + MASK;
      from = run[1];
    }
  }

  #runAround(
    length: number,
    codeAt: (at: number) => number | undefined,
    at: number,
  ): readonly [number, number] | undefined {
    const codes = this.#codes;
    for (let index = 0; index + 1 < codes.length; index++) {
      if (codes[index] !== codeAt(at) || codes[index + 1] !== codeAt(at + 1)) continue;
      let before = 0;
      while (before < Math.min(index, at) && codes[index - before - 1] === codeAt(at - before - 1))
        before += 1;
      let behind = 2;
      const most = Math.min(codes.length - index, length - at);
      while (behind < most && codes[index + behind] === codeAt(at + behind)) behind += 1;
      if (before + behind >= MIN_RUN_LENGTH) return [at - before, at + behind];
    }
    return undefined;
  }
}

function placeOf(one = 0, next = 0): number {
  return (one * 31 + next) & (TABLE_SIZE - 1);
}
