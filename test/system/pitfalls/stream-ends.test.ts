/** Known ways in which streams begin and end wrongly, each from end to end. */
import { describe, expect, test } from 'vitest';
import { chunk } from '../../dialects/frames.ts';
import { streamText } from '../../relay/raw-upstream.ts';
import { wordsOf } from '../matrix/clients.ts';
import {
  callOf,
  createPitfallSite,
  type Json,
  NAMES,
  PAIRS,
  stored,
  wireOfFrames,
} from './pitfall-site.ts';

const pitfallSite = await createPitfallSite();
const { streamTo: hears } = pitfallSite;

const TEXT = 'Grüße 世界 🌍 こんにちは';

function toolChunk(...calls: object[]): string {
  return chunk({ delta: { tool_calls: calls }, finish_reason: null });
}

describe('ends', () => {
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
