import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import { packSignature } from '../../../src/dialects/hub/thinking/signature.ts';
import {
  storedStateField,
  withInstructions,
  withoutEncryptedReasoning,
  withoutForeignItems,
} from '../../../src/dialects/responses/forward.ts';
import { PDF, PNG, type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const IMAGE = `data:image/png;base64,${PNG}`;
const FILE = `data:application/pdf;base64,${PDF}`;
const CLAUDES = packSignature({ origin: 'anthropic', value: 'claudes' }, 'openai');

function requestOf(input: unknown, extra: object = {}): Record<string, unknown> {
  return { model: 'm', input, ...extra };
}

/** A turn with tool calls and results as a client of this dialect returns it. */
const TOOL_TURN = [
  { role: 'user', content: 'Weather?' },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAA' },
  {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
  },
  { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
  { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** Begin' },
  { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
  {
    type: 'custom_tool_call_output',
    call_id: 'c2',
    output: [{ type: 'input_text', text: 'done' }],
  },
];

const TO_CHAT: readonly Row[] = [
  {
    name: 'a text, and instructions before it',
    sent: requestOf('Hi', { instructions: 'Be brief.', max_output_tokens: 20, temperature: 0.5 }),
    written: {
      messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')],
      max_tokens: 20,
      temperature: 0.5,
    },
  },
  {
    name: 'developer messages open the conversation',
    sent: requestOf([
      { role: 'developer', content: 'Rules.' },
      { role: 'user', content: 'Hi' },
    ]),
    written: { messages: [{ role: 'system', content: 'Rules.' }, user('Hi')] },
  },
  {
    name: 'a turn of tools is one message, thoughts of OpenAI included',
    sent: requestOf(TOOL_TURN),
    written: {
      messages: [
        user('Weather?'),
        {
          role: 'assistant',
          content: 'Looking.',
          reasoning_content: 'hm',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            {
              id: 'c2',
              type: 'function',
              function: { name: 'patch', arguments: '{"input":"*** Begin"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        { role: 'tool', tool_call_id: 'c2', content: 'done' },
      ],
    },
  },
  {
    name: 'answers in a row stay apart',
    sent: requestOf([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'assistant', content: 'c' },
    ]),
    written: {
      messages: [
        user('a'),
        { role: 'assistant', content: 'b' },
        { role: 'assistant', content: 'c' },
      ],
    },
  },
  {
    name: 'thoughts that say nothing and items of the vendor leave no empty message',
    sent: requestOf([
      { role: 'user', content: 'a' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ]),
    written: {
      messages: [user('a'), { role: 'assistant', content: null, refusal: 'No.' }],
    },
  },
  {
    name: 'pictures and files',
    sent: requestOf([
      user([
        { type: 'input_image', image_url: IMAGE, detail: 'low' },
        { type: 'input_file', filename: 'a.pdf', file_data: FILE },
        { type: 'input_file', file_id: 'file-1' },
      ]),
    ]),
    written: {
      messages: [
        user([
          { type: 'image_url', image_url: { url: IMAGE, detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: FILE } },
          { type: 'file', file: { file_id: 'file-1' } },
        ]),
      ],
    },
  },
  {
    name: 'tools, a format and an effort; what only OpenAI runs stays away',
    sent: requestOf('Hi', {
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: WEATHER_SCHEMA, strict: true },
        { type: 'local_shell' },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      text: {
        format: { type: 'json_schema', name: 'n', schema: WEATHER_SCHEMA, strict: true },
        verbosity: 'low',
      },
      reasoning: { effort: 'high', summary: 'auto' },
    }),
    target: { chat: { takesEffort: true } },
    written: {
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: WEATHER_SCHEMA, strict: true },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', schema: WEATHER_SCHEMA, strict: true },
      },
      reasoning_effort: 'high',
      verbosity: undefined,
      web_search_options: undefined,
    },
  },
  {
    name: 'fields of this dialect are not sent to other dialects',
    sent: requestOf('Hi', {
      store: true,
      include: ['reasoning.encrypted_content'],
      truncation: 'auto',
      prompt_cache_key: 'k',
      metadata: { a: 'b' },
    }),
    written: {
      store: undefined,
      include: undefined,
      truncation: undefined,
      prompt_cache_key: undefined,
      metadata: undefined,
    },
  },
  {
    name: 'OpenAI’s own chat takes what both have, and free-text tools as they are',
    sent: requestOf('Hi', {
      prompt_cache_key: 'k',
      text: { verbosity: 'low' },
      tools: [
        {
          type: 'custom',
          name: 'patch',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: X' },
        },
      ],
      tool_choice: 'required',
    }),
    target: { chat: { strict: true } },
    written: {
      prompt_cache_key: 'k',
      verbosity: 'low',
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'patch',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: X' } },
          },
        },
      ],
      tool_choice: 'required',
    },
  },
];

test.each(TO_CHAT)('for chat: $name', (row) => {
  expect(spoken(translated('responses', 'chat', row.sent, row.target), row)).toEqual(row.written);
});

test("returns Claude's thinking to Claude with its signature, visible or not", () => {
  const hidden = packSignature({ origin: 'anthropic', value: 'redacted secret' }, 'openai');
  const sent = requestOf([
    { role: 'user', content: 'a' },
    { type: 'reasoning', summary: [], encrypted_content: hidden },
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: CLAUDES,
    },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'x' },
  ]);
  const { messages } = translated('responses', 'anthropic', sent);
  expect(messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    {
      role: 'assistant',
      content: [
        { type: 'redacted_thinking', data: 'secret' },
        { type: 'thinking', thinking: 'hm', signature: 'claudes' },
        { type: 'tool_use', id: 'c1', name: 'f', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
  ]);
});

test.each([
  ['two answers', { n: 2, messages: [user('Hi')] }, 'n'],
  [
    'sounds',
    {
      messages: [user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])],
    },
    'messages',
  ],
])('refuses %s with the name of the field', (_name, sent, param) => {
  expect(() => translated('chat', 'responses', { model: 'm', ...sent })).toThrow(
    expect.objectContaining({ code: 'field_wrong', param }),
  );
});

