/** Untrusted bodies: compressed ones, prompts to count, images, audio and upstream errors. */
import zlib from 'node:zlib';
import fc from 'fast-check';
import { expect } from 'vitest';
import { audioSeconds } from '../../../src/domain/token-count/audio-length.ts';
import { imageSizeOf } from '../../../src/domain/token-count/image-size.ts';
import {
  estimatePrompt,
  estimateTokens,
  utf8Bytes,
} from '../../../src/domain/token-count/token-estimate.ts';
import { type ArrivedBytes, nextBatch } from '../../../src/relay/http/byte-source.ts';
import { decodeBody, decodedSource } from '../../../src/relay/http/content-encoding.ts';
import { hideKeys } from '../../../src/relay/http/redact-repeated-keys.ts';
import { TimedWait } from '../../../src/relay/http/timed-wait.ts';
import { withoutLongRuns } from '../../../src/services/token-counter/long-runs.ts';
import {
  errorInSuccess,
  readRetryAfter,
  readUpstreamError,
} from '../../../src/upstream-errors/read-upstream-error.ts';
import { holds } from './holds.ts';
import { anyText, cut, damaged, places, soonOutcomeOf } from './pieces.ts';

const PACKERS = {
  gzip: (bytes: Buffer): Buffer => zlib.gzipSync(bytes),
  deflate: (bytes: Buffer): Buffer => zlib.deflateSync(bytes),
  br: (bytes: Buffer): Buffer => zlib.brotliCompressSync(bytes),
} as const;
const encoding = fc.constantFrom('gzip', 'deflate', 'br');
const content = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(anyText, fc.integer({ min: 1, max: 3_000 }))
    .map(([text, count]) => Buffer.from(text.repeat(count))),
);

async function unpacked(chunks: readonly Buffer[], kind: string): Promise<Buffer> {
  const waiting: ArrivedBytes[] = chunks.map((chunk) => [chunk]);
  const source = decodedSource(
    {
      wait: new TimedWait(),
      arrived: () => waiting.shift() ?? 'ended',
      onArrival: () => undefined,
    },
    { 'content-encoding': kind },
  );
  const pieces: Buffer[] = [];
  for (;;) {
    const batch = await nextBatch(source, 0);
    if (batch === 'ended') return Buffer.concat(pieces);
    if (typeof batch !== 'string') pieces.push(...batch);
  }
}

holds(
  'a packed body is what was packed, in one piece and cut anyhow',
  fc.asyncProperty(encoding, content, places, async (kind, bytes, at) => {
    const packed = PACKERS[kind](bytes);
    expect((await decodeBody(packed, { 'content-encoding': kind }, 1e6)).equals(bytes)).toBe(true);
    expect((await unpacked(cut(packed, at), kind)).equals(bytes)).toBe(true);
  }),
);

holds(
  'a body that unpacks to more than is allowed is refused',
  fc.asyncProperty(
    encoding,
    fc.integer({ min: 1, max: 200_000 }),
    fc.integer({ min: 1, max: 100_000 }),
    async (kind, size, most) => {
      const packed = PACKERS[kind](Buffer.alloc(size, 'x'));
      const decoding = Promise.resolve(
        decodeBody(packed, { 'content-encoding': kind.toUpperCase() }, most),
      );
      const outcome = await decoding.catch((error: unknown) => error);
      if (size <= most) expect(outcome).toHaveLength(size);
      else expect(outcome).toMatchObject({ code: 'upstream_too_large' });
    },
  ),
);

holds(
  'a damaged body is unpacked or refused, and always soon',
  fc.asyncProperty(
    encoding.chain((kind) =>
      fc.tuple(fc.constant(kind), damaged(content.map((bytes) => PACKERS[kind](bytes)))),
    ),
    places,
    async ([kind, bytes], at) => {
      const decoding = async () => decodeBody(bytes, { 'content-encoding': kind }, 1e7);
      await soonOutcomeOf(decoding());
      await soonOutcomeOf(unpacked(cut(bytes, at), kind));
    },
  ),
);

holds(
  'bytes of a text are its bytes, and its tokens grow with it',
  fc.property(anyText, anyText, (a, b) => {
    const halves = [...a].filter((character) => !character.isWellFormed()).length;
    expect(utf8Bytes(a)).toBe(Buffer.byteLength(a) - halves);
    const [one, other, both] = [estimateTokens(a), estimateTokens(b), estimateTokens(a + b)];
    expect(both).toBeGreaterThanOrEqual(Math.max(one, other));
    expect(both).toBeLessThanOrEqual(one + other + 1);
  }),
  { runs: 300 },
);

