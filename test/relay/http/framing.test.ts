/** Streams other than server-sent events: AWS event stream frames and JSON lines. */
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors/errors.ts';
import { AwsEventReader } from '../../../src/relay/http/aws-event-stream.ts';
import { type FrameReader, frameReaderOf } from '../../../src/relay/http/framing.ts';
import { NdjsonReader } from '../../../src/relay/http/ndjson.ts';
import { type SseEvent, SseReader } from '../../../src/relay/http/sse.ts';
import {
  awsFrame,
  chunkFrame,
  eventFrame,
  exceptionFrame,
} from '../../upstream/clouds/aws-event-stream.ts';

function readAll(reader: FrameReader, chunks: readonly Uint8Array[]): SseEvent[] {
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

function dataOf(events: readonly SseEvent[]): unknown[] {
  return events.map((event) => (event.kind === 'data' ? [event.event, event.data] : 'comment'));
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** The number of complete events before the damage, and the status. Same for any split. */
function damageIn(frames: readonly Uint8Array[]): unknown {
  const bytes = Buffer.concat(frames);
  const verdicts = [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))].map((chunks) => {
    const events = readAll(new AwsEventReader(), chunks);
    const last = events.at(-1);
    const isError = last?.kind === 'data' && last.event === 'error';
    return [events.length - 1, isError ? JSON.parse(last.data).error.code : last];
  });
  expect(verdicts[1]).toEqual(verdicts[0]);
  return verdicts[0];
}

/** Splits `bytes` at these positions. */
function cutAt(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const cuts = [...positions.map((index) => index % (bytes.length + 1)), 0, bytes.length];
  const ordered = cuts.toSorted((a, b) => a - b);
  return ordered.slice(1).map((end, at) => bytes.subarray(ordered[at], end));
}

test.each([
  ['text/event-stream; charset=utf-8', SseReader],
  ['application/vnd.amazon.eventstream', AwsEventReader],
  ['Application/X-NDJSON', NdjsonReader],
])('detects the framing of %s', (kind, reader) => {
  expect(frameReaderOf(kind)).toBeInstanceOf(reader);
});

test('an answer in one piece has no frames', () => {
  for (const kind of ['application/json', 'text/plain', undefined, ''])
    expect(frameReaderOf(kind)).toBe(undefined);
});

const FRAMES = [
  chunkFrame({ type: 'message_start', message: { id: 'Grüße 🙂' } }),
  awsFrame({ ':message-type': 'event', ':event-type': 'initial-response' }, '{}'),
  chunkFrame({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': { outputTokenCount: 3 } }),
  eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: '漢字' }, p: 'abc' }),
  exceptionFrame('throttlingException', 'Too many tokens'),
];
const EVENT_DATA = [
  ['message_start', '{"type":"message_start","message":{"id":"Grüße 🙂"}}'],
  ['message_stop', '{"type":"message_stop"}'],
  ['contentBlockDelta', '{"contentBlockIndex":0,"delta":{"text":"漢字"},"p":"abc"}'],
  [
    'error',
    '{"type":"error","error":{"type":"throttlingException","message":"Too many tokens","code":429}}',
  ],
];

test('AWS frames are the same wherever the network splits them', () => {
  const bytes = Buffer.concat(FRAMES);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
    expect(dataOf(readAll(new AwsEventReader(), chunks)), `cut at ${cut}`).toEqual(EVENT_DATA);
  }
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(dataOf(readAll(new AwsEventReader(), single))).toEqual(EVENT_DATA);
});

test.each([
  ['000000100000000005c248eb7d98c8ff', ''],
  ['0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936', "{'foo':'bar'}"],
  [
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
    "{'foo':'bar'}",
  ],
])('reads the frame %s published by AWS', (hex, payload) => {
  expect(dataOf(readAll(new AwsEventReader(), [Buffer.from(hex, 'hex')]))).toEqual([['', payload]]);
});

