import { expect, test } from 'vitest';
import { readPlainAnswer } from '../../src/dialects/openai/answer/plain-answer.ts';
import { pseudoStream } from '../../src/dialects/openai/answer/pseudo-stream.ts';
import { withEmbeddingEncoding } from '../../src/dialects/openai/endpoints/embeddings.ts';
import { modelObject, readModelList } from '../../src/dialects/openai/endpoints/model-list.ts';
import { AppError } from '../../src/domain/errors/errors.ts';
import { reader, relayed } from './frames.ts';

const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const TOOL_CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };

function answer(message: object, extra: object = {}): string {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }];
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'up-1',
    choices,
    usage: USAGE,
    ...extra,
  });
}

test('an answer that needs no change keeps its bytes', () => {
  const text = ` \n\n${answer({ content: 'hi' })}\n`;
  const read = readPlainAnswer(text, { endpoint: 'chat' });
  expect(read.text).toBe(text);
  expect(read.usage).toEqual(USAGE);
  expect(read.delivered.text).toBe('hi');
  expect(read.finishReasons).toEqual(['stop']);
  expect(read.hasAnswer).toBe(true);
});

test('D75 a mapped answer shows the requested model name and keeps all other bytes', () => {
  const text =
    '{"model":"up-1","big":12345678901234567890,"choices":[{"message":{"content":"\\"model\\":1"}}]}';
  const read = readPlainAnswer(text, { endpoint: 'chat', clientModel: 'mine' });
  expect(read.text).toBe(text.replace('up-1', 'mine'));
});

test('D28 an error with status 200 is neither an answer nor billed', () => {
  for (const text of [
    '{"error":{"message":"boom","code":402}}',
    '{"base_resp":{"status_code":1004,"status_msg":"login fail"},"choices":null}',
    '{"Response":{"Error":{"Code":"LimitExceeded","Message":"too many"}}}',
    '{"error_code":17,"error_msg":"daily limit"}',
    '[{"error":{"message":"bad","code":400}}]',
  ]) {
    const read = readPlainAnswer(text, { endpoint: 'chat' });
    expect(read.error?.message, text).toMatch(/boom|login fail|too many|daily limit|bad/);
    expect(read.delivered.hasContent).toBe(false);
  }
});

test.each([
  ['no content at all', { content: null }, {}, false],
  ['an empty text', { content: '' }, { usage: null }, false],
  ['counts of zero', { content: '' }, { usage: { prompt_tokens: 0, total_tokens: 0 } }, false],
  ['a tool call', { content: null, tool_calls: [TOOL_CALL] }, {}, true],
  ['a thought', { content: '', reasoning_content: 'because' }, {}, true],
  ['a refusal', { content: null, refusal: 'no' }, {}, true],
  ['usage', { content: '' }, { usage: USAGE }, true],
])(
  'recognises whether a chat completion with %s is an answer',
  (_what, message, extra, expected) => {
    const read = readPlainAnswer(answer(message, { usage: undefined, ...extra }), {
      endpoint: 'chat',
    });
    expect(read.hasAnswer).toBe(expected);
  },
);

test.each(['length', 'content_filter'])('finish reason %s explains an empty answer', (reason) => {
  const choices = [{ index: 0, message: { content: '' }, finish_reason: reason }];
  expect(readPlainAnswer(JSON.stringify({ choices }), { endpoint: 'chat' }).hasAnswer).toBe(true);
});

test.each(['chat', 'completions', 'embeddings', 'moderations'] as const)(
  'an empty object is not an answer of %s',
  (endpoint) => {
    expect(readPlainAnswer('{}', { endpoint }).hasAnswer).toBe(false);
  },
);

test('recognises embeddings by their list', () => {
  const text =
    '{"object":"list","model":"up-1","data":[{"embedding":[0.5]}],"usage":{"prompt_tokens":3}}';
  const read = readPlainAnswer(text, { endpoint: 'embeddings', clientModel: 'mine' });
  expect(read.hasAnswer).toBe(true);
  expect(read.usage).toEqual({ prompt_tokens: 3 });
  expect(read.text).toBe(text.replace('up-1', 'mine'));
});

