import { describe, expect, test } from 'vitest';
import { type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const HI = [user('Hi')];
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
  ...[{ custom: { name: 'patch' } }, { name: 'patch' }].map((tool) => ({
    name: `a tool of free text is a function of one text: ${JSON.stringify(tool)}`,
    sent: { messages: HI, tools: [{ type: 'custom', ...tool }] },
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
  })),
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
    name: 'max_completion_tokens, stop and user are carried over, blank stops are not',
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
    name: 'D83 temperature ends at 1 and excludes top_p on models of 4.5 and 4.6',
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
    name: 'D54 effort is a budget on models of that time, with room for the answer and fixed sampling',
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
    name: 'hidden reasoning stays hidden, and an unknown effort becomes the next lower one',
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
    name: 'a forced tool alone switches off thinking that was not requested',
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
    name: 'D46 thinking is left out of a tool turn whose thoughts were lost',
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

describe('the options of a chat request for Anthropic', () => {
  test.each(ROWS)('$name', (row) => {
    const written = translated('chat', 'anthropic', { model: 'x', ...row.sent }, row.target);
    expect(spoken(written, row)).toEqual(row.written);
  });
});
