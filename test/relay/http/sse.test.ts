import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors/errors.ts';
import { type SseEvent, SseReader } from '../../../src/relay/http/sse.ts';

function readAll(chunks: readonly Uint8Array[], maxEventBytes?: number): SseEvent[] {
  const reader = new SseReader(maxEventBytes === undefined ? {} : { maxEventBytes });
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

function readText(text: string): SseEvent[] {
  return readAll([Buffer.from(text)]);
}

function dataOf(events: readonly SseEvent[]): string[] {
  return events.map((event) =>
    event.kind === 'data' ? `${event.event}|${event.data}` : `#${event.comment}`,
  );
}

function rawText(events: readonly SseEvent[]): string {
  return Buffer.concat(events.map((event) => event.raw)).toString();
}

const NASTY_LF = [
  ': OPENROUTER PROCESSING\n\n',
  'data: {"text":"héllo 🙂 漢字"}\n\n',
  'data:no space\n\n',
  'data:  two spaces\n\n',
  'data: first\ndata: second\ndata\n\n',
  'data: late name\nevent: delta\nid: 7\nretry: 10\n\n',
  ': note\ndata: with a comment\n\n',
  'data: [DONE]\n\n',
];
const NASTY_DATA = [
  '#OPENROUTER PROCESSING',
  '|{"text":"héllo 🙂 漢字"}',
  '|no space',
  '| two spaces',
  '|first\nsecond\n',
  'delta|late name',
  '|with a comment',
  '|[DONE]',
];
const ENDINGS: ReadonlyArray<readonly [string, string]> = [
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
];

test.each(ENDINGS)(
  'D15 reads the same SSE events with %s line ends, split at any byte',
  (_name, ending) => {
    const bytes = Buffer.from(NASTY_LF.join('').replaceAll('\n', ending));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const events = readAll([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(dataOf(events), `cut at ${cut}`).toEqual(NASTY_DATA);
      expect(rawText(events), `cut at ${cut}`).toBe(bytes.toString());
    }
  },
);

test.each(ENDINGS)(
  'D17 reads SSE events of every form with %s line ends, one byte at a time',
  (_name, ending) => {
    const bytes = Buffer.from(NASTY_LF.join('').replaceAll('\n', ending));
    const events = readAll([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(dataOf(events)).toEqual(NASTY_DATA);
    expect(rawText(events)).toBe(bytes.toString());
  },
);

test('D14 a character split between two chunks stays whole', () => {
  const bytes = Buffer.from('data: 🙂\n\n');
  expect(dataOf(readAll([bytes.subarray(0, 8), bytes.subarray(8)]))).toEqual(['|🙂']);
});

test('the last event needs no blank line, and its raw bytes are completed', () => {
  for (const text of ['data: tail', 'data: tail\n', 'data: tail\r', 'data: tail\r\n']) {
    const events = readText(text);
    expect(dataOf(events)).toEqual(['|tail']);
    expect(dataOf(readText(`${rawText(events)}data: next\n\n`))).toEqual(['|tail', '|next']);
  }
});

test('D16 a comment is returned as a comment, never as data', () => {
  expect(dataOf(readText(':\n\n: keep-alive\n\ndata: x\n\n'))).toEqual(['#', '#keep-alive', '|x']);
});

test('a byte order mark at the start is not part of the first field', () => {
  const bytes = Buffer.from('\uFEFFdata: x\n\ndata: \uFEFFy\n\n');
  for (let cut = 0; cut <= bytes.length; cut++) {
    const events = readAll([bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(dataOf(events)).toEqual(['|x', '|\uFEFFy']);
    expect(rawText(events)).toBe('data: x\n\ndata: \uFEFFy\n\n');
  }
});

test('blank lines, a lone id and unknown fields create no event', () => {
  expect(readText('\n\n\r\n\nid: 3\n\nevent: ping\n\nfoo: bar\n\n')).toEqual([]);
});

test('a stream with bare CR is not delayed until the next chunk', () => {
  expect(dataOf(new SseReader().push(Buffer.from('data: now\r\r')))).toEqual(['|now']);
});

test('one event longer than the limit is refused before it is complete', () => {
  const reader = new SseReader({ maxEventBytes: 64 });
  reader.push(Buffer.from('data: short\n\n'));
  reader.push(Buffer.from(`data: ${'x'.repeat(50)}`));
  const refused = () => reader.push(Buffer.from('x'.repeat(20)));
  expect(refused).toThrow(AppError);
  expect(() => readAll([Buffer.from(`data: ${'x'.repeat(80)}\n\n`)], 64)).toThrow(AppError);
});

test('an 8 MB event in small pieces takes linear time', () => {
  const piece = Buffer.alloc(1024, 0x78);
  const reader = new SseReader();
  reader.push(Buffer.from('data: '));
  for (let pieces = 0; pieces < 8192; pieces++) reader.push(piece);
  const [event] = reader.push(Buffer.from('\n\n'));
  expect(event?.kind === 'data' && event.data.length).toBe(8 * 1024 * 1024);
});

test('any events, with any line ends, split anywhere, are read back unchanged', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\uFEFF]/g, ''));
  const event = fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 3 }), name: line });
  const input = fc.record({
    events: fc.array(event, { maxLength: 6 }),
    ending: fc.constantFrom('\n', '\r\n', '\r'),
    pieces: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
  });
  fc.assert(
    fc.property(input, ({ events, ending, pieces }) => {
      const frames = events.map(({ lines, name }) =>
        [`event: ${name}`, ...lines.map((text) => `data: ${text}`), '', ''].join(ending),
      );
      const found = dataOf(readAll(cutInto(Buffer.from(frames.join('')), pieces)));
      expect(found).toEqual(events.map(({ lines, name }) => `${name}|${lines.join('\n')}`));
    }),
  );
});

test('random bytes never throw, and splitting never changes the result', () => {
  const noise = fc.array(fc.constantFrom(0x0a, 0x0d, 0x3a, 0x20, 0x64, 0xf0, 0x9f), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      noise,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (codes, pieces) => {
        const bytes = Buffer.from([...Buffer.from('data: a\n\n'), ...codes]);
        expect(dataOf(readAll(cutInto(bytes, pieces)))).toEqual(dataOf(readAll([bytes])));
      },
    ),
  );
});

function cutInto(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  return chunks;
}
