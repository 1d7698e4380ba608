/** Known ways in which streams begin and end wrongly, each from end to end. */
import { describe, expect, test } from 'vitest';
import { chunk, FINISH, contentChunk as textChunk } from '../../dialects/frames.ts';
import { streamed, streamText } from '../../relay/raw-upstream.ts';
import { chunksIn } from '../../upstream/wire.ts';
import { hubAnswerOf, wordsOf } from '../matrix/clients.ts';
import {
  callOf,
  createPitfallSite,
  type Json,
  NAMES,
  PAIRS,
  stored,
  wireOfFrames,
} from './pitfall-site.ts';

const pitfallSite = createPitfallSite();
const { streamTo: hears } = pitfallSite;

const STREAM = { stream: true } as const;
const TEXT = 'Grüße 世界 🌍 こんにちは';

function toolChunk(...calls: object[]): string {
  return chunk({ delta: { tool_calls: calls }, finish_reason: null });
}

/** Of a turn with text, thoughts and calls. */
const EVENTS: ReadonlySet<string> = new Set([
  ...['created', 'in_progress', 'completed'],
  ...['output_item', 'content_part', 'reasoning_summary_part'].flatMap((part) => [
    `${part}.added`,
    `${part}.done`,
  ]),
  ...['output_text', 'reasoning_summary_text', 'function_call_arguments'].flatMap((part) => [
    `${part}.delta`,
    `${part}.done`,
  ]),
]);

describe('ends', () => {
  test.each(NAMES)(
    'D18 only a stream with a finish reason counts as complete for a %s client',
    async (client) => {
      const tenant = await pitfallSite.rawTenant('chat');
      pitfallSite.raw.answer = streamed(textChunk('hi'), FINISH);
      const good = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
      expect(wordsOf(hubAnswerOf(client, good, true), 'text')).toBe('hi');
      expect(good.text).not.toContain('"error":{');
      pitfallSite.raw.answer = streamed(textChunk('hi'));
      const broken = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
      expect(broken.text).toContain('hi');
      expect(broken.text).toContain('"error":{');
      expect(broken.text).not.toMatch(
        /message_stop|"STOP"|"finish_reason":"stop"|response\.completed/,
      );
      expect(await pitfallSite.site.logOf(broken.requestId)).toMatchObject({
        usage_source: 'estimated',
      });
    },
  );

  test.each([
    ['chat', ': PING\n\n'],
    ['anthropic', 'event: ping\ndata: {"type":"ping"}\n\n'],
  ] as const)('D19 a silent stream of a %s client receives pings', async (client, ping) => {
    await pitfallSite.site.option('general_setting.ping_interval_seconds', 1);
    await pitfallSite.site.option('general_setting.ping_interval_enabled', true);
    const tenant = await pitfallSite.fakeTenant('gemini');
    tenant.script({ events: 4, hold: 2 });
    const { body, leave } = await pitfallSite.site.start(
      callOf(client, tenant, { text: 'Hi', stream: true }),
    );
    let text = '';
    for await (const bytes of body.iterator({ destroyOnReturn: false })) {
      text += String(bytes);
      if (text.split('w1 ').at(-1)?.includes(ping)) break;
    }
    await leave();
    await pitfallSite.site.option('general_setting.ping_interval_enabled', false);
    expect(text.split('w1 ').at(-1)).toContain(ping);
  });

  test('D20 Gemini’s thoughts are not part of the answer', async () => {
    const wire = stored('gemini', 'gemini/thinking-parallel-tools');
    for (const client of NAMES) {
      const { hubAnswer } = await hears(client, 'gemini', wire);
      expect([wordsOf(hubAnswer, 'thinking'), wordsOf(hubAnswer, 'text')]).toEqual([
        '**Plan** both.',
        '',
      ]);
    }
  });

  test.each(NAMES)(
    'D21 events for Responses clients have the names and numbers of OpenAI’s (over %s)',
    async (upstream) => {
      const tenant = await pitfallSite.fakeTenant(upstream);
      const request = { text: 'Use f and g', stream: true, tools: ['f', 'g'] };
      const { text } = await pitfallSite.chat('responses', tenant, request);
      const frames = text.split('\n\n').filter((frame) => frame !== '');
      const received = frames.map((frame) => {
        const [, event, data] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
        const json = JSON.parse(data ?? '');
        expect(json.type).toBe(event);
        return json as Json;
      });
      expect(received.map(({ sequence_number }) => sequence_number)).toEqual([...received.keys()]);
      const kinds = new Set(received.map(({ type }) => type.replace('response.', '')));
      expect([...kinds].filter((kind) => !EVENTS.has(kind))).toEqual([]);
      expect(kinds).toContain('function_call_arguments.done');
      expect(received.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { status: 'completed' },
      });
    },
  );

  test.each(NAMES)(
    'D22 every frame for Anthropic clients has an event name (over %s)',
    async (upstream) => {
      const tenant = await pitfallSite.fakeTenant(upstream);
      const { text } = await pitfallSite.chat('anthropic', tenant, { text: TEXT, stream: true });
      const frames = text.split('\n\n').filter((frame) => frame !== '');
      expect(frames.length).toBeGreaterThan(5);
      for (const frame of frames) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
        expect(JSON.parse(data ?? '').type).toBe(event);
      }
    },
  );
});

