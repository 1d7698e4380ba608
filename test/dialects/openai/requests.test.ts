import { describe, expect, test } from 'vitest';
import { PDF, PNG, type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const HI = [user('Hi')];
const USE = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } };
const CALL = {
  id: 'toolu_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
};
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const IMAGE_URL = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
const STRICT = { chat: { strict: true } };

function answered(result: object): readonly object[] {
  return [
    ...HI,
    { role: 'assistant', content: [USE] },
    user([{ type: 'tool_result', tool_use_id: 'toolu_1', ...result }]),
  ];
}

const CALLED = [...HI, { role: 'assistant', content: null, tool_calls: [CALL] }];

const FROM_ANTHROPIC: readonly Row[] = [
  {
    name: 'system blocks are one system message',
    sent: {
      system: [
        { type: 'text', text: 'One', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Two' },
      ],
      messages: HI,
    },
    written: { messages: [{ role: 'system', content: 'One\nTwo' }, ...HI] },
  },
  {
    name: 'cache marks stay for upstreams that know them',
    sent: {
      system: [{ type: 'text', text: 'One', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: HI,
      tools: [{ name: 'f', input_schema: WEATHER_SCHEMA, cache_control: { type: 'ephemeral' } }],
    },
    target: { chat: { cacheMarks: true } },
    written: {
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 'One', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
        ...HI,
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'f', parameters: WEATHER_SCHEMA },
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
  },
  {
    name: 'D56 each result is a message of its own with one text, before what the user says',
    sent: {
      messages: [
        ...HI,
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Look' }, USE, { ...USE, id: 'toolu_2' }],
        },
        user([
          { type: 'text', text: 'And?' },
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sun' },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            content: [
              { type: 'text', text: 'no' },
              { type: 'text', text: 'net' },
            ],
            is_error: true,
          },
        ]),
      ],
    },
    written: {
      messages: [
        ...HI,
        { role: 'assistant', content: 'Look', tool_calls: [CALL, { ...CALL, id: 'toolu_2' }] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'sun' },
        { role: 'tool', tool_call_id: 'toolu_2', content: 'Error: no\nnet' },
        user('And?'),
      ],
    },
  },
  {
    name: 'D59 a picture in a result follows in a user message, and never as text',
    sent: { messages: answered({ content: [{ type: 'text', text: 'seen' }, IMAGE] }) },
    written: {
      messages: [
        ...CALLED,
        { role: 'tool', tool_call_id: 'toolu_1', content: 'seen\n[image attached below]' },
        user([{ type: 'text', text: 'Attached to the result of toolu_1:' }, IMAGE_URL]),
      ],
    },
  },
  {
    name: 'a result without content is empty text',
    sent: { messages: answered({}) },
    written: { messages: [...CALLED, { role: 'tool', tool_call_id: 'toolu_1', content: '' }] },
  },
  {
    name: 'thoughts become reasoning without their signature, hidden ones are left out',
    sent: {
      messages: [
        ...HI,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'S' },
            { type: 'redacted_thinking', data: 'D' },
            USE,
          ],
        },
      ],
    },
    written: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [CALL] },
      ],
    },
  },
  {
    name: 'strict upstreams get no reasoning at all',
    sent: {
      messages: [
        ...HI,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'S' },
            { type: 'text', text: 'A' },
          ],
        },
      ],
    },
    target: STRICT,
    written: { messages: [...HI, { role: 'assistant', content: 'A' }] },
  },
  {
    name: 'a blank replaces lost reasoning where a tool turn requires it',
    sent: { messages: [...HI, { role: 'assistant', content: [USE] }] },
    target: { chat: { needsReasoning: true } },
    written: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, reasoning_content: ' ', tool_calls: [CALL] },
      ],
    },
  },
  {
    name: 'documents become files, plain texts text, and a search result its words',
    sent: {
      messages: [
        user([
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            title: 'a.pdf',
          },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'T' },
            title: 'n',
          },
          {
            type: 'search_result',
            source: 'https://a',
            title: 'A',
            content: [{ type: 'text', text: 'b' }],
          },
        ]),
      ],
    },
    written: {
      messages: [
        user([
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          },
          { type: 'text', text: 'n\nT' },
          { type: 'text', text: 'A\nhttps://a\nb' },
        ]),
      ],
    },
  },
  {
    name: 'a late system message keeps its role, or joins the first for upstreams that want that',
    sent: { system: 'S', messages: [...HI, { role: 'system', content: 'L' }] },
    target: { chat: { systemFirst: true } },
    written: { messages: [{ role: 'system', content: 'S\nL' }, ...HI] },
  },
  {
    name: 'tools are functions; those that run at Anthropic are left out',
    sent: {
      messages: HI,
      tools: [
        { name: 'bad name!', description: 'D', input_schema: WEATHER_SCHEMA },
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'bash_20250124', name: 'bash' },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    },
    written: {
      tools: [
        {
          type: 'function',
          function: {
            name: expect.stringMatching(/^bad_name__[0-9a-f]{8}$/),
            description: 'D',
            parameters: WEATHER_SCHEMA,
          },
        },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
  },
  {
    name: 'D71 limits, stops, sampling and the shortened user are carried over; the rest is left out',
    sent: {
      messages: HI,
      max_tokens: 9,
      stop_sequences: ['a', 'b', 'c', 'd', 'e'],
      temperature: 0.4,
      top_p: 0.5,
      top_k: 3,
      metadata: { user_id: 'u'.repeat(70) },
      context_management: {},
      stream: true,
    },
    written: {
      max_tokens: 9,
      stop: ['a', 'b', 'c', 'd'],
      temperature: 0.4,
      top_p: 0.5,
      top_k: undefined,
      user: expect.stringMatching(/^[0-9a-f]{64}$/),
      context_management: undefined,
      stream: true,
    },
  },
  {
    name: 'a budget is an effort for models that know one',
    sent: { messages: HI, thinking: { type: 'enabled', budget_tokens: 1024 } },
    target: { chat: { takesEffort: true } },
    written: { reasoning_effort: 'low' },
  },
  {
    name: 'no effort is told to others',
    sent: { messages: HI, thinking: { type: 'enabled', budget_tokens: 1024 } },
    written: { reasoning_effort: undefined },
  },
  {
    name: 'Anthropic’s effort and schema are OpenAI’s',
    sent: {
      messages: HI,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'max', format: { type: 'json_schema', schema: WEATHER_SCHEMA } },
    },
    target: { chat: { takesEffort: true } },
    written: {
      reasoning_effort: 'max',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: WEATHER_SCHEMA, strict: true },
      },
    },
  },
];

