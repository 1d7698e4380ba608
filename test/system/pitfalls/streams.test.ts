/** Known ways in which streams go wrong, each from end to end. */
import { describe, expect, test } from 'vitest';
import { chunk, FINISH, contentChunk as textChunk } from '../../dialects/frames.ts';
import { streamed, streamText } from '../../relay/raw-upstream.ts';
import { PRICE } from '../../relay/tenant.ts';
import { textCount, tokensOfUsage, unitsOf } from '../../relay/units.ts';
import { chunksIn } from '../../upstream/wire.ts';
import { callsOf, hubAnswerOf, wordsOf } from '../matrix/clients.ts';
import {
  CROSSED,
  createPitfallSite,
  type Json,
  NAMES,
  stored,
  wireOfFrames,
} from './pitfall-site.ts';

const pitfallSite = createPitfallSite();
const { streamTo: hears } = pitfallSite;

const STREAM = { stream: true } as const;
const WITH_USAGE = { stream: true, stream_options: { include_usage: true } } as const;
const USAGE = { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39 };
const ROLE = chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null });
const USAGE_CHUNK = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1763700001,
  model: 'up-1',
  choices: [],
  usage: USAGE,
});
const TEXT = 'Grüße 世界 🌍 こんにちは';

function toolChunk(...calls: object[]): string {
  return chunk({ delta: { tool_calls: calls }, finish_reason: null });
}

const UNNUMBERED = [
  ROLE,
  toolChunk({ id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } }),
  toolChunk({ function: { arguments: '{"x":1}' } }),
  toolChunk({ id: 'call_b', type: 'function', function: { name: 'two', arguments: '' } }),
  toolChunk({ function: { arguments: '{"y":2}' } }),
  chunk({ delta: {}, finish_reason: 'tool_calls' }),
];

