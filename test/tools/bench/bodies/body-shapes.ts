/**
 * Bodies whose processing costs far more than their size: as large as the gateway accepts, and
 * small ones that hold as many values as fit.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { PLAIN_MODEL } from '../environment/environment.ts';

const MB = 1024 * 1024;
const BYTES = 62 * MB;
const MESSAGE = '{"role":"user","content":""}';
/** Small bodies sent at once. */
const BURST = 200;
const DROPS = 200;
const DROP_EVERY_MS = 100;
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

export interface Shape {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent this many times at once, beside calls of another account; default: 1, 20 and 100 times. */
  readonly burst?: number;
  /** Default: chat completions. */
  readonly path?: string;
  /** The body of every call with this shape; streams are created anew for each call. */
  make(): Buffer | (() => AsyncIterable<Buffer>);
}

const messages = (list: string) => `"model":"${PLAIN_MODEL}","messages":[${list}]`;
const withField = (value: string) => Buffer.from(`{${messages(MESSAGE)},"x":${value}}`);
const withText = (text: string) =>
  Buffer.from(`{${messages(`{"role":"user","content":"${text}"}`)}}`);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const numbers = () => withField(`[${'1,'.repeat(BYTES / 2)}1]`);

export const SHAPES: readonly Shape[] = [
  // The baseline: the cost of as many plain calls at once.
  { name: 'a plain call', make: () => Buffer.from(`{${messages(MESSAGE)}}`) },
  { name: 'burst of plain calls', burst: BURST, make: () => Buffer.from(`{${messages(MESSAGE)}}`) },
  {
    name: 'burst of 55 KB of arrays, 400 deep',
    burst: BURST,
    make: () => withField(`[${Array.from({ length: 69 }, () => nested(400)).join()}]`),
  },
  {
    name: 'burst of 55 KB of arrays, 400 deep, read',
    burst: BURST,
    make: () =>
      Buffer.from(
        `{${messages(MESSAGE)},"metadata":{"a":[${Array.from({ length: 69 }, () => nested(400)).join()}]}}`,
      ),
  },
  {
    name: 'burst of 59 KB of {}',
    burst: BURST,
    make: () => Buffer.from(`{${messages(`${'{},'.repeat(19_600)}{}`)}}`),
  },
  {
    name: 'burst of 59 KB of {}, read',
    burst: BURST,
    make: () => Buffer.from(`{${messages(MESSAGE)},"metadata":{"a":[${'{},'.repeat(19_600)}{}]}}`),
  },
  {
    name: 'burst of 51 KB of Gemini parts',
    burst: BURST,
    path: `/v1beta/models/${PLAIN_MODEL}:generateContent`,
    make: () =>
      Buffer.from(`{"contents":[{"parts":[${'{"text":"a"},'.repeat(3_900)}{"text":"a"}]}]}`),
  },
  { name: 'array of 32 M numbers', make: numbers },
  {
    name: 'object of 4 M names',
    make() {
      const parts = Array.from({ length: 4_000_000 }, (_, at) => `"k${at}":1`);
      return withField(`{${parts.join(',')}}`);
    },
  },
  {
    name: '2 M messages',
    make: () => Buffer.from(`{${messages(`${`${MESSAGE},`.repeat(2_000_000)}${MESSAGE}`)}}`),
  },
  {
    name: 'nested 30 M deep',
    make: () => withField('['.repeat(BYTES / 2) + ']'.repeat(BYTES / 2)),
  },
  { name: 'text of ASCII', make: () => withText('x'.repeat(BYTES)) },
  { name: 'text of ASCII, one character beyond', make: () => withText(`漢${'x'.repeat(BYTES)}`) },
  { name: 'text of Chinese', make: () => withText('漢'.repeat(BYTES / 3)) },
  { name: 'text of escapes', make: () => withText('\\n'.repeat(BYTES / 2)) },
  {
    name: '290,000 empty objects, read',
    make: () => Buffer.from(`{${messages(MESSAGE)},"metadata":{"a":[${'{},'.repeat(290_000)}{}]}}`),
  },
  { name: 'one string', make: () => withField(`"${'x'.repeat(BYTES)}"`) },
  {
    name: 'the array in gzip',
    headers: { 'content-encoding': 'gzip' },
    make: () => gzipSync(numbers()),
  },
  {
    name: 'the array in brotli',
    headers: { 'content-encoding': 'br' },
    make: () => brotliCompressSync(numbers(), FAST),
  },
  { name: '100 bytes each 100 ms, chunked', make: () => drops },
];

async function* drops(): AsyncIterable<Buffer> {
  yield Buffer.from(`{${messages(MESSAGE)},"x":"`);
  for (let sent = 0; sent < DROPS; sent += 1) {
    await pause(DROP_EVERY_MS);
    yield Buffer.alloc(100, 'x');
  }
  yield Buffer.from('"}');
}
