import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StrictFormat } from '../../src/dialects/openai/answer/strict-format.ts';
import { ThinkingToContent } from '../../src/dialects/openai/answer/thinking-to-content.ts';
import { chunk, contentChunk, FINISH, frames, IDENTITY, reader, relayed } from './frames.ts';

interface Case {
  readonly path: string;
  readonly text: string;
  readonly toolCalls?: number;
  readonly finish: readonly string[];
  /** Prompt and completion tokens as the provider counts them. */
  readonly tokens: readonly [number, number];
  /** Frames dropped or stripped of usage for a client that did not request it. */
  readonly changed: readonly number[];
}

const CASES: readonly Case[] = [
  {
    path: 'openai/chat-text',
    text: 'Two birds 🙂',
    finish: ['stop'],
    tokens: [1117, 46],
    changed: [4],
  },
  {
    path: 'openai/chat-parallel-tools',
    text: 'get_weather{"city":"Oslo"}get_time{}',
    toolCalls: 2,
    finish: ['tool_calls'],
    tokens: [92, 38],
    changed: [7],
  },
  {
    path: 'azure/chat-async-filter',
    text: 'Color is light.',
    finish: ['stop'],
    tokens: [13, 6],
    changed: [0, 4, 6, 7],
  },
  {
    path: 'deepseek/chat-tool-call',
    text: 'The user asks.weather{"location": "Bern"}',
    toolCalls: 1,
    finish: ['tool_calls'],
    tokens: [374, 61],
    changed: [5],
  },
  {
    path: 'openrouter/chat-reasoning',
    text: 'Hm.Yes',
    finish: ['stop'],
    tokens: [21, 9],
    changed: [3],
  },
  {
    path: 'groq/chat-reasoning',
    text: 'Okay, let me see.Three.',
    finish: ['stop'],
    tokens: [18, 110],
    changed: [],
  },
  {
    path: 'moonshot/chat-text',
    text: '简单。你好',
    finish: ['stop'],
    tokens: [89, 13],
    changed: [],
  },
  {
    path: 'xai/chat-tool-call',
    text: 'Firstweather{"location":"Rome"}',
    toolCalls: 1,
    finish: ['tool_calls'],
    tokens: [291, 26],
    changed: [3],
  },
  {
    path: 'xai/chat-cumulative-usage',
    text: 'Coca-Cola',
    finish: ['stop'],
    tokens: [38, 3],
    changed: [0, 1, 2],
  },
  {
    path: 'mistral/chat-thinking',
    text: 'The user wants 2+2.2 + 2 = 4',
    finish: ['stop'],
    tokens: [10, 46],
    changed: [3],
  },
  { path: 'vllm/chat-text', text: 'Think.Sure', finish: ['stop'], tokens: [24, 7], changed: [4] },
];

describe.each(CASES)('the stream $path', (row) => {
  const stored = frames(row.path);

  test('is counted by the usage its provider reports', () => {
    const read = reader();
    for (const frame of stored) read.readData(frame);
    expect(read.delivered.text).toBe(row.text);
    expect(read.delivered.toolCalls).toBe(row.toolCalls ?? 0);
    expect(read.finishReasons).toEqual(row.finish);
    expect([read.usage?.prompt_tokens, read.usage?.completion_tokens]).toEqual(row.tokens);
    expect(read.isComplete).toBe(true);
  });

  test('keeps the bytes of every frame that needs no change', () => {
    const read = reader({ clientAskedUsage: true });
    const changed = stored.flatMap((frame, at) => (read.readData(frame) === 'as-is' ? [] : [at]));
    expect(changed).toEqual([...row.changed, stored.length - 1]);
  });

  test('ends with one usage chunk without choices for a client that requested usage', () => {
    const sent = relayed(reader({ clientAskedUsage: true }), stored);
    expect(sent.at(-1)).toBe('[DONE]');
    const chunks = sent.slice(0, -1).map((data) => JSON.parse(data));
    const carrying = chunks.filter((frame) => frame.usage);
    expect(carrying).toEqual([chunks.at(-1)]);
    expect(carrying[0].choices).toEqual([]);
    expect(carrying[0].usage.prompt_tokens).toBe(row.tokens[0]);
  });

  test('hides usage from a client that did not request it', () => {
    const sent = relayed(reader(), stored).slice(0, -1);
    expect(sent.filter((data) => 'usage' in JSON.parse(data))).toEqual([]);
  });
});

