/**
 * The reader of large bodies, in slices and with objects only for the fields that the gateway uses:
 * values equal those of `JSON.parse`, and unread fields stay as they were written.
 */
import { deepStrictEqual } from 'node:assert';
import { expect, test } from 'vitest';
import { RawJson } from '../../../src/relay/body/raw-json.ts';
import { LARGE_BYTES, readJsonBody, readLargeBody } from '../../../src/relay/body/read-body.ts';
import { type WrittenJson, writeEdited, writeJson } from '../../../src/relay/body/write-json.ts';

const isRead = (name: string) => !name.startsWith('x');
const reading = { account: 0, hold: () => undefined };

function textOf(written: WrittenJson): string {
  if (typeof written === 'string') return written;
  return (Buffer.isBuffer(written) ? written : Buffer.concat(written)).toString('utf8');
}

/** The code of the refusal, and the position it reports. */
async function refusalOf(text: string): Promise<readonly unknown[]> {
  const error: unknown = await readLargeBody(Buffer.from(text), isRead, reading).catch(
    (cause) => cause,
  );
  const { code, params } = error as { code?: string; params?: Record<string, unknown> };
  return [code, params?.position ?? params?.field];
}

/** As reported by the engine; undefined if it reports none. */
function positionOf(text: string): number | undefined {
  try {
    JSON.parse(text);
  } catch (error) {
    const found = /position (\d+)/.exec(String(error));
    return found === null ? undefined : Number(found[1]);
  }
  throw new Error(`this is JSON: ${text.slice(0, 80)}`);
}

/** Reproducible numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = ['a', '漢', '😀', '"', '\\', '\n', '\u0001', '\ud83d', '\udc00', '/', 'é\\"'];
const NAMES = ['a', 'role', '__proto__', 'constructor', 'é😀', '', 'content'];
const PLAIN = [0, -0, 1.5, 1e21, 1e-7, 123_456_789_012, true, false, null];

class Generator {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }

  text(): string {
    const length = this.below(300) === 0 ? 70_000 + this.below(100_000) : this.below(12);
    const unit = this.one(PIECES) + this.one(PIECES);
    return unit.repeat(Math.ceil(length / 2)) + this.one(PIECES);
  }

  /** A value as JSON, in one of many spellings. */
  value(depth: number): string {
    const kind = this.below(depth > 4 ? 2 : 5);
    if (kind === 0) return this.spelled(this.text());
    if (kind === 1) {
      const plain = this.one(PLAIN);
      return Object.is(plain, -0) ? '-0' : String(plain);
    }
    const many = this.below(200) === 0;
    const length = many ? 20_000 : this.below(6);
    const entries = Array.from({ length }, (_, index) => {
      const value = many ? this.one(['1', '"ab"', '{}', '[]', '{"q":1}']) : this.value(depth + 1);
      if (kind < 4) return this.spaced(value);
      const name = many ? `k${index}` : this.one(NAMES);
      return `${this.spaced(this.spelled(name))}:${this.spaced(value)}`;
    });
    return kind < 4 ? `[${entries.join()}]` : `{${entries.join()}}`;
  }

  body(): string {
    const names = ['messages', 'tools', 'model', 'x1', 'x2'].filter(() => this.below(2) === 0);
    const members = names.map((name) => `${this.spelled(name)}:${this.spaced(this.value(0))}`);
    return this.spaced(`{${members.join()}}`);
  }

  /** With something removed, inserted or truncated. */
  broken(text: string): string {
    const at = this.below(text.length);
    const way = this.below(3);
    if (way === 0) return text.slice(0, at) + text.slice(at + 1 + this.below(3));
    if (way === 1) return text.slice(0, at);
    const junk = [
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '1',
      '-',
      '.',
      'e',
      'tru',
      '\\u12',
      '\0',
    ];
    return text.slice(0, at) + this.one(junk) + text.slice(at);
  }

  spaced(text: string): string {
    return this.below(8) === 0 ? this.one([' ', '\n', '\r\t']) + text + this.one(['', '  ']) : text;
  }

  spelled(text: string): string {
    const literal = JSON.stringify(text);
    if (this.below(4) > 0) return literal;
    return literal.replaceAll('a', '\\u0061').replaceAll('/', '\\/');
  }
}

