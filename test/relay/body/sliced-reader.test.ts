/**
 * The reader of large bodies, in slices and with objects only for the fields that the gateway uses.
 * `test/tools/fuzz/large-json.test.ts` compares it with `JSON.parse`.
 */
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

/** Small, but with more values than are parsed without being reserved among the heavy ones. */
const MANY = `[${'{},'.repeat(19_600)}{}]`;

test('reserves the values of a small body before it parses them', async () => {
  const full = new Error('full');
  const holds: number[] = [];
  const hold = (units: number) => {
    holds.push(units);
    throw full;
  };
  // Not JSON after the values, which parsing would report.
  const bytes = Buffer.from(`{"messages":${MANY},"y":tru}`);
  const read = async () => readJsonBody(bytes, isRead, { account: 0, hold });
  await expect(read()).rejects.toBe(full);
  // Four units for each object and list, one for each comma and name.
  expect(holds).toEqual([4 * (19_601 + 2) + (19_600 + 1) + 2]);
});

test('parses many values of a small body at once, except in fields that are not read', async () => {
  const text = `{"messages":${MANY}}`;
  const read = await readJsonBody(Buffer.from(text), isRead, reading);
  expect(read).toEqual({ raw: Buffer.from(text), sent: JSON.parse(text), source: text });
  const kept = await readJsonBody(Buffer.from(`{"x":${MANY}}`), isRead, reading);
  expect(kept.sent.x).toBeInstanceOf(RawJson);
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