test('reads a legacy completion stream by its text', () => {
  const read = reader({ endpoint: 'completions', clientAskedUsage: true });
  const sent = relayed(read, frames('openai/completions'));
  expect(read.delivered.text).toBe('once more');
  expect(read.finishReasons).toEqual(['length']);
  expect(sent).toEqual(frames('openai/completions'));
});

test('D05 a generated usage chunk has an empty list of choices and the identity of the stream', () => {
  const read = reader({ clientAskedUsage: true });
  relayed(read, [contentChunk('a'), FINISH]);
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  const [made, end] = read.tail(usage);
  expect(JSON.parse(made ?? '')).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1763700001,
    model: 'up-1',
    choices: [],
    usage,
  });
  expect(end).toBe('[DONE]');
  expect(reader().tail(usage)).toEqual(['[DONE]']);
});

test('D06 reads usage from a chunk without choices, whether the list is empty or absent', () => {
  for (const frame of [
    '{"choices":[],"usage":{"total_tokens":9}}',
    '{"usage":{"total_tokens":9}}',
  ]) {
    const read = reader({ clientAskedUsage: true });
    expect(read.readData(frame)).toBe('drop');
    expect(read.usage).toEqual({ total_tokens: 9 });
    expect(JSON.parse(read.tail()[0] ?? '').choices).toEqual([]);
  }
});

test('D07 keeps the last usage with counts, even if an empty one follows', () => {
  const read = reader();
  read.readData(contentChunk('a', { usage: { prompt_tokens: 5, completion_tokens: 1 } }));
  read.readData(contentChunk('b', { usage: { prompt_tokens: 5, completion_tokens: 2 } }));
  read.readData(contentChunk('c', { usage: { prompt_tokens: 0, completion_tokens: 0 } }));
  read.readData('{"choices":[],"usage":{}}');
  read.readData('{"choices":[],"usage":null}');
  expect(read.usage).toEqual({ prompt_tokens: 5, completion_tokens: 2 });
});

test('D09 drops empty choices after the finish, but keeps late content', () => {
  const read = reader();
  const lateRole = chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null });
  expect(read.readData(FINISH)).toBe('as-is');
  expect(read.readData(lateRole)).toBe('drop');
  expect(read.readData(FINISH)).toBe('drop');
  expect(read.readData(contentChunk('late'))).toBe('as-is');
});

test('D10 passes on the last delta as the upstream wrote it', () => {
  for (const delta of [{}, { content: '' }, { role: 'assistant', content: null }]) {
    expect(reader().readData(chunk({ delta, finish_reason: 'stop' }))).toBe('as-is');
  }
});

test('never takes the identity of a stream from the opening frame of Azure', () => {
  const read = reader({ clientAskedUsage: true, clientModel: 'gpt-4o' });
  const sent = relayed(read, frames('azure/chat-async-filter')).slice(0, -1);
  const heads = sent.map((data) => JSON.parse(data));
  expect(new Set(heads.map((head) => head.id))).toEqual(new Set(['chatcmpl-9AzR1cQe']));
  expect(new Set(heads.map((head) => head.model))).toEqual(new Set(['gpt-4o']));
});

test('a generated usage chunk takes its identity from the answer, not from filter frames', () => {
  const read = reader({ clientAskedUsage: true });
  const withoutUsage = frames('azure/chat-async-filter').filter(
    (data) => !data.includes('total_tokens'),
  );
  for (const data of withoutUsage) read.readData(data);
  expect(JSON.parse(read.tail({ total_tokens: 1 })[0] ?? '')).toMatchObject({
    id: 'chatcmpl-9AzR1cQe',
    created: 1763713000,
    model: 'gpt-4o-2024-11-20',
  });
});

test('D12 a filtered choice that ends without a delta gets one', () => {
  const sent = relayed(reader(), frames('azure/chat-blocked')).slice(0, -1);
  const last = JSON.parse(sent.at(-1) ?? '');
  expect(last.choices[0]).toMatchObject({ delta: {}, finish_reason: 'content_filter' });
  expect(last.choices[0].content_filter_results.protected_material_text.filtered).toBe(true);
});