/** With U+FFFD for half of a surrogate pair. */
function mended(text: string): string {
  return text.replaceAll(
    /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u(d[89a-f][\da-f]{2})|.)/gi,
    (whole, half) => (half === undefined ? whole : '\\ufffd'),
  );
}

test('accepts and refuses the same text as JSON.parse, at the same position', async () => {
  const make = new Generator(4711);
  const outcomes = { read: 0, refused: 0, located: 0 };
  for (let round = 0; round < 400; round++) {
    const whole = make.body();
    const text = make.below(2) === 0 ? whole : Buffer.from(make.broken(whole)).toString('utf8');
    let wanted: unknown;
    try {
      wanted = JSON.parse(mended(text));
    } catch {
      const [code, position] = await refusalOf(text);
      expect([text.slice(0, 200), code]).toEqual([
        text.slice(0, 200),
        expect.stringMatching(/^body_(not_json|missing)$/),
      ]);
      const expected = positionOf(text);
      if (expected !== undefined && code === 'body_not_json') {
        expect([text.slice(0, 200), position]).toEqual([text.slice(0, 200), expected]);
        outcomes.located++;
      }
      outcomes.refused++;
      continue;
    }
    const body = await readLargeBody(Buffer.from(text), isRead, reading).catch((error) => error);
    // The change created a duplicate key, which is refused.
    if (body instanceof Error) {
      expect(body).toMatchObject({ code: 'field_wrong' });
      continue;
    }
    const sent = Object.fromEntries(
      Object.entries(body.sent).map(([name, value]) => [
        name,
        value instanceof RawJson ? value.toJSON() : value,
      ]),
    );
    deepStrictEqual(sent, wanted);
    const written = JSON.parse(textOf(await writeJson(body, body.sent)));
    expect(JSON.stringify(written)).toBe(JSON.stringify(wanted));
    const after = { ...body.sent, model: 'b', tools: undefined };
    const edited = JSON.parse(textOf(await writeEdited(body, after)));
    const { tools: _, ...rest } = wanted as Record<string, unknown>;
    expect(JSON.stringify(edited)).toBe(JSON.stringify({ ...rest, model: 'b' }));
    outcomes.read++;
  }
  // The test is meaningful only if all three occur.
  expect(Math.min(outcomes.read, outcomes.refused, outcomes.located)).toBeGreaterThan(30);
});

test('keeps the bytes of long fields that it does not parse', async () => {
  const numbers = `[ ${'1.50, '.repeat(30_000)}12345678901234567890 ]`;
  const text = `{ "x" : ${numbers} ,"model":"a"}`;
  const body = await readLargeBody(Buffer.from(text), isRead, reading);
  expect(body.sent.x).toBeInstanceOf(RawJson);
  expect(await writeEdited(body, body.sent)).toBe(body.raw);
  expect(textOf(await writeEdited(body, { ...body.sent, model: 'b' }))).toBe(
    `{"x" : ${numbers},"model":"b"}`,
  );
  expect(textOf(await writeJson(body, { y: body.sent.x, z: undefined }))).toBe(`{"y":${numbers}}`);
});

