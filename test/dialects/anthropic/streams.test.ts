import { describe, expect, test } from 'vitest';
import { readAnthropicError } from '../../../src/dialects/anthropic/errors.ts';
import { readThinkingName } from '../../../src/dialects/anthropic/thinking.ts';
import { ANTHROPIC_TOOL_NAMES } from '../../../src/dialects/anthropic/tool-names.ts';
import type { HubEvent } from '../../../src/dialects/hub/answer/events.ts';
import { vendorToolName } from '../../../src/dialects/hub/tools/tool-names.ts';
import { OptionValues } from '../../../src/domain/options/registry.ts';
import { emptyUsage } from '../../../src/domain/pricing/usage.ts';
import { chunk, contentChunk } from '../frames.ts';
import { collected, context, encoded, eventsIn, framesIn, wireOf } from '../hub/streams.ts';

/** The type and the relevant data of each frame, one line per frame. */
function script(wire: string): string[] {
  return framesIn(wire).flatMap((frame) => {
    const { type, index, content_block: block, delta } = frame as Record<string, never>;
    if (type === 'content_block_start') return [`${index} start ${JSON.stringify(block)}`];
    if (type === 'content_block_delta') return [`${index} ${JSON.stringify(delta)}`];
    return type === 'content_block_stop' ? [`${index} stop`] : [];
  });
}

function start(slot: number, name: string): HubEvent {
  return { kind: 'tool_start', slot, id: `t${slot}`, name };
}

function args(slot: number, json: string): HubEvent {
  return { kind: 'tool_args', slot, json };
}

const F0 = '0 start {"type":"tool_use","id":"t0","name":"f","input":{}}';
const G1 = '1 start {"type":"tool_use","id":"t1","name":"g","input":{}}';

describe('blocks of a Messages stream', () => {
  test('D03 are numbered without gaps, each stopped before the next', () => {
    const wire = encoded('anthropic', [
      [
        { kind: 'thinking', text: 'hm' },
        { kind: 'text', text: 'Yes' },
        start(0, 'f'),
        args(0, '{"a":'),
        args(0, '1}'),
        { kind: 'tool_end', slot: 0 },
        { kind: 'text', text: 'Done' },
        { kind: 'finish', stop: 'end' },
      ],
    ]);
    expect(script(wire)).toEqual([
      '0 start {"type":"thinking","thinking":"","signature":""}',
      '0 {"type":"thinking_delta","thinking":"hm"}',
      '0 {"type":"signature_delta","signature":""}',
      '0 stop',
      '1 start {"type":"text","text":""}',
      '1 {"type":"text_delta","text":"Yes"}',
      '1 stop',
      '2 start {"type":"tool_use","id":"t0","name":"f","input":{}}',
      '2 {"type":"input_json_delta","partial_json":"{\\"a\\":"}',
      '2 {"type":"input_json_delta","partial_json":"1}"}',
      '2 stop',
      '3 start {"type":"text","text":""}',
      '3 {"type":"text_delta","text":"Done"}',
      '3 stop',
    ]);
  });

  test('delay a second call until the first has its arguments', () => {
    const wire = encoded('anthropic', [
      [
        start(0, 'f'),
        start(1, 'g'),
        args(1, '{"b":'),
        args(0, '{"a"'),
        args(1, '2}'),
        args(0, ':1}'),
      ],
      [
        { kind: 'tool_end', slot: 0 },
        { kind: 'tool_end', slot: 1 },
      ],
    ]);
    expect(script(wire)).toEqual([
      F0,
      '0 {"type":"input_json_delta","partial_json":"{\\"a\\""}',
      '0 {"type":"input_json_delta","partial_json":":1}"}',
      '0 stop',
      G1,
      '1 {"type":"input_json_delta","partial_json":"{\\"b\\":2}"}',
      '1 stop',
    ]);
  });

  test('continue at once if the first call is complete when the second begins', () => {
    const wire = encoded('anthropic', [
      [start(0, 'f'), args(0, '{"a":1}'), start(1, 'g'), args(1, '{')],
    ]);
    expect(script(wire).slice(2)).toEqual([
      '0 stop',
      G1,
      '1 {"type":"input_json_delta","partial_json":"{"}',
      '1 stop',
    ]);
  });

  test('close calls that never end', () => {
    const wire = encoded('anthropic', [[start(0, 'f'), start(1, 'g')]]);
    expect(script(wire)).toEqual([F0, '0 stop', G1, '1 stop']);
  });

  test("carry Google's signature of a call in a thinking block before it", () => {
    const signature = { origin: 'gemini', value: 'SIG' } as const;
    const wire = encoded('anthropic', [[{ ...start(0, 'f'), signature } as HubEvent]]);
    expect(script(wire)).toEqual([
      '0 start {"type":"thinking","thinking":"","signature":""}',
      '0 {"type":"signature_delta","signature":"Z2F0ZXdheTE6Z2VtaW5pOlNJRw=="}',
      '0 stop',
      G1.replace('t1', 't0').replace('"g"', '"f"'),
      '1 stop',
    ]);
  });
});

