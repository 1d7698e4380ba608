/** Known ways in which streams go wrong, each from end to end. */
import { describe, expect, test } from 'vitest';
import { chunk } from '../../dialects/frames.ts';
import { streamText } from '../../relay/raw-upstream.ts';
import { PRICE } from '../../relay/tenant.ts';
import { textCount, tokensOfUsage, unitsOf } from '../../relay/units.ts';
import { callsOf, hubAnswerOf, wordsOf } from '../matrix/clients.ts';
import { createPitfallSite, NAMES, wireOfFrames } from './pitfall-site.ts';

const pitfallSite = await createPitfallSite();
const { streamTo: hears } = pitfallSite;

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

const TWO_CALLS = [
  ['one', { x: 1 }],
  ['two', { y: 2 }],
];

describe('calls', () => {
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
});

describe('usage in streams', () => {
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
});