test('reports a body that is not a JSON object as malformed', () => {
  for (const text of ['', 'oops', '[1]', '"text"', '{"choices":']) {
    expect(() => readPlainAnswer(text, { endpoint: 'chat' })).toThrow(
      new AppError('upstream_garbled'),
    );
  }
});

test('converts a whole answer to a readable stream, with tool calls and reasoning', () => {
  const message = {
    role: 'assistant',
    content: null,
    reasoning_content: 'hm',
    tool_calls: [TOOL_CALL],
  };
  const whole = {
    id: 'a',
    model: 'up-1',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage: USAGE,
  };
  const data = pseudoStream(whole, { endpoint: 'chat', clientAskedUsage: true });
  const read = reader({ clientAskedUsage: true });
  expect(relayed(read, data)).toEqual(data);
  expect(read.delivered.text).toBe('hmf{}');
  expect(JSON.parse(data[0] ?? '').choices[0].delta).toEqual({
    ...message,
    tool_calls: [{ index: 0, ...TOOL_CALL }],
  });
  expect(JSON.parse(data[0] ?? '').object).toBe('chat.completion.chunk');
});

test('converts a whole answer to one chunk per choice, with a usage chunk only on request', () => {
  const whole = { choices: [{ text: 'a' }, { text: 'b' }], usage: USAGE };
  const data = pseudoStream(whole, { endpoint: 'completions', clientAskedUsage: false });
  expect(data).toHaveLength(3);
  expect(data.slice(0, 2).map((frame) => JSON.parse(frame).choices)).toEqual([
    [{ index: 0, text: 'a' }],
    [{ index: 1, text: 'b' }],
  ]);
  expect(data[2]).toBe('[DONE]');
});

test('returns embeddings in the requested format, whatever the upstream sent', () => {
  const numbers = { data: [{ index: 0, embedding: [0.5, -2] }] };
  const base64 = { data: [{ index: 0, embedding: 'AAAAPwAAAMA=' }] };
  expect(withEmbeddingEncoding(numbers, 'base64')).toEqual(base64);
  expect(withEmbeddingEncoding(base64, 'float')).toEqual(numbers);
  expect(withEmbeddingEncoding(base64, undefined)).toEqual(numbers);
  expect(withEmbeddingEncoding(numbers, 'float')).toBe(numbers);
  expect(withEmbeddingEncoding(base64, 'base64')).toBe(base64);
});

test('reads the names of model lists of every shape once, in order', () => {
  const cases: readonly (readonly [unknown, readonly string[]])[] = [
    [{ object: 'list', data: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] }, ['a', 'b']],
    [
      [{ id: 'openai/a' }, { id: 'b' }],
      ['openai/a', 'b'],
    ],
    [
      ['a', '', 'b'],
      ['a', 'b'],
    ],
    [{ models: [{ name: 'llama3:8b', model: 'llama3:8b' }] }, ['llama3:8b']],
    [{ models: [{ name: 'command-a', endpoints: ['chat'] }], next_page_token: '' }, ['command-a']],
    [{ result: [{ id: 'f1b2', name: '@cf/meta/llama' }], success: true }, ['@cf/meta/llama']],
    [{ data: [] }, []],
  ];
  for (const [json, names] of cases) expect(readModelList(json)).toEqual(names);
});

test('refuses an answer without a list', () => {
  for (const json of [null, 'x', {}, { data: 'x' }]) {
    expect(() => readModelList(json)).toThrow(new AppError('upstream_garbled'));
  }
});

test('shows a model in the form that existing clients compare', () => {
  expect(modelObject('gpt-4o', 'openai')).toMatchObject({
    id: 'gpt-4o',
    object: 'model',
    created: 1626777600,
    owned_by: 'openai',
    root: 'gpt-4o',
    parent: null,
  });
  expect(modelObject('x').owned_by).toBe('custom');
  expect(modelObject('x').permission).toHaveLength(1);
});