/** Two interleaved calls, after thoughts and text. */
const INTERLEAVED = [
  ROLE,
  chunk({ delta: { reasoning_content: 'hm' }, finish_reason: null }),
  textChunk('Both. '),
  toolChunk({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
  toolChunk({ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '' } }),
  toolChunk({ index: 0, function: { arguments: '{"x":' } }),
  toolChunk({ index: 1, function: { arguments: '{"y":' } }),
  toolChunk({ index: 0, function: { arguments: '1}' } }),
  toolChunk({ index: 1, function: { arguments: '2}' } }),
  chunk({ delta: {}, finish_reason: 'tool_calls' }),
];

const TWO_CALLS = [
  ['one', { x: 1 }],
  ['two', { y: 2 }],
];

describe('calls', () => {
  test('D01 tool calls are numbered from 0 regardless of the blocks before them in Anthropic’s stream', async () => {
    const wire = stored('anthropic', 'anthropic/thinking-parallel-tools');
    const { frames } = await hears('chat', 'anthropic', wire);
    const calls = frames.flatMap(({ choices: [choice] }: Json) => choice?.delta.tool_calls ?? []);
    expect([...new Set(calls.map(({ index }: Json) => index))]).toEqual([0, 1]);
    expect(calls.filter(({ id }: Json) => id !== undefined)).toHaveLength(2);
  });

  test.each(NAMES)(
    'D02 parallel calls without an index stay two calls for a %s client',
    async (client) => {
      const { hubAnswer, tenant, answer } = await hears(
        client,
        'chat',
        streamText(...UNNUMBERED, '[DONE]'),
      );
      expect(callsOf(hubAnswer)).toEqual(TWO_CALLS);
      await tenant.bill();
      expect(await pitfallSite.site.logOf(answer.requestId)).toMatchObject({
        completion_tokens: textCount('one{"x":1}two{"y":2}'),
      });
    },
  );

  test('D03 content blocks for Anthropic clients are numbered without gaps and never overlap', async () => {
    const { frames, hubAnswer } = await hears(
      'anthropic',
      'chat',
      streamText(...INTERLEAVED, '[DONE]'),
    );
    const blocks = frames.filter(({ type }) => type.startsWith('content_block'));
    let open: number | undefined;
    let next = 0;
    for (const { type, index } of blocks) {
      if (type === 'content_block_start') {
        expect([open, index]).toEqual([undefined, next]);
        open = index;
        next += 1;
      } else expect(index).toBe(open);
      if (type === 'content_block_stop') open = undefined;
    }
    expect([open, next]).toEqual([undefined, 4]);
    expect(callsOf(hubAnswer)).toEqual(TWO_CALLS);
  });

  test('D04 whole and streamed answers contain the same calls, and no call is announced without being sent', async () => {
    const tenant = await pitfallSite.fakeTenant('anthropic');
    const request = { text: 'Use one and two', tools: ['one', 'two'] };
    const whole = hubAnswerOf('chat', await pitfallSite.chat('chat', tenant, request));
    const streamed = await pitfallSite.chat('chat', tenant, { ...request, stream: true });
    expect(callsOf(whole)).toHaveLength(2);
    expect(callsOf(hubAnswerOf('chat', streamed, true))).toEqual(callsOf(whole));
    expect([whole.stop, hubAnswerOf('chat', streamed, true).stop]).toEqual([
      'tool_calls',
      'tool_calls',
    ]);
    const promised = wireOfFrames(
      'anthropic',
      { type: 'message_start', message: { usage: { input_tokens: 1 } } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    );
    expect((await hears('chat', 'anthropic', promised)).answer.text).toContain('"stop"');
  });

  test('D13 a tool call may start after the role and after text', async () => {
    const tenant = await pitfallSite.rawTenant('chat');
    const sent = [ROLE, textChunk('Let me look. '), ...UNNUMBERED.slice(1)];
    pitfallSite.raw.answer = streamed(...sent, '[DONE]');
    expect((await tenant.call(STREAM)).text).toBe(streamText(...sent, '[DONE]'));
    const { hubAnswer } = await hears('anthropic', 'chat', streamText(...sent, '[DONE]'));
    expect(wordsOf(hubAnswer, 'text')).toBe('Let me look. ');
    expect(callsOf(hubAnswer)).toEqual(TWO_CALLS);
  });
});

describe('usage in streams', () => {
  test('D05 a generated usage chunk has no choices and the identity of its stream', async () => {
    const tenant = await pitfallSite.rawTenant('chat');
    const words = 'made of five short words';
    pitfallSite.raw.answer = streamed(ROLE, textChunk(words), FINISH, '[DONE]');
    expect(chunksIn((await tenant.call(WITH_USAGE)).text).at(-1)).toMatchObject({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1763700001,
      choices: [],
      usage: { completion_tokens: textCount(words) },
    });
  });

  test.each([
    ['an empty list', USAGE_CHUNK],
    ['no list at all', JSON.stringify({ ...JSON.parse(USAGE_CHUNK), choices: undefined })],
    ['null', JSON.stringify({ ...JSON.parse(USAGE_CHUNK), choices: null })],
  ])('D06 usage is read even without choices (%s)', async (_what, usageChunk) => {
    const tenant = await pitfallSite.rawTenant('chat');
    pitfallSite.raw.answer = streamed(textChunk('hi'), FINISH, usageChunk, '[DONE]');
    const answer = await tenant.call(STREAM);
    expect(answer.text).toBe(streamText(textChunk('hi'), FINISH, '[DONE]'));
    expect(await tenant.bill()).toEqual(
      tenant.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
    );
  });

  test.each([
    ['an empty usage', { usage: {} }],
    ['a usage of zeros', { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
    ['none', {}],
  ])('D07 usage before the last chunk is not overwritten by %s after it', async (_what, last) => {
    const tenant = await pitfallSite.rawTenant('chat');
    const lastChunk = JSON.stringify({ ...JSON.parse(USAGE_CHUNK), usage: undefined, ...last });
    pitfallSite.raw.answer = streamed(textChunk('hi'), FINISH, USAGE_CHUNK, lastChunk, '[DONE]');
    const answer = await tenant.call(WITH_USAGE);
    const telling = chunksIn(answer.text).filter(({ usage }) => usage);
    expect(telling).toEqual([JSON.parse(USAGE_CHUNK)]);
    expect(await tenant.bill()).toEqual(
      tenant.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
    );
  });

  test.each(NAMES)(
    'D08 a stream that contains only usage ends normally for a %s client',
    async (client) => {
      const { tenant, answer, hubAnswer, frames } = await hears(
        client,
        'chat',
        streamText(USAGE_CHUNK, '[DONE]'),
      );
      expect([hubAnswer.stop, hubAnswer.usage?.output]).toEqual(['end', 9]);
      if (client === 'anthropic')
        expect(frames.map(({ type }) => type)).toEqual([
          'message_start',
          'ping',
          'message_delta',
          'message_stop',
        ]);
      expect(await tenant.bill()).toEqual(
        tenant.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
      );
    },
  );
});

describe('odd chunks', () => {
  test('D09 no empty chunk with choices follows the finish reason', async () => {
    const tenant = await pitfallSite.rawTenant('chat');
    pitfallSite.raw.answer = streamed(ROLE, textChunk('hi'), FINISH, ROLE, USAGE_CHUNK, '[DONE]');
    const { text } = await tenant.call(WITH_USAGE);
    expect(text).toBe(streamText(ROLE, textChunk('hi'), FINISH, USAGE_CHUNK, '[DONE]'));
  });

  test.each(['{"content":""}', '{}', '{"content":null,"tool_calls":null}'])(
    'D10 the last delta %s is forwarded unchanged',
    async (delta) => {
      const tenant = await pitfallSite.rawTenant('chat');
      const last = `{"id":"x", "choices":[ {"index":0,"delta":${delta},"finish_reason":"stop"} ]}`;
      pitfallSite.raw.answer = streamed(textChunk('hi'), last, '[DONE]');
      expect((await tenant.call(STREAM)).text).toBe(streamText(textChunk('hi'), last, '[DONE]'));
    },
  );

  test.each(NAMES)(
    'D11 Azure’s first content filter report becomes no chunk for a %s client',
    async (client) => {
      const tenant = await pitfallSite.fakeTenant('chat', {
        channel: { type: 3, other: '2024-10-21' },
      });
      const answer = await pitfallSite.chat(client, tenant, { text: TEXT, stream: true });
      expect(pitfallSite.site.upstream.requests.at(-1)?.path).toContain(
        `/openai/deployments/${tenant.model}/`,
      );
      expect(answer.text).not.toContain('prompt_filter_results');
      const hubAnswer = hubAnswerOf(client, answer, true);
      expect([wordsOf(hubAnswer, 'text'), hubAnswer.model]).toEqual([
        `You said: ${TEXT}`,
        tenant.model,
      ]);
    },
  );

  test.each(NAMES)('D12 Azure’s late content filter results break no %s client', async (client) => {
    const tenant = await pitfallSite.fakeTenant('chat', {
      channel: { type: 3, other: '2024-10-21' },
    });
    tenant.script('async-filter');
    const answer = await pitfallSite.chat(client, tenant, { text: TEXT, stream: true });
    expect(wordsOf(hubAnswerOf(client, answer, true), 'text')).toBe(`You said: ${TEXT}`);
    if (client !== 'chat') return;
    const choices = chunksIn(answer.text).flatMap((one) => one.choices);
    expect(choices.every(({ delta }) => typeof delta === 'object')).toBe(true);
  });
});

/**
 * Every upstream, read for a client of its own dialect and of another one. The other pairs read the
 * bytes of an upstream with the same code.
 */
const READERS = [...NAMES.map((name) => [name, name] as const), ...CROSSED];

/** Checks that clients receive the text of streams sent by these plans. */
async function hearsAll(...plans: readonly string[]): Promise<void> {
  for (const [client, upstream] of READERS) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    for (const plan of plans) {
      tenant.script(plan);
      const answer = await pitfallSite.chat(client, tenant, { text: TEXT, stream: true });
      const hubAnswer = hubAnswerOf(client, answer, true);
      expect([client, upstream, plan, wordsOf(hubAnswer, 'text')]).toEqual([
        client,
        upstream,
        plan,
        `You said: ${TEXT}`,
      ]);
    }
  }
}

describe('bytes', () => {
  test('D14 characters split between two packets are joined', async () => {
    await hearsAll('split:1');
    for (const [client, upstream] of READERS) {
      const tenant = await pitfallSite.fakeTenant(upstream);
      tenant.script('split-multibyte');
      const answer = await pitfallSite.chat(client, tenant, { text: TEXT, stream: true });
      const hubAnswer = wordsOf(hubAnswerOf(client, answer, true), 'text');
      expect(hubAnswer).toMatch(/^Grüße 世界 🌍 こんにちは .* done$/u);
      expect(hubAnswer).not.toContain('\uFFFD');
    }
  });

  test('D15 lines may be split anywhere and end with any line break, and the last one may lack it', () =>
    hearsAll('crlf+split:7', 'cr+split:5', 'no-tail+split:9'));

  test('D16 comments are not data, and they reach clients of the same dialect', async () => {
    await hearsAll('comments+split:6');
    const tenant = await pitfallSite.rawTenant('chat');
    const wire = `${streamText(textChunk('a'))}: PROCESSING\n\n${streamText(FINISH, '[DONE]')}`;
    pitfallSite.raw.answer = (response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(wire);
    expect((await tenant.call(STREAM)).text).toBe(wire);
  });

  test('D17 events without a space, with several lines, other fields or a byte order mark are read', () =>
    hearsAll('no-space', 'multiline', 'event-fields', 'bom'));
});
