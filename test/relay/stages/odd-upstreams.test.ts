/** Individual deviations of compatible servers: the client's response, and the charge. */
import { expect, test } from 'vitest';
import { chunk, frames } from '../../dialects/frames.ts';
import { chunksIn, eventsIn } from '../../upstream/wire.ts';
import { rawSite } from '../raw-site.ts';
import { streamed, streamText } from '../raw-upstream.ts';
import { MESSAGES, PRICE } from '../tenant.ts';
import { promptCount, textCount, unitsOf } from '../units.ts';

const { raw, rawTenant } = await rawSite({ upstreams: 2 });

const STREAM = { stream: true } as const;
const ROLE = chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null });

function toolChunk(...calls: object[]): string {
  return chunk({ delta: { tool_calls: calls }, finish_reason: null });
}

const TOOL_FRAMES = [
  ROLE,
  toolChunk({ id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } }),
  toolChunk({ function: { arguments: '{"x":1}' } }),
  toolChunk({ id: 'call_b', type: 'function', function: { name: 'two', arguments: '' } }),
  toolChunk({ function: { arguments: '{"y":2}' } }),
  chunk({ delta: {}, finish_reason: 'tool_calls' }),
];

test('each tool call gets its own index when a format is forced', async () => {
  const tenant = await rawTenant({ channel: { setting: '{"force_format":true}' } });
  raw.answer = streamed(...TOOL_FRAMES, '[DONE]');
  const calls = chunksIn((await tenant.call(STREAM)).text).flatMap(
    ({ choices }) => choices[0]?.delta?.tool_calls ?? [],
  );
  expect(calls.map(({ index }) => index)).toEqual([0, 0, 1, 1]);
});

test('an answer cut by a content filter is charged by what was delivered', async () => {
  const tenant = await rawTenant();
  raw.answer = streamed(...frames('azure/chat-blocked'));
  const answer = await tenant.call(STREAM);
  expect(answer.status).toBe(200);
  expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
  expect(answer.text).toContain('content_filter');
  const units = unitsOf({ input: promptCount(MESSAGES), output: textCount('Once') }, PRICE);
  expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, units));
});

test('repeated or long tool call ids are forwarded unchanged', async () => {
  const tenant = await rawTenant();
  const id = 'i'.repeat(100);
  const sent = [0, 1].map((index) =>
    toolChunk({ index, id, type: 'function', function: { name: 'f', arguments: '{}' } }),
  );
  raw.answer = streamed(...sent, chunk({ delta: {}, finish_reason: 'tool_calls' }), '[DONE]');
  const answer = await tenant.call(STREAM);
  expect(answer.text.startsWith(streamText(...sent))).toBe(true);
});

test('a status that HTTP does not have is answered as a bad gateway', async () => {
  const tenant = await rawTenant();
  raw.answer = (response) => {
    response.writeHead(999).end('{"error":{"message":"odd"}}');
  };
  const answer = await tenant.call();
  expect(answer.status).toBe(502);
  await tenant.expectNothing(answer.requestId);
});