test('D13 a tool call may begin in any chunk', () => {
  const read = reader();
  read.readData(chunk({ delta: { role: 'assistant' }, finish_reason: null }));
  expect(read.delivered.hasContent).toBe(false);
  read.readData(contentChunk('Let me look. '));
  read.readData(
    chunk({
      delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] },
    }),
  );
  expect(read.delivered.text).toBe('Let me look. f{}');
});

test('parallel calls without an index are separated by their ids', () => {
  const read = reader();
  for (const id of ['call_a', 'call_b']) {
    read.readData(
      chunk({ delta: { tool_calls: [{ id, function: { name: 'f', arguments: '{}' } }] } }),
    );
  }
  expect(read.delivered.toolCalls).toBe(2);
});

test('D18 a closed connection is success after the finish and an error before it', () => {
  const complete = reader();
  relayed(complete, [contentChunk('a'), FINISH]);
  expect(complete.isComplete).toBe(true);
  const broken = reader();
  relayed(broken, [contentChunk('a')]);
  expect(broken.isComplete).toBe(false);
  const done = reader();
  relayed(done, [contentChunk('a'), '[DONE]']);
  expect(done.isComplete).toBe(true);
  expect(reader().isComplete).toBe(false);
});

test('with several choices the stream is complete when each has finished', () => {
  const read = reader();
  read.readData(chunk({ delta: { content: 'a' } }));
  read.readData(chunk({ index: 1, delta: { content: 'b' } }));
  read.readData(FINISH);
  expect(read.isComplete).toBe(false);
  expect(read.readData(chunk({ index: 1, delta: {}, finish_reason: 'length' }))).toBe('as-is');
  expect(read.isComplete).toBe(true);
  expect(read.finishReasons).toEqual(['stop', 'length']);
});

test('an error frame is an error, and its text is not part of the answer', () => {
  const read = reader();
  const sent = relayed(read, [...frames('openrouter/chat-error'), contentChunk('after')]);
  expect(sent).toHaveLength(1);
  expect(read.error).toMatchObject({
    status: 502,
    message: 'Provider disconnected unexpectedly',
    code: 'bad_gateway',
  });
  expect(read.delivered.text).toBe('Yes');
  expect(read.isComplete).toBe(false);
});

test('an error frame keeps type and code, so that a client can decide to retry', () => {
  const read = reader();
  read.readData('{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}');
  expect(read.error).toMatchObject({
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'slow down',
  });
});

test('an answer that ends with the reason "error" has failed, with or without a message', () => {
  for (const reason of ['error', 'network_error']) {
    const read = reader();
    expect(read.readData(chunk({ delta: {}, finish_reason: reason }))).toBe('drop');
    expect(read.error?.code).toBe(reason);
  }
});

test('finds an error in a stream with status 200 even without choices', () => {
  const read = reader();
  read.readData(
    '{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}',
  );
  expect(read.error).toMatchObject({ status: 402, message: 'insufficient balance' });
  const fine = reader();
  fine.readData(contentChunk('a', { base_resp: { status_code: 0, status_msg: '' } }));
  expect(fine.error).toBeUndefined();
});

test('D45 a usage chunk that only the gateway requested does not reach the client', () => {
  const sent = relayed(reader(), frames('vllm/chat-text'));
  expect(sent).toHaveLength(5);
});

test('a rewritten frame keeps every other byte, large numbers included', () => {
  const frame =
    '{"id":"x","seed":12345678901234567890,"model":"up-1", "choices":[{"index":0,"delta":{"content":"\\u00e9"}}],"z":1.0}';
  const forward = reader({ clientModel: 'mine' }).readData(frame);
  expect(forward).toEqual({
    json: '{"id":"x","seed":12345678901234567890,"model":"mine","choices":[{"index":0,"delta":{"content":"\\u00e9"}}],"z":1.0}',
  });
});

test('D81 the client sees the requested model name on every chunk, including the usage chunk', () => {
  for (const path of CASES.map((row) => row.path)) {
    const sent = relayed(
      reader({ clientModel: 'mine', clientAskedUsage: true }),
      frames(path),
    ).slice(0, -1);
    expect(sent.map((data) => JSON.parse(data).model)).toEqual(sent.map(() => 'mine'));
  }
});