test('a Messages stream opens with the estimated usage and closes with the actual one', () => {
  const usage = { ...emptyUsage(), input: 3, cacheRead: 4, cacheWrite1h: 5, output: 6 };
  const wire = encoded('anthropic', [
    [
      { kind: 'text', text: 'a' },
      { kind: 'usage', usage },
      { kind: 'finish', stop: 'stop_sequence', stopSequence: 'END' },
    ],
  ]);
  const [first] = framesIn(wire);
  const [delta, stop] = framesIn(wire).slice(-2);
  expect(first).toEqual({
    type: 'message_start',
    message: {
      id: 'msg_R1',
      type: 'message',
      role: 'assistant',
      model: 'asked-model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 7,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
      },
    },
  });
  expect(delta).toEqual({
    type: 'message_delta',
    delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    usage: {
      input_tokens: 3,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 4,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 },
      output_tokens: 6,
    },
  });
  expect(stop).toEqual({ type: 'message_stop' });
});

test.each([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
  ['tool_calls', 'end_turn'],
  ['something_new', 'end_turn'],
] as const)('a chat stream that ends with %s ends with %s', (reason, expected) => {
  const wire = `data: ${contentChunk('a')}\n\ndata: ${chunk({ delta: {}, finish_reason: reason })}\n\n`;
  const back = framesIn(encoded('anthropic', [eventsIn('chat', wire)]));
  expect(back.find(({ type }) => type === 'message_delta')?.delta).toMatchObject({
    stop_reason: expected,
  });
});

test('thinking with only a signature stays its own block, as does redacted thinking', () => {
  const answer = collected(
    eventsIn('anthropic', wireOf('anthropic', 'anthropic/omitted-thinking')),
  );
  expect(answer.blocks).toEqual([
    { kind: 'thinking', text: '', signature: { origin: 'anthropic', value: 'Sig1==' } },
    { kind: 'redacted_thinking', origin: 'anthropic', data: 'EmwKAhgBEgy3va3pzix' },
    {
      kind: 'text',
      text: 'Found it',
      citations: [{ url: 'https://example.com/a', title: 'A', quote: 'it' }],
    },
  ]);
});

test('treats the usage at the start of a stream as partial', () => {
  const events = eventsIn('anthropic', wireOf('anthropic', 'anthropic/text'));
  const usages = events.filter((event) => event.kind === 'usage');
  expect(usages.map((event) => event.isPartial ?? false)).toEqual([true, false]);
});

test('a call with a duplicate id gets a new one', () => {
  const block = (index: number) =>
    `data: {"type":"content_block_start","index":${index},"content_block":{"type":"tool_use","id":"same","name":"f","input":{"n":${index}}}}\n\n`;
  const { blocks } = collected(eventsIn('anthropic', block(0) + block(1)));
  expect(blocks).toMatchObject([
    { id: 'same', args: '{"n":0}' },
    { id: 'call_R1_1', args: '{"n":1}' },
  ]);
});

test('restores names that had to change', () => {
  const tools = [{ kind: 'function', name: 'my tool' }] as const;
  const wire = (name: string) =>
    `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"${name}","input":{}}}\n\n`;
  const wireNamed = vendorToolName('my tool', ANTHROPIC_TOOL_NAMES);
  expect(wireNamed).toMatch(/^my_tool_[0-9a-f]{8}$/);
  const { blocks } = collected(eventsIn('anthropic', wire(wireNamed), context({ tools })));
  expect(blocks).toMatchObject([{ name: 'my tool' }]);
});

test.each([
  ['rate_limit_error', 429],
  ['overloaded_error', 529],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['brand_new_error', 500],
])('an error of type %s means status %i', (type, status) => {
  expect(readAnthropicError({ type: 'error', error: { type, message: 'm' } })).toMatchObject({
    status,
    type,
    message: 'm',
  });
});

test('an answer that resembles one from Anthropic is not an error', () => {
  expect(readAnthropicError({ type: 'message', content: [], stop_reason: 'end_turn' })).toBe(
    undefined,
  );
});

describe('model names that end in -thinking', () => {
  const options = new OptionValues(
    new Map([
      ['claude.thinking_adapter_enabled', 'true'],
      ['claude.thinking_adapter_budget_tokens_percentage', '0.8'],
    ]),
  );
  const read = (name: string, limit: number) => readThinkingName(options, name, limit);

  test('request a share of the limit on models with a budget', () => {
    expect(read('claude-3-7-sonnet-20250219-thinking', 10000)).toEqual({
      model: 'claude-3-7-sonnet-20250219',
      maxTokens: 10000,
      reasoning: { mode: 'budget', tokens: 8000 },
    });
    expect(read('claude-haiku-4-5-thinking', 100)).toEqual({
      model: 'claude-haiku-4-5',
      maxTokens: 1280,
      reasoning: { mode: 'budget', tokens: 1024 },
    });
  });

  test('let newer models decide', () => {
    expect(read('claude-opus-4-8-thinking', 100)).toEqual({
      model: 'claude-opus-4-8',
      reasoning: { mode: 'auto', visible: true },
    });
  });

  test('have no effect at other vendors, or when switched off', () => {
    expect(read('kimi-k2-thinking', 100)).toBe(undefined);
    const off = new OptionValues(new Map([['claude.thinking_adapter_enabled', 'false']]));
    expect(readThinkingName(off, 'claude-opus-4-8-thinking', 1)).toBe(undefined);
  });
});