describe('required fields of a request', () => {
  test.each([
    [{ input: 'Hi' }, 'model'],
    [{ model: 'm' }, 'input'],
    [{ model: 'm', input: 7 }, 'input'],
    [{ model: 'm', input: [7] }, 'input.0'],
    [{ model: 'm', input: [{ role: 'tool', content: 'x' }] }, 'input.0.role'],
    [{ model: 'm', input: [{ role: 'user' }] }, 'input.0.content'],
    [{ model: 'm', input: 'Hi', stream: 'yes' }, 'stream'],
    [{ model: 'm', input: 'Hi', max_output_tokens: 0 }, 'max_output_tokens'],
    [{ model: 'm', input: 'Hi', tools: {} }, 'tools'],
    [{ model: 'm', input: 'Hi', previous_response_id: 7 }, 'previous_response_id'],
    [{ model: 'm', input: 'Hi', text: { format: { type: 'json_schema' } } }, 'text.format.schema'],
  ])('%j names %s', (sent, param) => {
    expect(() => DIALECTS.responses.readRequest(sent)).toThrow(expect.objectContaining({ param }));
  });

  test('input may be missing if another field supplies the conversation', () => {
    const sent = { model: 'm', previous_response_id: 'resp_1', input: null, stream: null };
    expect(DIALECTS.responses.readRequest(sent).messages).toEqual([]);
  });
});

describe('a request for an upstream of the same dialect', () => {
  test('is the same object if nothing changes', () => {
    const sent = requestOf(TOOL_TURN);
    expect(withoutForeignItems(sent)).toBe(sent);
    expect(withInstructions(sent, '')).toBe(sent);
  });

  test('drops thinking of other providers and ids made by the gateway', () => {
    const own = { type: 'reasoning', id: 'rs_68af', summary: [], encrypted_content: 'gAA' };
    const sent = requestOf([
      { type: 'reasoning', id: 'rs_R1_0', summary: [], encrypted_content: CLAUDES },
      { type: 'reasoning', id: 'rs_R1_1', summary: [{ type: 'summary_text', text: 'x' }] },
      own,
      { type: 'message', id: 'msg_R1_2', role: 'assistant', content: 'b' },
    ]);
    expect(withoutForeignItems(sent).input).toEqual([
      own,
      { type: 'message', role: 'assistant', content: 'b' },
    ]);
    expect(withoutEncryptedReasoning(sent).input).toHaveLength(2);
  });

  test("has the channel's system prompt before its instructions", () => {
    expect(withInstructions({ instructions: 'b' }, 'a').instructions).toBe('a\n\nb');
    expect(withInstructions({}, 'a').instructions).toBe('a');
  });

  test.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ prompt: { id: 'p' } }, 'prompt'],
    [{ input: ['x', { role: 'user' }, { type: 'item_reference', id: 'msg_1' }] }, 'input.1'],
    [{ input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input.0'],
    [{ input: 'Hi', previous_response_id: null }, undefined],
  ])('refers with %j to data stored by its upstream', (sent, field) => {
    expect(storedStateField(sent)).toBe(field);
  });
});