test('D23 a refusal instead of the first frame is returned with its own status', async () => {
  const errors = {
    chat: { error: { message: 'slow down', type: 'requests', code: 429 } },
    anthropic: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
    gemini: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow down' } },
    responses: { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null },
  } as const;
  for (const [client, upstream] of PAIRS) {
    const tenant = await pitfallSite.rawTenant(upstream);
    pitfallSite.raw.answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(wireOfFrames(upstream, errors[upstream]));
    const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      429,
      'application/json; charset=utf-8',
    ]);
    await tenant.expectNothing(answer.requestId);
  }
});

test('D79 an event stream has its content type, and headers forbid caching, buffering and compression', async () => {
  for (const [client, upstream] of PAIRS) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    const { headers } = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
    });
    expect(headers['content-encoding']).toBe(undefined);
  }
});

test('D80 the format of the answer is detected, even if another one was requested', async () => {
  for (const [client, upstream] of PAIRS) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    for (const [plan, stream] of [
      ['json-ignored', false],
      ['stream-ignored', true],
    ] as const) {
      tenant.script(plan);
      const answer = await pitfallSite.chat(client, tenant, { text: TEXT, stream });
      expect(wordsOf(hubAnswerOf(client, answer, stream), 'text')).toBe(`You said: ${TEXT}`);
    }
  }
});

test('D81 every frame of an answer contains the model name that the client requested', async () => {
  for (const [client, upstream] of PAIRS) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    const model_mapping = JSON.stringify({ [tenant.model]: `upstream-name${tenant.model}` });
    await pitfallSite.site
      .as({ kind: 'operator' })
      .channel.edit({ id: tenant.channel.id, model_mapping });
    for (const stream of [false, true]) {
      const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream });
      expect(answer.text).toContain(tenant.model);
      expect(answer.text).not.toContain('upstream-name');
    }
  }
});

test('D85 unusual ids, times and missing fields pass unchanged, and are completed if the format is forced', async () => {
  const odd = [
    '{"id":7,"created":"1763700001.5","choices":[{"delta":{"content":"hi"}}]}',
    '{"created":1763700001.5,"choices":[{"delta":{},"finish_reason":"eos"}]}',
  ];
  pitfallSite.raw.answer = streamed(...odd, '[DONE]');
  const free = await pitfallSite.rawTenant('chat');
  expect((await free.call(STREAM)).text).toBe(streamText(...odd, '[DONE]'));
  const forced = await pitfallSite.rawTenant('chat', {
    channel: { setting: '{"force_format":true}' },
  });
  const chunks = chunksIn((await forced.call(STREAM)).text);
  expect(chunks).toHaveLength(2);
  for (const one of chunks) {
    expect(one).toMatchObject({ object: 'chat.completion.chunk', choices: [{ index: 0 }] });
    expect(Number.isInteger(one.created)).toBe(true);
    expect(typeof one.id).toBe('string');
  }
  expect(chunks[1]?.choices[0]?.finish_reason).toBe('stop');
});

test('D82 two calls with the same id receive different ids, and no id is too long to be sent back', async () => {
  const id = 'i'.repeat(100);
  const frames = [0, 1].map((index) =>
    toolChunk({ index, id, type: 'function', function: { name: `f${index}`, arguments: '{}' } }),
  );
  const end = chunk({ delta: {}, finish_reason: 'tool_calls' });
  for (const client of ['anthropic', 'gemini'] as const) {
    const { hubAnswer } = await hears(client, 'chat', streamText(...frames, end, '[DONE]'));
    const ids = hubAnswer.blocks.flatMap((block) => (block.kind === 'tool_call' ? [block.id] : []));
    expect(new Set(ids).size).toBe(2);
  }
  const calls = [0, 1].map((index) => ({
    id: id + index,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }));
  const results = calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: 'x' }));
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: calls },
  ];
  const sent = await pitfallSite.sent('chat', 'anthropic', { messages: [...messages, ...results] });
  const uses = sent.messages[1].content.map((block: Json) => block.id);
  expect(uses.every((use: string) => use.length <= 64)).toBe(true);
  expect(sent.messages[2].content.map((block: Json) => block.tool_use_id)).toEqual(uses);
  expect(new Set(uses).size).toBe(2);
});
