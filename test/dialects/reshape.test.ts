import { expect, test } from 'vitest';
import {
  StrictFormat,
  strictAnswer,
  strictFinishReason,
} from '../../src/dialects/openai/answer/strict-format.ts';
import { ThinkingToContent } from '../../src/dialects/openai/answer/thinking-to-content.ts';
import { chunk, contentChunk, FINISH, frames, IDENTITY, reader, relayed } from './frames.ts';

function strict(path: string, endpoint: 'chat' | 'completions' = 'chat') {
  const reshapers = [new StrictFormat(endpoint, IDENTITY)];
  const sent = relayed(reader({ endpoint, reshapers }), frames(path)).slice(0, -1);
  return sent.map((data) => JSON.parse(data));
}

function contentThrough(data: readonly string[]): string {
  const sent = relayed(reader({ reshapers: [new ThinkingToContent()] }), data).slice(0, -1);
  return sent.map((frame) => JSON.parse(frame).choices[0].delta.content ?? '').join('');
}

test('a forced format fills id, object, created and index', () => {
  const reshapers = [new StrictFormat('chat', IDENTITY)];
  const frame =
    '{"created":"1763700000.7","choices":[{"delta":{"role":"assistant","content":"a"}}],"x_extra":1}';
  const [sent] = relayed(reader({ reshapers }), [frame]);
  expect(JSON.parse(sent ?? '')).toEqual({
    id: IDENTITY.id,
    object: 'chat.completion.chunk',
    created: 1763700000,
    model: IDENTITY.model,
    choices: [
      { index: 0, delta: { role: 'assistant', content: 'a' }, logprobs: null, finish_reason: null },
    ],
  });
});

test('a forced format keeps one id for the whole stream', () => {
  const reshapers = [new StrictFormat('chat', IDENTITY)];
  const sent = relayed(reader({ reshapers }), [
    contentChunk('a', { id: 'first' }),
    contentChunk('b', { id: 'second' }),
    FINISH,
  ]);
  expect(sent.slice(0, -1).map((data) => JSON.parse(data).id)).toEqual(['first', 'first', 'first']);
});

test('a forced format uses one name for reasoning of any provider', () => {
  for (const [path, reasoning, content] of [
    ['groq/chat-reasoning', 'Okay, let me see.', 'Three.'],
    ['mistral/chat-thinking', 'The user wants 2+2.', '2 + 2 = 4'],
    ['openrouter/chat-reasoning', 'Hm.', 'Yes'],
    ['vllm/chat-text', 'Think.', 'Sure'],
  ] as const) {
    const deltas = strict(path).map((frame) => frame.choices[0].delta);
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe(reasoning);
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe(content);
    expect(deltas.every((delta) => delta.reasoning === undefined)).toBe(true);
  }
});

test('a forced format gives each parallel call without an index its own', () => {
  const call = (id: string | undefined, args: unknown) =>
    chunk({
      delta: {
        tool_calls: [{ id, type: 'function', function: { name: id && 'f', arguments: args } }],
      },
    });
  const reshapers = [new StrictFormat('chat', IDENTITY)];
  const data = [call('a', '{'), call(undefined, '}'), call('b', { x: 1 }), call('a', ' ')];
  const sent = relayed(reader({ reshapers }), data).map(
    (frame) => JSON.parse(frame).choices[0].delta.tool_calls[0],
  );
  expect(sent.map((entry) => entry.index)).toEqual([0, 0, 1, 0]);
  expect(sent[2].function.arguments).toBe('{"x":1}');
});

test('a forced format applies to the usage chunk too', () => {
  const reshapers = [new StrictFormat('chat', IDENTITY)];
  const sent = relayed(reader({ reshapers, clientAskedUsage: true }), frames('openai/chat-text'));
  expect(Object.keys(JSON.parse(sent.at(-2) ?? ''))).toEqual([
    'id',
    'object',
    'created',
    'model',
    'service_tier',
    'system_fingerprint',
    'choices',
    'usage',
  ]);
});

test('a forced format keeps the index of the upstream', () => {
  const calls = strict('openai/chat-parallel-tools').flatMap(
    (frame) => frame.choices[0]?.delta.tool_calls ?? [],
  );
  expect(calls.map((call) => call.index)).toEqual([0, 0, 0, 1, 1]);
});

test('maps finish reasons of other providers to those of OpenAI', () => {
  expect(['stop', 'model_length', 'sensitive', 'tool_use', 'eos'].map(strictFinishReason)).toEqual([
    'stop',
    'length',
    'content_filter',
    'tool_calls',
    'stop',
  ]);
});

test('a forced format writes text completions with text', () => {
  const [first] = strict('openai/completions', 'completions');
  expect(first.choices).toEqual([{ index: 0, text: 'once', logprobs: null, finish_reason: null }]);
  expect(first.object).toBe('text_completion');
});

test('a whole answer in a forced format has every field clients read', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: { a: 1 } } };
  const answer = {
    choices: [{ message: { reasoning: 'why', tool_calls: [call] }, finish_reason: 'tool_use' }],
  };
  expect(strictAnswer(answer, 'chat', IDENTITY)).toEqual({
    id: IDENTITY.id,
    object: 'chat.completion',
    created: IDENTITY.createdSec,
    model: IDENTITY.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          reasoning_content: 'why',
          tool_calls: [{ ...call, function: { name: 'f', arguments: '{"a":1}' } }],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
  });
});

test('thinking becomes content between tags, closed before the answer', () => {
  expect(contentThrough(frames('groq/chat-reasoning'))).toBe(
    '<think>\nOkay, let me see.\n</think>\nThree.',
  );
  expect(contentThrough(frames('mistral/chat-thinking'))).toBe(
    '<think>\nThe user wants 2+2.\n</think>\n2 + 2 = 4',
  );
});

test('closes thinking before a tool call and before the end', () => {
  expect(contentThrough(frames('deepseek/chat-tool-call'))).toBe(
    '<think>\nThe user asks.\n</think>\n',
  );
  const onlyThought = [chunk({ delta: { reasoning_content: 'hm' } }), FINISH];
  expect(contentThrough(onlyThought)).toBe('<think>\nhm\n</think>\n');
});

test('opens and closes thinking for each choice separately', () => {
  const data = [
    chunk({ delta: { reasoning: 'a' } }),
    chunk({ index: 1, delta: { reasoning: 'b' } }),
    chunk({ index: 1, delta: { content: 'B' } }),
    chunk({ delta: { content: 'A' } }),
  ];
  expect(contentThrough([...data, '[DONE]'])).toBe(
    '<think>\na<think>\nb\n</think>\nB\n</think>\nA',
  );
});

test('a stream without reasoning keeps its bytes when thinking is moved into content', () => {
  const read = reader({ reshapers: [new ThinkingToContent()] });
  expect([contentChunk('a'), FINISH].map((frame) => read.readData(frame))).toEqual([
    'as-is',
    'as-is',
  ]);
});
