import { describe, expect, test } from 'vitest';
import { GEMINI } from '../../../src/dialects/gemini/generate-content.ts';
import { readGeminiThinkingName } from '../../../src/dialects/gemini/thinking.ts';
import { OptionValues } from '../../../src/domain/options/registry.ts';
import { emptyUsage } from '../../../src/domain/pricing/usage.ts';
import {
  CONTEXT,
  collected,
  context,
  encoded,
  eventsIn,
  framesIn,
  wireOf,
} from '../hub/streams.ts';

const HEAD = { modelVersion: 'asked-model', responseId: 'R1' };

function candidate(parts: readonly object[], extra: object = {}): object {
  return { content: { role: 'model', parts }, ...extra, index: 0 };
}

test('sends complete calls, and the finish reason and usage in the last frame', () => {
  const usage = { ...emptyUsage(), input: 3, cacheRead: 4, cacheWrite: 1, output: 9, reasoning: 5 };
  const wire = encoded('gemini', [
    [
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: 'Hi' },
      { kind: 'tool_start', slot: 0, id: 't0', name: 'f' },
      { kind: 'tool_start', slot: 1, id: 't1', name: 'g' },
      { kind: 'tool_args', slot: 0, json: '{"a":' },
      { kind: 'tool_args', slot: 0, json: '1}' },
    ],
    [
      { kind: 'tool_end', slot: 0 },
      { kind: 'finish', stop: 'tool_calls' },
      { kind: 'usage', usage },
    ],
  ]);
  expect(wire.endsWith('\r\n\r\n')).toBe(true);
  expect(framesIn(wire)).toEqual([
    { candidates: [candidate([{ text: 'hm', thought: true }])], ...HEAD },
    { candidates: [candidate([{ text: 'Hi' }])], ...HEAD },
    {
      candidates: [candidate([{ functionCall: { id: 't0', name: 'f', args: { a: 1 } } }])],
      ...HEAD,
    },
    { candidates: [candidate([{ functionCall: { id: 't1', name: 'g', args: {} } }])], ...HEAD },
    {
      candidates: [candidate([], { finishReason: 'STOP' })],
      usageMetadata: {
        promptTokenCount: 8,
        candidatesTokenCount: 4,
        totalTokenCount: 17,
        cachedContentTokenCount: 4,
        thoughtsTokenCount: 5,
      },
      ...HEAD,
    },
  ]);
});

test('a stream requested without events is one JSON list', () => {
  const given = context({ asList: true });
  const wire = encoded(
    'gemini',
    [[{ kind: 'text', text: 'a' }], [{ kind: 'text', text: 'b' }]],
    given,
  );
  expect(JSON.parse(wire)).toHaveLength(3);
  const encoder = GEMINI.encoder(given);
  const broken = encoder.encode([{ kind: 'text', text: 'a' }]);
  const failed = encoder.fail({ status: 500, message: 'm', type: 't' });
  expect(JSON.parse(broken + failed)[1]).toEqual({
    error: { code: 500, message: 'm', status: 'INTERNAL' },
  });
  expect(GEMINI.encoder(given).end()).toMatch(/^\[\{.*\}\]$/);
});

test("sends no keep-alive comment, because Google's SDKs fail on it", () => {
  expect(GEMINI.encoder(CONTEXT).ping()).toBe('');
});

test('an answer with nothing but a failure is an error', () => {
  const wire = wireOf('gemini', 'gemini/malformed-call');
  expect(eventsIn('gemini', wire).at(-1)).toMatchObject({
    kind: 'error',
    error: { status: 502, code: 'MALFORMED_FUNCTION_CALL' },
  });
});

test.each([
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'NO_IMAGE',
])('%s is an error too, whole and streamed', (finishReason) => {
  const parts = [
    { text: 'Hm.', thought: true },
    { text: '', thoughtSignature: 'UzE=' },
  ];
  const json = { candidates: [{ finishReason, content: { parts } }] };
  const error = { code: finishReason, retryable: true };
  expect(GEMINI.readAnswer(json, CONTEXT)).toMatchObject({ error });
  const events = eventsIn('gemini', `data: ${JSON.stringify(json)}\n\n`);
  expect(events.at(-1)).toMatchObject({ kind: 'error', error });
});