describe('a Messages request for a chat upstream', () => {
  test.each(FROM_ANTHROPIC)('$name', (row) => {
    const written = translated('anthropic', 'chat', { model: 'x', ...row.sent }, row.target);
    expect(spoken(written, row)).toEqual(row.written);
  });
});

test('a chat request to OpenAI keeps the fields only OpenAI knows', () => {
  const sent = {
    model: 'm',
    messages: [
      { role: 'system', content: 'S' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }],
        name: 'Ann',
      },
      { role: 'assistant', content: 'Yes', audio: { id: 'audio_1' } },
      { role: 'user', content: [{ type: 'brand_new_part', x: 1 }] },
    ],
    max_tokens: 9,
    logit_bias: { 50256: -100 },
    store: true,
    service_tier: 'flex',
    prompt_cache_key: 'k',
    web_search_options: { search_context_size: 'high' },
    tools: [
      { type: 'function', function: { name: 'f', parameters: WEATHER_SCHEMA, strict: true } },
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
    },
    parallel_tool_calls: false,
    seed: 4,
    n: 2,
  };
  expect(translated('chat', 'chat', sent)).toEqual(sent);
});

test.each([
  ['anthropic', {}, 'model'],
  ['anthropic', { model: 'm' }, 'messages'],
  ['anthropic', { model: 'm', messages: [] }, 'messages'],
  ['anthropic', { model: 'm', messages: [{ role: 'tool', content: '' }] }, 'messages.0.role'],
  ['anthropic', { model: 'm', messages: [{ role: 'user' }] }, 'messages.0.content'],
  ['anthropic', { model: 'm', messages: HI, stream: 'yes' }, 'stream'],
  ['anthropic', { model: 'm', messages: HI, max_tokens: 1.5 }, 'max_tokens'],
  ['gemini', {}, 'contents'],
  ['gemini', { contents: [] }, 'contents'],
  ['gemini', { contents: ['Hi'] }, 'contents.0'],
  ['gemini', { contents: [{ role: 'user' }] }, 'contents.0.parts'],
  ['chat', { model: 'm', messages: [{ role: 'narrator', content: '' }] }, 'messages.0.role'],
] as const)('%s refuses %j and names %s', (from, sent, field) => {
  expect(() => translated(from, 'chat', sent)).toThrow(expect.objectContaining({ param: field }));
});
