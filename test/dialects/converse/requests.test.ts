import { describe, expect, test } from 'vitest';
import { CONVERSE } from '../../../src/dialects/converse/converse.ts';
import { AppError } from '../../../src/domain/errors/errors.ts';
import { errorText } from '../../../src/locales/text.ts';
import { PDF, PNG, type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';
import { context } from '../hub/streams.ts';

const HI = [user('Hi')];
const HI_WRITTEN = [{ role: 'user', content: [{ text: 'Hi' }] }];
const NOVA = { model: 'nova-pro' };
const LLAMA = { model: 'us.meta.llama4-v1:0' };
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: WEATHER_SCHEMA } }];
const SPEC = { toolSpec: { name: 'f', inputSchema: { json: WEATHER_SCHEMA } } };
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
};
const MARKED = { type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } };

const ROWS: readonly Row[] = [
  {
    name: 'system messages are said apart, later ones by the user',
    sent: {
      messages: [{ role: 'system', content: 'One' }, ...HI, { role: 'system', content: 'Two' }],
    },
    written: {
      system: [{ text: 'One' }],
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { text: 'Two' }] }],
    },
  },
  {
    name: 'it contains no fields of other dialects',
    sent: { messages: HI, user: 'u', seed: 1, metadata: { a: 'b' }, stream: true, n: 1 },
    written: {
      messages: HI_WRITTEN,
      system: undefined,
      inferenceConfig: undefined,
      toolConfig: undefined,
      model: undefined,
      stream: undefined,
      user: undefined,
      metadata: undefined,
    },
  },
  {
    name: 'sampling and limits have names of their own, within its ranges',
    sent: { messages: HI, max_tokens: 9, temperature: 1.7, top_p: 0.4, stop: ['x', ' '] },
    written: {
      inferenceConfig: { maxTokens: 9, temperature: 1, topP: 0.4, stopSequences: ['x'] },
    },
  },
  {
    name: 'pictures and documents are bytes with a format',
    sent: {
      messages: [
        user([
          { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${PNG}` } },
          {
            type: 'file',
            file: { filename: 'a_b.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          },
        ]),
      ],
    },
    written: {
      messages: [
        {
          role: 'user',
          content: [
            { image: { format: 'png', source: { bytes: PNG } } },
            { document: { format: 'pdf', name: 'a-b-pdf fc1c4358', source: { bytes: PDF } } },
            { text: '...' },
          ],
        },
      ],
    },
  },
  {
    name: 'results of tools come in one turn, JSON as such, errors as such where that is known',
    target: NOVA,
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, tool_calls: [CALL, { ...CALL, id: 'call 2' }] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"t":1}' },
        { role: 'tool', tool_call_id: 'call 2', content: '' },
        user('And?'),
      ],
      tools: TOOLS,
    },
    written: {
      messages: [
        ...HI_WRITTEN,
        {
          role: 'assistant',
          content: [
            { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Oslo' } } },
            {
              toolUse: {
                toolUseId: expect.stringMatching(/^call_[0-9a-f]{32}$/),
                name: 'get_weather',
                input: { city: 'Oslo' },
              },
            },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'call_1', content: [{ json: { t: 1 } }] } },
            {
              toolResult: {
                toolUseId: expect.stringMatching(/^call_[0-9a-f]{32}$/),
                content: [{ text: '(no output)' }],
              },
            },
            { text: 'And?' },
          ],
        },
      ],
      toolConfig: {
        tools: [
          SPEC,
          {
            toolSpec: {
              name: 'get_weather',
              inputSchema: { json: { type: 'object', properties: {} } },
            },
          },
        ],
      },
    },
  },
  {
    name: 'a conversation that begins with the assistant is opened by the user',
    sent: { messages: [{ role: 'assistant', content: 'Hello' }, ...HI] },
    written: {
      messages: [
        { role: 'user', content: [{ text: '...' }] },
        { role: 'assistant', content: [{ text: 'Hello' }] },
        ...HI_WRITTEN,
      ],
    },
  },
  {
    name: 'a tool is forced where that is known',
    target: NOVA,
    sent: { messages: HI, tools: TOOLS, tool_choice: 'required' },
    written: { toolConfig: { tools: [SPEC], toolChoice: { any: {} } } },
  },
  {
    name: 'and only wished for elsewhere',
    target: LLAMA,
    sent: { messages: HI, tools: TOOLS, tool_choice: 'required' },
    written: { toolConfig: { tools: [SPEC] } },
  },
  {
    name: 'tools that must not be called are left out',
    target: NOVA,
    sent: { messages: HI, tools: TOOLS, tool_choice: 'none' },
    written: { toolConfig: undefined },
  },
  {
    name: 'cache marks become points where that is known',
    target: NOVA,
    sent: { messages: [{ role: 'system', content: [MARKED] }, ...HI] },
    written: { system: [{ text: 'Long' }, { cachePoint: { type: 'default' } }] },
  },
  {
    name: 'and are left out elsewhere',
    target: LLAMA,
    sent: { messages: [{ role: 'system', content: [MARKED] }, ...HI] },
    written: { system: [{ text: 'Long' }] },
  },
  {
    name: 'JSON is asked for in words',
    sent: {
      messages: HI,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'w', schema: { type: 'object' } },
      },
    },
    written: { system: [{ text: expect.stringContaining('{"type":"object"}') }] },
  },
  {
    name: 'effort is told in the model’s own field',
    target: { model: 'openai.gpt-oss-120b-1:0' },
    sent: { messages: HI, reasoning_effort: 'xhigh' },
    written: { additionalModelRequestFields: { reasoning_effort: 'high' } },
  },
  {
    name: 'and to others not at all',
    target: LLAMA,
    sent: { messages: HI, reasoning_effort: 'high' },
    written: { additionalModelRequestFields: undefined },
  },
];

test.each(ROWS)('$name', (row) => {
  const written = translated('chat', 'converse', { model: 'asked', ...row.sent }, row.target);
  expect(spoken(written, row)).toEqual(row.written);
});

describe('what Converse does not support', () => {
  test.each([
    ['sounds', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 'audio'],
    [
      'odd pictures',
      { type: 'image_url', image_url: { url: 'data:image/tiff;base64,SUkq' } },
      'image/tiff',
    ],
  ])('refuses %s by name', (_what, part, problem) => {
    try {
      translated('chat', 'converse', { model: 'asked', messages: [user([part])] });
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      expect([error.code, error.params.field]).toEqual(['field_wrong', 'messages']);
      expect(errorText(error, 'en')).toContain(problem);
    }
  });
});

test('reads whole answers, and writes them as they would have arrived', () => {
  const json = {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.' } } },
          { text: 'Hello' },
          { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage: {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 35,
      cacheReadInputTokens: 20,
      cacheWriteInputTokens: 0,
    },
  };
  const answer = CONVERSE.readAnswer(json, context());
  expect(answer).toMatchObject({
    blocks: [
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'text', text: 'Hello' },
      { kind: 'tool_call', id: 't1', name: 'f', args: '{"a":1}' },
    ],
    stop: 'tool_calls',
    usage: { input: 10, cacheRead: 20, output: 5 },
  });
});

test('counts one-hour cache writes separately', () => {
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    cacheWriteInputTokens: 30,
    cacheDetails: [
      { ttl: '5m', inputTokens: 20 },
      { ttl: '1h', inputTokens: 10 },
    ],
  };
  expect(CONVERSE.readAnswer({ usage }, context()).usage).toMatchObject({
    cacheWrite: 20,
    cacheWrite1h: 10,
  });
});
