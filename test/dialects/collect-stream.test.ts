import { expect, test } from 'vitest';
import { ChunkCollector } from '../../src/dialects/openai/answer/collect-stream.ts';
import { chunk, contentChunk, FINISH, frames } from './frames.ts';

/** The whole answer built from these frames, as parsed JSON. */
function collected(data: readonly string[], usage?: object) {
  const collector = new ChunkCollector('chat');
  for (const frame of data) if (frame !== '[DONE]') collector.add(JSON.parse(frame));
  return JSON.parse(
    JSON.stringify(collector.answer(usage === undefined ? undefined : { ...usage })),
  );
}

function messageOf(data: readonly string[]) {
  return collected(data).choices[0].message;
}

function delta(fields: object): string {
  return chunk({ delta: fields, finish_reason: null });
}

test('joins pieces of text into one message with role, content, refusal and finish reason', () => {
  const role = delta({ role: 'assistant', content: '', refusal: null });
  expect(
    collected([role, contentChunk('Hello'), contentChunk(' there'), FINISH], { total_tokens: 3 }),
  ).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1763700001,
    model: 'up-1',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello there', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { total_tokens: 3 },
  });
});

test('orders choices by their indexes', () => {
  const second = chunk({ index: 1, delta: { content: 'b' }, finish_reason: 'stop' });
  const { choices } = collected([second, contentChunk('a'), FINISH]);
  expect(choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1]);
});

test('keeps a refusal apart from content', () => {
  const pieces = [
    delta({ role: 'assistant', content: null }),
    delta({ refusal: 'I ' }),
    delta({ refusal: 'cannot' }),
  ];
  expect(messageOf([...pieces, FINISH])).toEqual({
    role: 'assistant',
    content: null,
    refusal: 'I cannot',
  });
});

test('parallel tool calls of a real stream become whole calls without an index', () => {
  const { tool_calls: calls, content } = messageOf(frames('openai/chat-parallel-tools'));
  expect(content).toBeNull();
  expect(calls.length).toBeGreaterThan(1);
  for (const call of calls) {
    expect(Object.keys(call).sort()).toEqual(['function', 'id', 'type']);
    expect(() => JSON.parse(call.function.arguments)).not.toThrow();
  }
});

test.each(['groq/chat-reasoning', 'openrouter/chat-reasoning', 'deepseek/chat-tool-call'])(
  'joins the reasoning of %s into one text',
  (name) => {
    const data = frames(name).filter((frame) => frame !== '[DONE]');
    const deltas = data.flatMap((frame) => JSON.parse(frame).choices.map(deltaOf));
    const message = messageOf(data);
    expect(message.reasoning_content ?? message.reasoning).toBe(deltas.map(reasoningOf).join(''));
    expect(message.reasoning_content ?? message.reasoning).not.toBe('');
  },
);

function deltaOf(choice: { delta: Record<string, string> }) {
  return choice.delta;
}

function reasoningOf(delta: Record<string, string>): string {
  return delta.reasoning_content ?? delta.reasoning ?? '';
}

test('joins reasoning details by their index', () => {
  const detail = (text: string, index: number) =>
    delta({ reasoning_details: [{ type: 'reasoning.text', text, index }] });
  expect(
    messageOf([detail('one ', 0), detail('two', 0), detail('three', 1), FINISH]),
  ).toMatchObject({
    reasoning_details: [
      { type: 'reasoning.text', text: 'one two', index: 0 },
      { type: 'reasoning.text', text: 'three', index: 1 },
    ],
  });
});

test('joins audio into one piece of data with one id', () => {
  const audio = (fields: object) => delta({ audio: fields });
  expect(
    messageOf([
      audio({ id: 'audio_1', transcript: 'Hel' }),
      audio({ data: 'AAAA', transcript: 'lo' }),
      audio({ data: 'BBBB', expires_at: 5 }),
      FINISH,
    ]).audio,
  ).toEqual({ id: 'audio_1', transcript: 'Hello', data: 'AAAABBBB', expires_at: 5 });
});

test('keeps the order of content that changes from parts to text', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
  const { content } = messageOf([
    delta({ content: '' }),
    delta({ content: [thinking] }),
    contentChunk('so'),
    FINISH,
  ]);
  expect(content).toEqual([thinking, { type: 'text', text: 'so' }]);
});

test('keeps unknown fields, except those of single chunks', () => {
  const extra = { citations: ['a'], obfuscation: 'xx', x_groq: { id: 'q' } };
  const odd = chunk(
    { delta: { content: 'hi', shiny: true }, finish_reason: null, stop_reason: 7 },
    extra,
  );
  const answer = collected([odd, FINISH]);
  expect(answer).toMatchObject({ citations: ['a'], choices: [{ stop_reason: 7 }] });
  expect(answer.choices[0].message.shiny).toBe(true);
  expect(Object.keys(answer)).not.toContain('obfuscation');
  expect(Object.keys(answer)).not.toContain('x_groq');
});

test('takes no identity from the opening frame of Azure', () => {
  const answer = collected(frames('azure/chat-async-filter'));
  expect(answer.id).toMatch(/^chatcmpl-/);
  expect(answer.created).toBeGreaterThan(0);
  expect(answer.model).not.toBe('');
});

test('an answer without any choice has an empty list of choices', () => {
  expect(collected([]).choices).toEqual([]);
});
