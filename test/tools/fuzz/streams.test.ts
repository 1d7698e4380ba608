/** Upstream streams: server-sent events, JSON lines and AWS frames. */
import { crc32 } from 'node:zlib';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect } from 'vitest';
import { AwsEventReader } from '../../../src/relay/http/aws-event-stream.ts';
import type { FrameReader } from '../../../src/relay/http/framing.ts';
import { NdjsonReader } from '../../../src/relay/http/ndjson.ts';
import { type SseEvent, SseReader } from '../../../src/relay/http/sse.ts';
import { holds } from './holds.ts';
import { cut, damaged, outcomeOf, places } from './pieces.ts';

function readAll(reader: FrameReader, chunks: readonly Buffer[]): SseEvent[] {
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

function dataOf(events: readonly SseEvent[]): unknown[] {
  return events.map((event) =>
    event.kind === 'data' ? [event.event, event.data] : ['#', event.comment],
  );
}

const data = (events: readonly SseEvent[]) =>
  events.flatMap((event) => (event.kind === 'data' ? [[event.event, event.data]] : []));

/** Typical parts of such streams, and noise. */
const sseBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r', ':', ' ', '\uFEFF'),
      fc.constantFrom('data', 'data:', 'data: ', 'event:', 'event: x', 'id', 'retry: 1', ': note'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 40 },
  )
  .chain((parts) =>
    fc
      .uint8Array({ maxLength: 6 })
      .map((noise) => Buffer.concat([Buffer.from(parts.join('')), Buffer.from(noise)])),
  );

holds(
  'events are the same however the network cuts any bytes',
  fc.property(sseBytes, places, (bytes, at) => {
    const whole = readAll(new SseReader(), [bytes]);
    expect(dataOf(readAll(new SseReader(), cut(bytes, at)))).toEqual(dataOf(whole));
  }),
  { runs: 400 },
);

holds(
  'the bytes of an event, sent on, are that event again',
  fc.property(sseBytes, places, (bytes, at) => {
    // A byte order mark is recognised only at the start of a stream.
    for (const event of readAll(new SseReader(), cut(bytes, at)))
      expect(dataOf(readAll(new SseReader(), [Buffer.from('\n'), event.raw]))).toEqual(
        dataOf([event]),
      );
  }),
  { runs: 300 },
);

holds(
  'events are those of another reader',
  fc.property(
    fc.array(
      fc.array(
        fc.tuple(
          fc.constantFrom('data', 'data', 'event', 'id', 'unknown', ''),
          fc
            .string({ unit: 'grapheme', maxLength: 12 })
            .map((text) => text.replace(/[\r\n\uFEFF]/g, '')),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      { maxLength: 6 },
    ),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
    (frames, end, spaced) => {
      const text = frames
        .map((lines) =>
          [...lines.map(([name, value]) => `${name}:${spaced ? ' ' : ''}${value}`), '', ''].join(
            end,
          ),
        )
        .join('');
      const other: unknown[] = [];
      createParser({ onEvent: (event) => other.push([event.event ?? '', event.data]) }).feed(text);
      expect(data(readAll(new SseReader(), [Buffer.from(text)]))).toEqual(other);
    },
  ),
  { runs: 300 },
);

holds(
  'no more is held than one event may have',
  fc.property(sseBytes, fc.integer({ min: 8, max: 60 }), places, (bytes, most, at) => {
    const reader = new SseReader({ maxEventBytes: most });
    const outcome = outcomeOf(() => readAll(reader, cut(bytes, at)));
    if ('refused' in outcome) expect(outcome.refused).toBe('upstream_too_large');
    else for (const event of outcome) expect(event.raw.length).toBeLessThanOrEqual(most);
  }),
);

holds(
  'lines of JSON are the lines of the text, however cut',
  fc.property(
    fc.array(fc.oneof(fc.json(), fc.constantFrom('', '  ', '\r', '{', '\u2028')), { maxLength: 8 }),
    fc.boolean(),
    places,
    (lines, ends, at) => {
      const text = lines.join('\n') + (ends ? '\n' : '');
      const wanted = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      const events = readAll(new NdjsonReader(), cut(Buffer.from(text), at));
      expect(events.map((event) => event.kind === 'data' && event.data)).toEqual(wanted);
    },
  ),
  { runs: 300 },
);

/** A frame built from the protocol description, with headers of every type. */
function frameOf(headers: readonly Buffer[], payload: Buffer): Buffer {
  const lines = Buffer.concat(headers);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + lines.length + payload.length, 0);
  prelude.writeUInt32BE(lines.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const body = Buffer.concat([prelude, lines, payload]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(body), 0);
  return Buffer.concat([body, end]);
}

function headerOf(name: string, type: number, value: Buffer): Buffer {
  const known = Buffer.from(name).subarray(0, 255);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length, 0);
  const sized = type === 6 || type === 7;
  return Buffer.concat([
    Buffer.of(known.length),
    known,
    Buffer.of(type),
    ...(sized ? [length] : []),
    value,
  ]);
}

const SIZES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const otherHeader = fc.integer({ min: 0, max: 9 }).chain((type) => {
  const size = SIZES[type];
  const value = fc.uint8Array(
    size === undefined ? { maxLength: 40 } : { minLength: size, maxLength: size },
  );
  const name = fc.string({ minLength: 1, maxLength: 20 }).map((text) => `x${text}`);
  return fc.tuple(name, value).map(([given, bytes]) => headerOf(given, type, Buffer.from(bytes)));
});
const frame = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => `x${text}`),
  payload: fc.string({ unit: 'grapheme', maxLength: 60 }),
  others: fc.array(otherHeader, { maxLength: 4 }),
});
const bytesOf = ({
  name,
  payload,
  others,
}: {
  name: string;
  payload: string;
  others: Buffer[];
}) => {
  const own = [
    headerOf(':message-type', 7, Buffer.from('event')),
    headerOf(':event-type', 7, Buffer.from(name)),
  ];
  return frameOf([...others, ...own], Buffer.from(payload));
};

holds(
  'frames of AWS with headers of any type come back as they were sent, however cut',
  fc.property(fc.array(frame, { maxLength: 5 }), places, (frames, at) => {
    const events = readAll(new AwsEventReader(), cut(Buffer.concat(frames.map(bytesOf)), at));
    expect(dataOf(events)).toEqual(frames.map(({ name, payload }) => [name, payload]));
  }),
  { runs: 200 },
);

holds(
  'a damaged stream of AWS gives what came whole, at most one error, and nothing after it',
  fc.property(
    fc
      .array(frame, { minLength: 1, maxLength: 4 })
      .chain((frames) =>
        fc.tuple(fc.constant(frames), damaged(fc.constant(Buffer.concat(frames.map(bytesOf))))),
      ),
    places,
    ([frames, bytes], at) => {
      const result = dataOf(readAll(new AwsEventReader(), cut(bytes, at)));
      expect(result).toEqual(dataOf(readAll(new AwsEventReader(), [bytes])));
      const failed = result.findIndex((one) => Array.isArray(one) && one[0] === 'error');
      expect(failed === -1 || failed === result.length - 1).toBe(true);
      const whole = failed === -1 ? result : result.slice(0, -1);
      const sent = frames.map(({ name, payload }) => [name, payload]);
      for (const event of whole) expect(sent).toContainEqual(event);
    },
  ),
  { runs: 200 },
);
