import { describe, expect, test } from 'vitest';
import { CHAT } from '../../../src/dialects/openai/chat/chat.ts';
import { emptyUsage } from '../../../src/domain/pricing/usage.ts';
import { chunk, contentChunk, FINISH } from '../frames.ts';
import {
  CONTEXT,
  collected,
  context,
  encoded,
  eventsIn,
  framesIn,
  wireOf,
} from '../hub/streams.ts';

function stream(...data: readonly string[]): string {
  return [...data, '[DONE]'].map((frame) => `data: ${frame}\n\n`).join('');
}

function calls(...pieces: readonly object[]): string {
  return chunk({ delta: { tool_calls: pieces }, finish_reason: null });
}

function callsIn(wire: string): unknown[] {
  return collected(eventsIn('chat', wire)).blocks.flatMap((block) =>
    block.kind === 'tool_call' ? [[block.id, block.name, block.args]] : [],
  );
}

function fn(name: string, args = ''): object {
  return { function: { name, arguments: args } };
}

describe('tool calls of a chat stream', () => {
  test.each<[string, readonly string[], unknown]>([
    [
      'pieces find their call by its number',
      [
        calls({ index: 0, id: 'a', ...fn('f') }, { index: 1, id: 'b', ...fn('g') }),
        calls({ index: 1, function: { arguments: '{"b":' } }),
        calls({ index: 0, function: { arguments: '{}' } }),
        calls({ index: 1, function: { arguments: '1}' } }),
      ],
      [
        ['a', 'f', '{}'],
        ['b', 'g', '{"b":1}'],
      ],
    ],
    [
      'a missing number is not the number 0: a new id is a new call',
      [calls({ id: 'a', ...fn('f', '{}') }), calls({ id: 'b', ...fn('f', '{"x":1}') })],
      [
        ['a', 'f', '{}'],
        ['b', 'f', '{"x":1}'],
      ],
    ],
    [
      'one number for two ids means two calls',
      [
        calls({ index: 0, id: 'a', ...fn('f', '{}') }),
        calls({ index: 0, id: 'b', ...fn('f', '{}') }),
      ],
      [
        ['a', 'f', '{}'],
        ['b', 'f', '{}'],
      ],
    ],
    [
      'an id and a name that are said again begin nothing',
      [
        calls({ index: 0, id: 'a', ...fn('f', '{"a"') }),
        calls({ index: 0, id: 'a', ...fn('f', ':1}') }),
      ],
      [['a', 'f', '{"a":1}']],
    ],
    [
      'an id of another call is replaced, and its pieces still find it',
      [
        calls({ index: 0, id: 'a', ...fn('f', '{}') }),
        calls({ index: 1, id: 'a', ...fn('g', '{"b"') }),
        calls({ index: 1, id: 'a', function: { arguments: ':2}' } }),
      ],
      [
        ['a', 'f', '{}'],
        ['call_R1_1', 'g', '{"b":2}'],
      ],
    ],
    [
      'what comes before the name waits for it',
      [
        calls({ index: 0, id: 'a', function: { arguments: '{"a"' } }),
        calls({ index: 0, function: { name: 'f', arguments: ':1}' } }),
      ],
      [['a', 'f', '{"a":1}']],
    ],
    [
      'without number and id the name begins a call and the order tells the pieces',
      [
        calls(fn('f'), fn('g')),
        calls({ function: { arguments: '{}' } }, { function: { arguments: '{"b":1}' } }),
      ],
      [
        ['call_R1_0', 'f', '{}'],
        ['call_R1_1', 'g', '{"b":1}'],
      ],
    ],
    [
      'arguments may be an object',
      [calls({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'the legacy call is one too',
      [
        chunk({ delta: { function_call: { name: 'f', arguments: '{"a"' } } }),
        chunk({ delta: { function_call: { arguments: ':1}' } } }),
      ],
      [['call_R1_0', 'f', '{"a":1}']],
    ],
  ])('%s', (_name, chunks, expected) => {
    expect(callsIn(stream(...chunks, FINISH))).toEqual(expected);
  });
});

test('empty choices, missing deltas and nulls start no block', () => {
  const wire = stream(
    '{"choices":[],"prompt_filter_results":[]}',
    '{"choices":[{"index":0}]}',
    chunk({ delta: { role: 'assistant', content: null } }),
    contentChunk('Hi'),
    FINISH,
    '{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":1}}',
  );
  const answer = collected(eventsIn('chat', wire));
  expect(answer.blocks).toEqual([{ kind: 'text', text: 'Hi' }]);
  expect(answer.usage).toMatchObject({ input: 2, output: 1 });
});

test('an error inside a stream is reported, and nothing is read after it', () => {
  const wire = stream(
    contentChunk('Hi'),
    '{"error":{"message":"bad","code":"server_error"}}',
    contentChunk('no'),
  );
  const events = eventsIn('chat', wire);
  expect(events.at(-1)).toMatchObject({ kind: 'error', error: { message: 'bad', status: 500 } });
});

describe('a chat stream converted from another dialect', () => {
  test('D01 numbers calls consecutively from 0, whatever blocks the upstream counts', () => {
    const wire = encoded('chat', [
      eventsIn('anthropic', wireOf('anthropic', 'anthropic/thinking-parallel-tools')),
    ]);
    const deltas = framesIn(wire).flatMap((frame) =>
      (frame.choices as { delta: object; finish_reason: string | null }[]).map((choice) => choice),
    );
    expect(deltas.map(({ delta }) => delta)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Two tools ' },
      { reasoning_content: 'at once.' },
      {
        reasoning_details: [
          {
            type: 'reasoning.text',
            text: 'Two tools at once.',
            signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=',
            format: 'anthropic-claude-v1',
            index: 0,
            id: 'at-0-0',
          },
        ],
      },
      { content: 'Looking.' },
      {
        tool_calls: [
          {
            index: 0,
            id: 'toolu_01T1',
            type: 'function',
            function: { name: 'get_weather', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ' "Oslo"}' } }] },
      {
        tool_calls: [
          {
            index: 1,
            id: 'toolu_01T2',
            type: 'function',
            function: { name: 'get_time', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
    expect(deltas.at(-1)?.finish_reason).toBe('tool_calls');
  });

  test('has one identity, and on request one usage chunk without choices', () => {
    const events = eventsIn('anthropic', wireOf('anthropic', 'anthropic/text'));
    const withUsage = framesIn(encoded('chat', [events]));
    const others = framesIn(encoded('chat', [events], context({ wantsUsage: false })));
    expect(new Set(withUsage.map(({ id, created, model }) => `${id} ${created} ${model}`))).toEqual(
      new Set(['chatcmpl-R1 1763700000 asked-model']),
    );
    expect(withUsage.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 1225,
        completion_tokens: 15,
        prompt_tokens_details: { cached_tokens: 1200 },
      },
    });
    expect(withUsage.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(others.some((frame) => 'usage' in frame)).toBe(false);
    expect(encoded('chat', [events]).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('passes on the text of a free-text tool', () => {
    const tools = [{ kind: 'custom', name: 'patch' }] as const;
    const wire = encoded(
      'chat',
      [
        [
          { kind: 'tool_start', slot: 0, id: 'a', name: 'patch' },
          { kind: 'tool_args', slot: 0, json: '{"input":"*** Be' },
          { kind: 'tool_args', slot: 0, json: 'gin"}' },
          { kind: 'tool_end', slot: 0 },
        ],
      ],
      context({ tools }),
    );
    const pieces = framesIn(wire).flatMap(({ choices }) =>
      (choices as { delta: { tool_calls?: unknown[] } }[]).flatMap(
        ({ delta }) => delta.tool_calls ?? [],
      ),
    );
    expect(pieces).toEqual([
      { index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: '' } },
      { index: 0, custom: { input: '*** Begin' } },
    ]);
  });

  test('places images and citations where they occurred', () => {
    const wire = encoded('chat', [eventsIn('gemini', wireOf('gemini', 'gemini/grounded-image'))]);
    const deltas = framesIn(wire).flatMap(({ choices }) =>
      (choices as { delta: { content?: string; annotations?: unknown[] } }[]).map(
        ({ delta }) => delta,
      ),
    );
    const content = deltas.map((delta) => delta.content ?? '').join('');
    expect(content).toContain('Here:![image](data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==)');
    expect(deltas.flatMap((delta) => delta.annotations ?? [])).toMatchObject([
      { type: 'url_citation', url_citation: { url: 'https://example.com/g', title: 'G' } },
    ]);
  });
});

test('a whole answer has the content of the stream', () => {
  const answer = collected(
    eventsIn('anthropic', wireOf('anthropic', 'anthropic/thinking-parallel-tools')),
  );
  expect(
    CHAT.writeAnswer({ ...answer, usage: { ...emptyUsage(), output: 1 } }, CONTEXT),
  ).toMatchObject({
    id: 'chatcmpl-R1',
    object: 'chat.completion',
    created: 1763700000,
    model: 'asked-model',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Looking.',
          refusal: null,
          reasoning_content: 'Two tools at once.',
          tool_calls: [
            {
              id: 'toolu_01T1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city": "Oslo"}' },
            },
            { id: 'toolu_01T2', type: 'function', function: { name: 'get_time', arguments: '{}' } },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: { completion_tokens: 1 },
  });
});
