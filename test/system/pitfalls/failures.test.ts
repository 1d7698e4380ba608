/** Known ways in which errors and retries go wrong, each from end to end. */
import { expect, test } from 'vitest';
import { contentChunk as textChunk } from '../../dialects/frames.ts';
import { streamed } from '../../relay/raw-upstream.ts';
import { textCount } from '../../relay/units.ts';
import type { SiteAnswer } from '../../support/site.ts';
import { createPitfallSite, type Json, NAMES, PAIRS, wireOfFrames } from './pitfall-site.ts';

const pitfallSite = await createPitfallSite({ config: { clientGraceMs: 30 } });

/** The frame of an error, by the client's dialect. */
function errorFrame({ text }: SiteAnswer): Json {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
  return JSON.parse(data.at(-1)?.slice(6) ?? '{}');
}

const BREAKS = {
  chat: [
    { choices: [{ index: 0, delta: { content: 'hi' } }] },
    { error: { message: 'the fan is broken', type: 'server_error' } },
  ],
  anthropic: [
    { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'error', error: { type: 'api_error', message: 'the fan is broken' } },
  ],
  gemini: [
    { candidates: [{ content: { parts: [{ text: 'hi' }] }, index: 0 }] },
    { error: { code: 500, status: 'INTERNAL', message: 'the fan is broken' } },
  ],
  responses: [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'hi' },
    { type: 'error', code: 'server_error', message: 'the fan is broken', param: null },
  ],
} as const;

async function breaking(client: (typeof NAMES)[number], upstream: (typeof NAMES)[number]) {
  const tenant = await pitfallSite.rawTenant(upstream);
  pitfallSite.raw.answer = (response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(wireOfFrames(upstream, ...BREAKS[upstream]));
  const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
  return { tenant, answer };
}

test('D24 an error in the middle of a stream has the client’s dialect and ends the stream', async () => {
  for (const [client, upstream] of PAIRS) {
    const { answer } = await breaking(client, upstream);
    if (client === 'responses') continue; // told in words of its own, by D25
    const frame = errorFrame(answer);
    expect(frame.error.message).toBe(`the fan is broken (request id: ${answer.requestId})`);
    if (client === 'anthropic') expect(frame.type).toBe('error');
    if (client === 'gemini') expect(frame.error.code).toBeGreaterThanOrEqual(500);
    expect(answer.text).not.toMatch(/message_stop|"STOP"/);
  }
});

test('D25 a Responses client receives a failure as the end of its response', async () => {
  for (const upstream of NAMES) {
    const { answer } = await breaking('responses', upstream);
    expect(errorFrame(answer)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: {
          code: expect.any(String),
          message: `the fan is broken (request id: ${answer.requestId})`,
        },
      },
    });
    expect(answer.text).not.toContain('event: error');
  }
});

test('D26 the text of an error is not counted as content', async () => {
  for (const upstream of NAMES) {
    const { tenant, answer } = await breaking('chat', upstream);
    await tenant.bill();
    const counted = (await pitfallSite.site.logOf(answer.requestId))?.completion_tokens;
    // Other vendors' tokenizers are estimated a little higher.
    expect(counted).toBeGreaterThanOrEqual(textCount('hi'));
    expect(counted).toBeLessThan(textCount('the fan is broken'));
  }
});

test('D31 an error inside a stream contains the type and code that clients evaluate', async () => {
  const error = { message: 'too fast', type: 'requests', code: 'rate_limit_exceeded', param: null };
  for (const [client, received] of [
    ['chat', { type: 'requests', code: 'rate_limit_exceeded' }],
    ['anthropic', { type: 'rate_limit_error' }],
    ['gemini', { code: 429, status: 'RESOURCE_EXHAUSTED' }],
  ] as const) {
    const tenant = await pitfallSite.rawTenant('chat');
    pitfallSite.raw.answer = streamed(textChunk('hi'), { error });
    const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
    expect(errorFrame(answer).error).toMatchObject(received);
  }
});