test('D85 unusual ids, times and missing fields pass through when no format is forced', () => {
  const odd = '{"created":"1763700000.5","choices":[{"delta":{"content":"a"}}]}';
  expect(reader().readData(odd)).toBe('as-is');
});

test('drops and counts frames that are not JSON', () => {
  const read = reader();
  expect(['', 'ping', '{"id":', '[1]'].map((data) => read.readData(data))).toEqual([
    'drop',
    'drop',
    'drop',
    'drop',
  ]);
  expect(read.garbledFrames).toBe(4);
});

test('sends nothing after the end mark', () => {
  const read = reader();
  read.readData('[DONE]');
  expect(read.readData(contentChunk('a'))).toBe('drop');
});

test('stores delivered text up to a limit and counts all of it', () => {
  const read = reader();
  const piece = contentChunk('x'.repeat(100_000));
  for (let turn = 0; turn < 4; turn++) read.readData(piece);
  expect(read.delivered.chars).toBe(400_000);
  expect(read.delivered.text).toHaveLength(256 * 1024);
  expect(read.delivered.uncountedChars).toBe(400_000 - 256 * 1024);
});

test('white space alone is an empty answer, a tool call alone is not', () => {
  const blank = reader();
  relayed(blank, [contentChunk(' \n'), FINISH]);
  expect([blank.delivered.hasContent, blank.delivered.isEmpty]).toEqual([true, true]);
  const call = reader();
  call.readData(
    chunk({
      delta: { tool_calls: [{ index: 0, id: 'c', function: { name: '', arguments: '' } }] },
    }),
  );
  expect(call.delivered.isEmpty).toBe(false);
});

test('counts refusals, custom tools, legacy calls and audio answers as delivered', () => {
  const read = reader();
  read.readData(chunk({ delta: { refusal: 'No.' } }));
  read.readData(
    chunk({ delta: { tool_calls: [{ index: 0, id: 'c', custom: { name: 'run', input: 'ls' } }] } }),
  );
  read.readData(chunk({ delta: { function_call: { name: 'old', arguments: '{}' } } }));
  read.readData(chunk({ delta: { audio: { data: 'AAAA', transcript: 'hi' } } }));
  expect(read.delivered.text).toBe('No.runlsold{}hi');
});

test('a stream without a usable frame gets an id from the call', () => {
  const read = reader({ clientAskedUsage: true });
  expect(JSON.parse(read.tail({ total_tokens: 1 })[0] ?? '')).toMatchObject({
    id: IDENTITY.id,
    created: IDENTITY.createdSec,
    model: IDENTITY.model,
  });
});

test('reads any frame without failing, and replaces it only by JSON', () => {
  const names = [
    'choices',
    'delta',
    'content',
    'usage',
    'tool_calls',
    'function',
    'finish_reason',
    'model',
    'id',
  ];
  const value = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      fc.constantFrom<unknown>(null, 0, 1.5, '', 'text', true),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 5 }),
    ),
  })).tree;
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (trees) => {
      const reshapers = [new StrictFormat('chat', IDENTITY), new ThinkingToContent()];
      for (const read of [
        reader({ clientModel: 'm' }),
        reader({ reshapers, clientAskedUsage: true }),
      ]) {
        const sent = relayed(
          read,
          trees.map((tree) => JSON.stringify(tree)),
        );
        for (const data of sent.filter((line) => line !== '[DONE]')) JSON.parse(data);
        expect(read.delivered.text.length).toBe(read.delivered.chars);
      }
    }),
  );
});

test('neither keeps nor sends invalid counts', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 1 };
  const read = reader({ ignoresUsage: true, clientAskedUsage: true });
  const sent = relayed(read, [
    contentChunk('Two birds', { usage }),
    FINISH,
    chunk({}, { choices: [], usage }),
  ]);
  expect(read.usage).toBeUndefined();
  expect(sent.join('')).not.toContain('"prompt_tokens":1');
  const own = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
  expect(read.tail(own).join('')).toContain('"prompt_tokens":9');
});
