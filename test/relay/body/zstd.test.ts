/** Zstandard, which only newer versions of Node have; older ones refuse it as before. */
import { expect, test } from 'vitest';
import { openZstd } from '../../../src/relay/http/zstd.ts';
import { rawSite } from '../raw-site.ts';
import { SSE, streamText } from '../raw-upstream.ts';
import { addTenant } from '../tenant.ts';

const { site, raw, rawTenant } = await rawSite();
const HAS_ZSTD = openZstd !== undefined;

/** The text as one frame with a single uncompressed block (RFC 8878). */
function packed(text: string, declared?: number): Buffer {
  const bytes = Buffer.from(text);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(declared ?? bytes.length);
  const head = Buffer.alloc(4);
  head.writeUInt32LE((bytes.length << 3) | 1);
  // Magic number, a single segment with four bytes of size, and the header of the last block.
  return Buffer.concat([Buffer.from('28b52ffda0', 'hex'), size, head.subarray(0, 3), bytes]);
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

test('a request body is read within the budget', async () => {
  const tenant = await addTenant(site);
  const headers = { 'content-encoding': 'zstd' };
  const send = (rawBody: Buffer) => tenant.call({}, { rawBody, headers });
  const good = await send(packed(JSON.stringify(tenant.body())));
  expect(good.status, good.text).toBe(HAS_ZSTD ? 200 : 415);
  const broken = await send(Buffer.from('no zstd'));
  expect(broken.status, broken.text).toBe(HAS_ZSTD ? 400 : 415);
  // A frame that needs a window of a gigabyte.
  const huge = await send(packed('{}', 1024 * 1024 * 1024));
  expect(huge.status, huge.text).toBe(HAS_ZSTD ? 400 : 415);
});

test.each([false, true])('an answer of an upstream is read, streamed: %s', async (stream) => {
  const tenant = await rawTenant();
  const choice = { index: 0, finish_reason: 'stop' };
  const message = { role: 'assistant', content: 'Fine' };
  raw.answer = (response) => {
    const type = stream ? SSE : { 'content-type': 'application/json' };
    const text = stream
      ? streamText(
          { choices: [{ ...choice, delta: message }] },
          { choices: [], usage: USAGE },
          '[DONE]',
        )
      : JSON.stringify({ choices: [{ ...choice, message }], usage: USAGE });
    response.writeHead(200, { ...type, 'content-encoding': 'zstd' }).end(packed(text));
  };
  const answer = await tenant.call({ stream });
  expect(answer.status, answer.text).toBe(HAS_ZSTD ? 200 : 502);
  if (HAS_ZSTD) expect(answer.text).toContain('Fine');
});