test('any AWS frames, split anywhere, are read back unchanged', () => {
  const payloads = fc.array(fc.record({ text: fc.string({ unit: 'binary', maxLength: 80 }) }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(payloads, fc.array(fc.nat(2000), { maxLength: 8 }), (given, positions) => {
      const bytes = Buffer.concat(given.map((payload) => eventFrame('delta', payload)));
      const events = readAll(new AwsEventReader(), cutAt(bytes, positions));
      const wanted = given.map((payload) => JSON.parse(JSON.stringify(payload)));
      expect(events.map((event) => event.kind === 'data' && JSON.parse(event.data))).toEqual(
        wanted,
      );
    }),
    { numRuns: 200 },
  );
});

test('a single flipped bit is detected anywhere, and earlier complete frames are kept', () => {
  const frame = chunkFrame({ type: 'ping' });
  for (let bit = 0; bit < frame.length * 8; bit += 1) {
    const at = bit >> 3;
    const broken = frame.with(at, (frame[at] ?? 0) ^ (1 << (bit & 7)));
    expect(damageIn([frame, broken, frame]), `bit ${bit}`).toEqual([1, 502]);
  }
});

test('random bytes are never read as an event and never hang the reader', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 12, maxLength: 200 }), (bytes) => {
      expect(damageIn([bytes])).toEqual([0, 502]);
    }),
  );
});

function prelude(total: number, headers: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(total, 0);
  bytes.writeUInt32BE(headers, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

test('an AWS frame of more than 16 MB is refused before it is buffered', () => {
  const most = 16 * 1024 * 1024;
  expect(damageIn([prelude(most + 1, 0)])).toEqual([0, 502]);
  expect(new AwsEventReader().push(prelude(most, 0))).toEqual([]);
});

test.each([
  [15, 0],
  [0, 0],
  [40, 25],
])('frame lengths of %i and %i contradict each other and are refused', (total, headers) => {
  expect(damageIn([prelude(total, headers)])).toEqual([0, 502]);
});

test('a connection that ends inside a frame yields only the earlier frames', () => {
  const [first = Buffer.alloc(0), , second = first] = FRAMES;
  for (const kept of [1, 12, second.length - 1]) {
    const events = readAll(new AwsEventReader(), [first, second.subarray(0, kept)]);
    expect(dataOf(events)).toEqual(EVENT_DATA.slice(0, 1));
  }
});

test('a protocol-level AWS error is read as an error event', () => {
  const headers = { ':message-type': 'error', ':error-code': 'InternalError' };
  const frame = awsFrame({ ...headers, ':error-message': 'try again' }, '');
  expect(dataOf(readAll(new AwsEventReader(), [frame]))).toEqual([
    ['error', '{"type":"error","error":{"type":"InternalError","message":"try again","code":500}}'],
  ]);
});

const LINES = '{"a":"Grüße 🙂"}\r\n\n  \n{"b":[1,2]}\n{"c":null}';
const LINE_DATA = [
  ['', '{"a":"Grüße 🙂"}'],
  ['', '{"b":[1,2]}'],
  ['', '{"c":null}'],
];

test('JSON lines are the same wherever the network splits them, and can be forwarded as events', () => {
  const bytes = Buffer.from(LINES);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
    const events = readAll(new NdjsonReader(), chunks);
    expect(dataOf(events), `cut at ${cut}`).toEqual(LINE_DATA);
    const raw = Buffer.concat(events.map((event) => event.raw));
    expect(dataOf(readAll(new SseReader(), [raw]))).toEqual(LINE_DATA);
  }
});

test('any lines, split anywhere, are read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat(500)), (values, positions) => {
      const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
      const events = readAll(new NdjsonReader(), cutAt(bytes, positions));
      expect(events.map((event) => event.kind === 'data' && event.data)).toEqual(
        values.map((value) => JSON.stringify(value)),
      );
    }),
  );
});

test('an unterminated line over the limit is refused', () => {
  const reader = new NdjsonReader();
  const piece = Buffer.alloc(1024 * 1024, 'x');
  expect(
    codeOf(() => {
      for (let count = 0; count < 11; count += 1) reader.push(piece);
    }),
  ).toBe('upstream_too_large');
});
