import { describe, expect, test } from 'vitest';
import { PDF, PNG, type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const HI = [user('Hi')];
const HI_WRITTEN = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
};
const BUDGET = { model: 'claude-sonnet-4-5' };
const ADAPTIVE = { model: 'claude-opus-4-8' };

const ROWS: readonly Row[] = [
  {
    name: 'opening system and developer messages become the system prompt, marks kept',
    sent: {
      messages: [
        { role: 'system', content: 'One' },
        {
          role: 'developer',
          content: [{ type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } }],
        },
        ...HI,
      ],
    },
    written: {
      system: [
        { type: 'text', text: 'One' },
        { type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } },
      ],
      messages: HI_WRITTEN,
    },
  },
  {
    name: 'a later system message stays one where the model takes it',
    sent: { messages: [...HI, { role: 'system', content: 'Be brief' }] },
    target: ADAPTIVE,
    written: {
      messages: [...HI_WRITTEN, { role: 'system', content: [{ type: 'text', text: 'Be brief' }] }],
    },
  },
  {
    name: 'a later system message is said by the user elsewhere',
    sent: { messages: [...HI, { role: 'system', content: 'Be brief' }] },
    target: BUDGET,
    written: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: 'Be brief' },
          ],
        },
      ],
    },
  },
  {
    name: 'instructions alone are said by the user',
    sent: { messages: [{ role: 'system', content: 'Write a haiku' }] },
    written: {
      system: undefined,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Write a haiku' }] }],
    },
  },
  {
    name: 'D60 empty and blank texts are left out, and with them a message that says nothing',
    sent: { messages: [user([{ type: 'text', text: ' \n' }]), user(''), ...HI] },
    written: { messages: HI_WRITTEN },
  },
  {
    name: 'pictures come as bytes by their own format, or by address',
    sent: {
      messages: [
        user([
          { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${PNG}` } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
        ]),
      ],
    },
    written: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          ],
        },
      ],
    },
  },
  {
    name: 'files become documents, texts as texts',
    sent: {
      messages: [
        user([
          { type: 'file', file: { filename: 'a.pdf', file_data: PDF } },
          {
            type: 'file',
            file: { filename: 'a.txt', file_data: 'data:text/plain;base64,SGVsbG8=' },
          },
        ]),
      ],
    },
    written: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: PDF },
              title: 'a.pdf',
            },
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'Hello' },
              title: 'a.txt',
            },
          ],
        },
      ],
    },
  },
  {
    name: 'D68 results of parallel calls and what the user says next are one message, results first',
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: 'Look', tool_calls: [CALL, { ...CALL, id: 'b c/2' }] },
        { role: 'tool', tool_call_id: 'b c/2', content: 'rain' },
        user('And?'),
        { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
        { role: 'tool', tool_call_id: 'nobody', content: 'lost' },
      ],
    },
    written: {
      messages: [
        ...HI_WRITTEN,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } },
            {
              type: 'tool_use',
              id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
              name: 'get_weather',
              input: { city: 'Oslo' },
            },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'sun' },
            {
              type: 'tool_result',
              tool_use_id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
              content: 'rain',
            },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
    },
  },
  {
    name: 'a picture in a tool message is part of the result',
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, tool_calls: [CALL] },
        {
          role: 'tool',
          tool_call_id: 'call_1',
          content: [
            { type: 'text', text: 'seen' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          ],
        },
      ],
    },
    written: {
      messages: [
        ...HI_WRITTEN,
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'call_1',
              content: [
                { type: 'text', text: 'seen' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    name: 'legacy functions and their results find each other without ids',
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: 'not json' } },
        { role: 'function', name: 'f', content: 'done' },
      ],
      functions: [{ name: 'f', description: 'F' }],
      function_call: { name: 'f' },
    },
    target: BUDGET,
    written: {
      messages: [
        ...HI_WRITTEN,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'done' }],
        },
      ],
      tools: [{ name: 'f', description: 'F', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'tool', name: 'f' },
    },
  },
  {
    name: 'a conversation that begins with an answer is opened for it',
    sent: { messages: [{ role: 'assistant', content: 'Yes ' }] },
    written: {
      messages: [
        { role: 'user', content: [{ type: 'text', text: '...' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Yes' }] },
      ],
    },
  },
  {
    name: 'thoughts go back with their own signature, those of others do not',
    sent: {
      messages: [
        ...HI,
        {
          role: 'assistant',
          content: 'A',
          reasoning_details: [
            {
              type: 'reasoning.text',
              text: 'mine',
              signature: 'S1',
              format: 'anthropic-claude-v1',
            },
            { type: 'reasoning.text', text: 'theirs', signature: 'S2', format: 'google-gemini-v1' },
            { type: 'reasoning.encrypted', data: 'D', format: 'anthropic-claude-v1' },
          ],
        },
        { role: 'assistant', content: 'B', reasoning_content: 'unsigned' },
        ...HI,
      ],
    },
    written: {
      messages: [
        ...HI_WRITTEN,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'mine', signature: 'S1' },
            { type: 'redacted_thinking', data: 'D' },
            { type: 'text', text: 'A' },
            { type: 'text', text: 'B' },
          ],
        },
        ...HI_WRITTEN,
      ],
    },
  },
];

describe('a chat request for Anthropic', () => {
  test.each(ROWS)('$name', (row) => {
    const written = translated('chat', 'anthropic', { model: 'x', ...row.sent }, row.target);
    expect(spoken(written, row)).toEqual(row.written);
  });

  test('is refused with a clear message if Anthropic cannot accept it', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
    const send = (extra: object) => () =>
      translated('chat', 'anthropic', { model: 'x', messages: HI, ...extra });
    expect(send({ n: 2 })).toThrow(expect.objectContaining({ code: 'field_wrong', param: 'n' }));
    expect(send({ messages: [user([audio])] })).toThrow(
      expect.objectContaining({
        params: { field: 'messages', reason: 'no_audio' },
      }),
    );
  });

  test('D66 has no fields of other dialects', () => {
    const written = translated('chat', 'anthropic', {
      model: 'x',
      messages: HI,
      provider: { order: ['a'] },
      chat_template_kwargs: {},
      extra_body: { guardrails: 1 },
    });
    expect(Object.keys(written).sort()).toEqual(['max_tokens', 'messages', 'model']);
  });
});

test('a Messages request to Anthropic keeps the fields only Anthropic knows', () => {
  const sent = {
    model: 'claude-opus-4-8',
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            citations: { enabled: true },
          },
          {
            type: 'search_result',
            source: 'https://a',
            title: 'A',
            content: [{ type: 'text', text: 'b' }],
          },
        ],
      },
    ],
    tools: [
      { type: 'computer_20250124', name: 'computer', display_width_px: 1 },
      { name: 'f', input_schema: WEATHER_SCHEMA, defer_loading: true },
    ],
    context_management: { edits: [] },
    service_tier: 'auto',
  };
  expect(translated('anthropic', 'anthropic', sent, { model: 'claude-opus-4-8' })).toEqual(sent);
});
