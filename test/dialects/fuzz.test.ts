/**
 * Splits every stored stream in hundreds of random ways: the output must not depend on how the
 * network splits it or on its line endings. The seed is fixed, so failures can be reproduced.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../src/dialects/all.ts';
import { dataFrame } from '../../src/dialects/hub/answer/frames.ts';
import type { DialectName } from '../../src/dialects/hub/dialect.ts';
import { type SseEvent, SseReader } from '../../src/relay/http/sse.ts';
import { reader } from './frames.ts';
import { decoded, encoded, wireOf } from './hub/streams.ts';

const SEED = 20_261_121;
const RUNS = 60;
const NAMES = Object.keys(DIALECTS) as DialectName[]; // the keys of a constant table

const FOLDER = new URL('../fixtures/', import.meta.url);

/** Providers whose streams use another dialect than OpenAI chat. */
const OWN: Readonly<Record<string, DialectName>> = { anthropic: 'anthropic', gemini: 'gemini' };

const FIXTURES = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'tls')
  .flatMap(({ name }) =>
    readdirSync(new URL(`${name}/`, FOLDER))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => ({
        path: `${name}/${file.replace('.jsonl', '')}`,
        from: OWN[name] ?? ('chat' as const),
      })),
  );

/** Splits `bytes` at these fractions of its length. */
function cutAt(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const cuts = [...new Set(shares.map((share) => Math.floor(share * bytes.length)))].sort(
    (a, b) => a - b,
  );
  const ends = [...cuts, bytes.length];
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
  minLength: 1,
  maxLength: 24,
});
const newline = fc.constantFrom('\n', '\r\n', '\r');

/** The output of a chat stream for a chat client: mostly unchanged frames. */
function relayed(chunks: readonly Buffer[]): string {
  const sse = new SseReader();
  const read = reader({ clientAskedUsage: true });
  const take = (events: readonly SseEvent[]) =>
    events.map((event) => {
      if (event.kind !== 'data') return '';
      const forward = read.read(event.data);
      if (forward === 'drop') return '';
      return dataFrame(forward === 'as-is' ? event.data : forward.json);
    });
  return [...chunks.map((chunk) => take(sse.push(chunk)).join('')), ...take(sse.end())].join('');
}

describe.each(FIXTURES)('the stream $path', ({ path, from }) => {
  const wire = String(wireOf(from, path)).replaceAll('\r\n', '\n');
  const whole = [Buffer.from(wire)];
  const expected = new Map(NAMES.map((to) => [to, encoded(to, decoded(from, whole))]));
  const passed = from === 'chat' ? relayed(whole) : '';

  test('is the same for every client, however it is split', () => {
    fc.assert(
      fc.property(cuts, newline, (shares, end) => {
        const chunks = cutAt(Buffer.from(wire.replaceAll('\n', end)), shares);
        const events = decoded(from, chunks);
        for (const to of NAMES) expect(encoded(to, events)).toBe(expected.get(to));
        if (from === 'chat') expect(relayed(chunks)).toBe(passed);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});