test('an answer fails only if none of several has content', () => {
  const failed = { finishReason: 'MALFORMED_RESPONSE', index: 0 };
  const good = { finishReason: 'STOP', index: 1, content: { parts: [{ text: 'Hi' }] } };
  const read = (...candidates: object[]) =>
    GEMINI.readAnswer({ candidates }, context({ choices: 2 }));
  expect(read(failed, good).error).toBe(undefined);
  expect(read(failed, { ...failed, index: 1 }).error).toMatchObject({ status: 502 });
});

test('a blocked prompt is a refusal with known usage', () => {
  const answer = collected(eventsIn('gemini', wireOf('gemini', 'gemini/blocked-prompt')));
  expect(answer).toMatchObject({ blocks: [], stop: 'refusal', usage: { input: 14, output: 0 } });
});

test('passes on images, code and sources of an answer', () => {
  const answer = collected(eventsIn('gemini', wireOf('gemini', 'gemini/grounded-image')));
  expect(answer.blocks).toEqual([
    { kind: 'text', text: 'Here:' },
    {
      kind: 'image',
      source: { kind: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' },
    },
    {
      kind: 'text',
      text: '\n```python\nprint(1)\n```\nDone',
      citations: [{ url: 'https://example.com/g', title: 'G' }],
    },
  ]);
});

test.each([
  [
    { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'm', details: [{ retryDelay: '1.5s' }] },
    { status: 429, type: 'RESOURCE_EXHAUSTED', retryAfterMs: 1500 },
  ],
  [
    {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'm',
      details: [{ reason: 'API_KEY_INVALID' }],
    },
    { status: 400, code: 'API_KEY_INVALID' },
  ],
  [{ code: 503, status: 'UNAVAILABLE', message: 'm' }, { status: 503 }],
])('reads the error %j', (error, expected) => {
  expect(GEMINI.readError({ error })).toMatchObject(expected);
  expect(GEMINI.readError([{ error }])).toMatchObject(expected);
});

test('counts Vertex usage that includes thinking only once', () => {
  const answer = (usageMetadata: object) =>
    GEMINI.readAnswer(
      {
        candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
        usageMetadata,
      },
      CONTEXT,
    ).usage;
  const counts = { promptTokenCount: 10, candidatesTokenCount: 30, thoughtsTokenCount: 20 };
  expect(answer({ ...counts, totalTokenCount: 60 })).toMatchObject({
    input: 10,
    output: 50,
    reasoning: 20,
  });
  expect(answer({ ...counts, totalTokenCount: 40 })).toMatchObject({ output: 30, reasoning: 20 });
  expect(answer({ promptTokenCount: 10, totalTokenCount: 25 })).toMatchObject({ output: 15 });
  const sounds = {
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 6 }],
    toolUsePromptTokenCount: 4,
  };
  expect(answer({ ...counts, ...sounds, totalTokenCount: 64 })).toMatchObject({
    input: 8,
    audioInput: 6,
  });
  expect(answer({})).toBe(undefined);
});

describe('model names that end in a thinking setting', () => {
  const stored = new Map([
    ['gemini.thinking_adapter_enabled', 'true'],
    ['gemini.thinking_adapter_budget_tokens_percentage', '0.6'],
    ['gemini.models_supported_thinking_budget', '["gemini-2.5-pro"]'],
  ]);
  const options = new OptionValues(stored);
  const read = (name: string, limit?: number) => readGeminiThinkingName(options, name, limit);

  test.each([
    ['gemini-2.5-pro-thinking', 1000, { mode: 'budget', tokens: 600, visible: true }],
    ['gemini-2.5-pro-thinking', undefined, { mode: 'budget', tokens: 24576, visible: true }],
    ['gemini-2.5-pro-thinking-128', 1000, { mode: 'budget', tokens: 128, visible: true }],
    ['gemini-2.5-pro-nothinking', 1000, { mode: 'off' }],
  ])('%s with a limit of %s', (name, limit, reasoning) => {
    expect(read(name, limit)).toEqual({ model: 'gemini-2.5-pro', reasoning });
  });

  test('set levels on the third generation', () => {
    expect(read('gemini-3.7-flash-thinking')).toEqual({
      model: 'gemini-3.7-flash',
      reasoning: { mode: 'effort', level: 'high', visible: true },
    });
  });

  test('are ordinary names for other models', () => {
    expect(read('gemini-2.5-flash-thinking')).toBe(undefined);
    expect(read('qwen3-thinking')).toBe(undefined);
    const off = new OptionValues(new Map(stored).set('gemini.thinking_adapter_enabled', 'false'));
    expect(readGeminiThinkingName(off, 'gemini-2.5-pro-thinking', 1)).toBe(undefined);
  });
});