test.each([
  ['"x" twice', '{"x":1,"x":2}', ['field_wrong', 'x']],
  ['"x" twice, once escaped', '{"x":1,"\\u0078":2}', ['field_wrong', 'x']],
  ['too deep', `{"x":${'['.repeat(501)}${']'.repeat(501)}}`, ['field_wrong', 'x']],
  ['too deep and not closed', `{"x":${'['.repeat(501)}`, ['body_not_json', 506]],
  [
    'too many fields',
    `{${Array.from({ length: 1001 }, (_, n) => `"f${n}":1`)}}`,
    ['field_wrong', 'f1000'],
  ],
  ['too many texts', `{"messages":[${'"",'.repeat(300_000)}""]}`, ['field_wrong', 'messages']],
  ['too many numbers', `{"messages":[${'1,'.repeat(1_200_000)}1]}`, ['field_wrong', 'messages']],
  ['a list', '[1,2]', ['body_not_object', undefined]],
  ['nothing but blanks', ' '.repeat(200_000), ['body_missing', undefined]],
  ['a number of many digits', `{"x":${'1'.repeat(70_000)}}`, ['body_not_json', 65_542]],
])('refuses %s', async (_case, text, refusal) => {
  expect(await refusalOf(text)).toEqual(refusal);
});

test('keeps an unparsed field as bytes, whatever it contains', async () => {
  const text = `{"x":[${'{},'.repeat(500_000)}1],"xx":{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`)}}}`;
  const { sent } = await readLargeBody(Buffer.from(text), isRead, reading);
  expect(Object.values(sent).map((value) => value instanceof RawJson)).toEqual([true, true]);
});

test.each([
  ['lists and objects', `[${'{},[],'.repeat(10_000)}1]`, 80_000],
  ['names and numbers', `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`)}}`, 40_000],
  ['texts', `[${'"ab",'.repeat(20_000)}""]`, 20_000],
])('counts the memory of the %s it creates', async (_case, value, atLeast) => {
  for (const blanks of [0, LARGE_BYTES]) {
    let units = 0;
    const text = `{"messages":${value}${' '.repeat(blanks)}}`;
    expect(text.length > LARGE_BYTES).toBe(blanks > 0 || value.length > LARGE_BYTES);
    await readJsonBody(Buffer.from(text), isRead, {
      account: 0,
      hold: (more) => {
        units += more;
      },
    });
    expect(units).toBeGreaterThanOrEqual(atLeast);
    expect(units).toBeLessThan(5 * atLeast);
  }
});

test('counts no memory for fields kept as bytes', async () => {
  let units = 0;
  const text = `{"x":[${'{},'.repeat(500_000)}1]}`;
  await readLargeBody(Buffer.from(text), isRead, {
    account: 0,
    hold: (more) => {
      units += more;
    },
  });
  expect(units).toBe(0);
});

test('stops when its memory limit is reached', async () => {
  const text = `{"messages":[${'{},'.repeat(250_000)}1]}`;
  let units = 0;
  const full = new Error('full');
  const read = readLargeBody(Buffer.from(text), isRead, {
    account: 0,
    hold: (more) => {
      units += more;
      if (units > 100_000) throw full;
    },
  });
  await expect(read).rejects.toBe(full);
  expect(units).toBeLessThan(200_000);
});

test('limits the total of long texts beyond Latin-1 only', async () => {
  const wide = `"漢${'x'.repeat(9_000_000)}"`;
  const plain = `"${'x'.repeat(9_000_000)}","${'é'.repeat(4_000_000)}\\n"`;
  const { sent } = await readLargeBody(
    Buffer.from(`{"messages":[${wide},${plain}]}`),
    isRead,
    reading,
  );
  expect((sent.messages as string[]).map(({ length }) => length)).toEqual([
    9_000_001, 9_000_000, 4_000_001,
  ]);
  expect(await refusalOf(`{"messages":[${wide},${plain},${wide}]}`)).toEqual([
    'field_wrong',
    'messages',
  ]);
});

test('reads numbers like JSON.parse', async () => {
  const { sent } = await readLargeBody(
    Buffer.from('{"a":[1e400,-0,1E-2,-1e400]}'),
    isRead,
    reading,
  );
  expect(sent.a).toEqual([Infinity, -0, 0.01, -Infinity]);
});