holds(
  'a text for the counter comes in pieces without long runs, and nothing of it is lost',
  fc.property(
    fc.array(fc.tuple(fc.constantFrom('a', ' ', '漢', '🙂', 'ab c', '\n'), fc.nat(3_000)), {
      maxLength: 5,
    }),
    (runs) => {
      const text = runs.map(([unit, count]) => unit.repeat(count)).join('');
      const pieces = withoutLongRuns(text);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces)
        expect(/\S{2001}|\s{2001}/.test(piece) && piece.length > 2_000).toBe(false);
    },
  ),
);

const part = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 2 }),
  fc.record(
    {
      type: fc.constantFrom(
        'text',
        'image_url',
        'input_audio',
        'image',
        'document',
        'tool_use',
        'odd',
      ),
      text: anyText,
      image_url: fc.record({
        url: fc.oneof(
          anyText,
          anyText.map((text) => `data:image/png;base64,${text}`),
        ),
        detail: fc.constantFrom('low', 'high', 3),
      }),
      source: fc.record({ type: fc.constant('base64'), data: anyText }),
    },
    { requiredKeys: ['type'] },
  ),
);
const prompt = fc.record(
  {
    messages: fc.oneof(
      fc.array(
        fc.record({ role: anyText, content: fc.oneof(part, fc.array(part, { maxLength: 3 })) }),
        { maxLength: 4 },
      ),
      fc.jsonValue(),
    ),
    input: fc.oneof(part, fc.array(part, { maxLength: 3 })),
    contents: fc.oneof(
      fc.array(fc.record({ parts: fc.array(part, { maxLength: 2 }) }), { maxLength: 2 }),
      fc.jsonValue(),
    ),
    tools: fc.oneof(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 2 }), anyText),
    prompt: part,
    query: part,
    documents: fc.oneof(fc.array(part, { maxLength: 3 }), anyText),
    system: part,
  },
  { requiredKeys: [] },
);

holds(
  'any prompt has a number of tokens',
  fc.property(
    fc.oneof(prompt, fc.jsonValue()),
    fc.constantFrom('chat', 'rerank', 'speech', 'embeddings', 'responses'),
    fc.constantFrom('gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'tts-1', ''),
    (body, endpoint, model) => {
      const tokens = estimatePrompt(body, endpoint, model);
      expect(Number.isSafeInteger(tokens) && tokens >= 0, String(tokens)).toBe(true);
    },
  ),
  { runs: 400 },
);

const HEADS = [
  'RIFF\0\0\0\0WAVEfmt ',
  'fLaC',
  'OggS',
  'ID3',
  '\xff\xfb',
  '\x89PNG\r\n\x1a\n',
  'GIF89a',
  '\xff\xd8\xff',
  'RIFF\0\0\0\0WEBPVP8 ',
];
const media = fc
  .tuple(fc.constantFrom(...HEADS, ''), fc.uint8Array({ maxLength: 200 }))
  .map(([head, rest]) => Buffer.concat([Buffer.from(head, 'latin1'), rest]));

holds(
  'a picture has a size that could be one, or none',
  fc.property(media, fc.boolean(), (bytes, asUrl) => {
    const base64 = bytes.toString('base64');
    const size = imageSizeOf(asUrl ? `data:image/png;base64,${base64}` : base64);
    if (size === undefined) return;
    for (const side of [size.width, size.height])
      expect(Number.isSafeInteger(side) && side > 0).toBe(true);
  }),
  { runs: 300 },
);

holds(
  'a sound has a length that could be one',
  fc.property(media, media, fc.nat(50_000_000), (head, tail, bytes) => {
    const seconds = audioSeconds({ head, tail, bytes: Math.max(bytes, head.length) });
    expect(Number.isFinite(seconds) && seconds >= 0).toBe(true);
  }),
  { runs: 300 },
);

const promptText = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc
    .record(
      {
        error: fc.jsonValue({ maxDepth: 3 }),
        message: fc.jsonValue(),
        code: fc.jsonValue(),
        detail: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
);

holds(
  'whatever an upstream says when it fails is an error of bounded length, without the key in it',
  fc.property(
    fc.integer({ min: 100, max: 599 }),
    promptText,
    fc.stringMatching(/^sk-[A-Za-z0-9]{8,30}$/),
    fc.dictionary(fc.constantFrom('retry-after', 'x-ratelimit-reset', 'retry-after-ms'), anyText),
    (status, text, key, headers) => {
      const error = readUpstreamError({ status, headers, bodyText: `${text} ${key}`, nowMs: 1e12 });
      expect(error.status).toBe(status);
      expect(error.message.length).toBeLessThanOrEqual(1_003);
      expect(error.retryAfterMs === undefined || error.retryAfterMs >= 0).toBe(true);
      expect(readRetryAfter(headers, 1e12) ?? 0).toBeGreaterThanOrEqual(0);
      expect(hideKeys(error.message, [{ key }]).includes(key)).toBe(false);
      errorInSuccess(JSON.parse(JSON.stringify({ text })));
    },
  ),
  { runs: 300 },
);
