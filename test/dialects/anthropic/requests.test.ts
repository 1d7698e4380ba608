import { describe, expect, test } from 'vitest';
import { PDF, PNG, type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const HI = [user('Hi')];
const HI_WRITTEN = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
};
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: WEATHER_SCHEMA } }];
const BUDGET = { model: 'claude-sonnet-4-5' };
const ADAPTIVE = { model: 'claude-opus-4-8' };
const UNASKED = { model: 'claude-sonnet-5' };
const ALWAYS = { model: 'claude-opus-5.5' };

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
    name: 'empty and blank texts are left out, and with them a message that says nothing',
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
    name: 'results of parallel calls and what the user says next are one message, results first',
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
    name: 'a picture in a tool message stands in the result',
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
  {
    name: 'required is any, and one call at a time is said beside it',
    sent: { messages: HI, tools: TOOLS, tool_choice: 'required', parallel_tool_calls: false },
    target: BUDGET,
    written: {
      tools: [{ name: 'f', input_schema: WEATHER_SCHEMA }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    },
  },
  {
    name: 'allowed tools are the only ones sent',
    sent: {
      messages: HI,
      tools: [...TOOLS, { type: 'function', function: { name: 'g' } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    target: BUDGET,
    written: {
      tools: [{ name: 'f', input_schema: WEATHER_SCHEMA }],
      tool_choice: { type: 'auto' },
    },
  },
  {
    name: 'a tool of free text is a function of one text',
    sent: { messages: HI, tools: [{ type: 'custom', custom: { name: 'patch' } }] },
    written: {
      tools: [
        {
          name: 'patch',
          input_schema: {
            type: 'object',
            properties: { input: { type: 'string' } },
            required: ['input'],
          },
        },
      ],
    },
  },
  {
    name: 'web search is the vendor’s own tool, bounded by the size asked for',
    sent: { messages: HI, web_search_options: { search_context_size: 'low' } },
    written: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] },
  },
  {
    name: 'no limit takes the configured one',
    sent: { messages: HI },
    target: { anthropic: { defaultMaxTokens: 4096 } },
    written: { max_tokens: 4096 },
  },
  {
    name: 'max_completion_tokens, stop and user have their places, blank stops none',
    sent: { messages: HI, max_completion_tokens: 5, stop: ['END', ' \n'], user: 'u1' },
    written: { max_tokens: 5, stop_sequences: ['END'], metadata: { user_id: 'u1' } },
  },
  {
    name: 'what Anthropic does not know is left out, nulls and empty lists too',
    sent: {
      messages: HI,
      n: 1,
      seed: 1,
      logprobs: true,
      presence_penalty: 1,
      logit_bias: { 1: 1 },
      store: true,
      stop: [],
      tools: [],
      tool_choice: 'auto',
      temperature: null,
    },
    written: {
      n: undefined,
      seed: undefined,
      logprobs: undefined,
      presence_penalty: undefined,
      logit_bias: undefined,
      store: undefined,
      stop_sequences: undefined,
      tools: undefined,
      tool_choice: undefined,
      temperature: undefined,
    },
  },
  {
    name: 'temperature ends at 1 and excludes top_p on models of 4.5 and 4.6',
    sent: { messages: HI, temperature: 1.4, top_p: 0.5 },
    target: BUDGET,
    written: { temperature: 1, top_p: undefined },
  },
  {
    name: 'older models take both',
    sent: { messages: HI, temperature: 0.3, top_p: 0.5 },
    target: { model: 'claude-3-5-haiku-latest' },
    written: { temperature: 0.3, top_p: 0.5 },
  },
  {
    name: 'newer models take neither',
    sent: { messages: HI, temperature: 1, top_p: 1 },
    target: ADAPTIVE,
    written: { temperature: undefined, top_p: undefined },
  },
  {
    name: 'a schema for the answer is closed everywhere',
    sent: {
      messages: HI,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'x',
          schema: { type: 'object', properties: { a: { type: 'array', items: WEATHER_SCHEMA } } },
        },
      },
    },
    written: {
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: {
              a: { type: 'array', items: { ...WEATHER_SCHEMA, additionalProperties: false } },
            },
            additionalProperties: false,
          },
        },
      },
    },
  },
  {
    name: 'any JSON is asked for in words',
    sent: { messages: HI, response_format: { type: 'json_object' } },
    written: {
      system: [{ type: 'text', text: 'Answer with one valid JSON object and nothing else.' }],
    },
  },
  {
    name: 'effort is a budget on models of that time, with room for the answer and fixed sampling',
    sent: { messages: HI, reasoning_effort: 'medium', max_tokens: 4000, temperature: 0.2 },
    target: BUDGET,
    written: {
      thinking: { type: 'enabled', budget_tokens: 2976 },
      max_tokens: 4000,
      temperature: undefined,
    },
  },
  {
    name: 'a limit that thoughts would fill grows',
    sent: { messages: HI, thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 1500 },
    target: BUDGET,
    written: { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 3024 },
  },
  {
    name: 'a budget is an effort on models that decide themselves',
    sent: { messages: HI, reasoning: { max_tokens: 5000 } },
    target: ADAPTIVE,
    written: {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'medium' },
    },
  },
  {
    name: 'hidden thoughts stay hidden, and an effort nobody has becomes the next lower one',
    sent: { messages: HI, reasoning: { effort: 'xhigh', exclude: true } },
    target: { model: 'claude-opus-4.6' },
    written: {
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: { effort: 'high' },
    },
  },
  {
    name: 'thinking is switched off where it can be',
    sent: { messages: HI, reasoning_effort: 'none' },
    target: UNASKED,
    written: { thinking: { type: 'disabled' }, output_config: undefined },
  },
  {
    name: 'and kept low where it cannot',
    sent: { messages: HI, reasoning_effort: 'none' },
    target: ALWAYS,
    written: { thinking: undefined, output_config: { effort: 'low' } },
  },
  {
    name: 'a forced tool and thinking exclude each other: the tool becomes a wish',
    sent: { messages: HI, tools: TOOLS, tool_choice: 'required', reasoning_effort: 'low' },
    target: BUDGET,
    written: { tool_choice: { type: 'auto' } },
  },
  {
    name: 'a forced tool alone switches off the thinking nobody asked for',
    sent: { messages: HI, tools: TOOLS, tool_choice: 'required' },
    target: UNASKED,
    written: { tool_choice: { type: 'any' }, thinking: { type: 'disabled' } },
  },
  {
    name: 'a tool cannot be forced on a model that always thinks',
    sent: {
      messages: HI,
      tools: TOOLS,
      tool_choice: { type: 'function', function: { name: 'f' } },
    },
    target: { model: 'claude-sonnet-5-5' },
    written: { tool_choice: { type: 'auto' }, thinking: undefined },
  },
  {
    name: 'thinking is left out of a tool turn whose thoughts were lost',
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
      ],
      reasoning_effort: 'high',
      max_tokens: 9000,
    },
    target: BUDGET,
    written: { thinking: undefined, max_tokens: 9000 },
  },
  {
    name: 'but not of the turn after it',
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
        { role: 'assistant', content: 'Sunny' },
        user('Sure?'),
      ],
      reasoning_effort: 'low',
    },
    target: BUDGET,
    written: { thinking: { type: 'enabled', budget_tokens: 1024 } },
  },
  {
    name: 'streaming is said only where it is wanted',
    sent: { messages: HI, stream: true },
    written: { stream: true },
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
        params: { field: 'messages', problem: 'this model takes no audio' },
      }),
    );
  });

  test('has no fields of other dialects', () => {
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
