/** Known ways in which errors and retries go wrong, each from end to end. */
import { expect, test } from 'vitest';
import { contentChunk as textChunk } from '../../dialects/frames.ts';
import { streamed } from '../../relay/raw-upstream.ts';
import { spareChannel, type Tenant } from '../../relay/tenant.ts';
import { textCount } from '../../relay/units.ts';
import type { SiteAnswer } from '../../support/site.ts';
import type { Body } from '../matrix/clients.ts';
import {
  callOf,
  createPitfallSite,
  type Json,
  NAMES,
  PAIRS,
  wireOfFrames,
} from './pitfall-site.ts';

const pitfallSite = createPitfallSite({ config: { clientGraceMs: 30 } });

/** The frame of an error, by the client's dialect. */
function errorFrame({ text }: SiteAnswer): Json {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
  return JSON.parse(data.at(-1)?.slice(6) ?? '{}');
}

function upstreams() {
  const [first, second] = pitfallSite.site.upstreams;
  if (first === undefined || second === undefined) throw new Error('two upstreams are needed');
  return [first, second] as const;
}

async function withRetries<T>(times: number, work: () => Promise<T>): Promise<T> {
  await pitfallSite.site.option('RetryTimes', times);
  return work().finally(() => pitfallSite.site.option('RetryTimes', 0));
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

test('D27 an error sent as an event with its own status keeps its message', async () => {
  for (const [client, upstream] of PAIRS) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    tenant.script('sse-error:503');
    const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
    const { error } = JSON.parse(answer.text) as Body; // compared below
    expect([answer.status, error.message]).toEqual([
      503,
      `The model is overloaded. (request id: ${answer.requestId})`,
    ]);
  }
});

test.each(['minimax', 'tencent', 'baidu', 'inband'])(
  'D28 a status 200 with an error in the style of %s is a failure and costs nothing',
  async (style) => {
    for (const client of NAMES) {
      const tenant = await pitfallSite.fakeTenant('chat');
      for (const stream of [false, true]) {
        tenant.script(`error-style:${style}:200`);
        const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect((JSON.parse(answer.text) as Body).error.message.length).toBeGreaterThan(10);
      }
      await tenant.expectNothing();
    }
  },
);

test('D29 a client error is not retried on another channel, and a failed channel is not tried twice', () =>
  withRetries(3, async () => {
    const [first, second] = upstreams();
    const tenant = await pitfallSite.fakeTenant('chat');
    await spareChannel(tenant, second);
    first.setDefault('context-length');
    expect((await tenant.call()).status).toBe(400);
    expect([first.stats.calls, second.stats.calls]).toEqual([1, 0]);
    first.setDefault('status:503');
    second.setDefault('status:503');
    expect((await tenant.call()).status).toBe(503);
    expect([first.stats.calls, second.stats.calls]).toEqual([2, 1]);
  }));

test('D30 no retry is made for a client that has disconnected', () =>
  withRetries(3, async () => {
    const [first, second] = upstreams();
    for (const client of NAMES) {
      const tenant = await pitfallSite.fakeTenant('chat');
      await spareChannel(tenant, second);
      tenant.script({ hold: 'head', refuse: { status: 500 } });
      await leftEarly(client, tenant);
      first.release();
      await tenant.expectNothing();
      expect([first.stats.calls, second.stats.calls]).toEqual([1, 0]);
    }
  }));

async function leftEarly(client: (typeof NAMES)[number], tenant: Tenant): Promise<void> {
  const gone = new AbortController();
  const call = callOf(client, tenant, { text: 'Hi', stream: true });
  const pending = pitfallSite.site.start({ ...call, signal: gone.signal });
  await pitfallSite.site.upstream.until(({ openCalls }) => openCalls === 1);
  gone.abort();
  await expect(pending).rejects.toThrow(/abort/);
  // Two round trips later the server has seen that the connection is closed.
  for (let trip = 0; trip < 2; trip += 1)
    await pitfallSite.site.call({ path: '/health/live', key: '' });
}

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
