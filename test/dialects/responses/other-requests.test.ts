/** Requests of the other dialects for a Responses upstream. */
import { expect, test } from 'vitest';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import { PNG, type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const IMAGE = `data:image/png;base64,${PNG}`;

interface FromRow extends Row {
  readonly from: DialectName;
}

const FROM_OTHERS: readonly FromRow[] = [
  {
    from: 'chat',
    name: 'nothing is kept upstream, and thoughts are asked for so that they can come back',
    sent: { model: 'm', messages: [{ role: 'system', content: 'Rules.' }, user('Hi')] },
    written: {
      model: 'm',
      instructions: 'Rules.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
      stream: undefined,
    },
  },
  {
    from: 'chat',
    name: 'a turn of tools is a row of items, its proof before it',
    sent: {
      model: 'm',
      messages: [
        user('a'),
        {
          role: 'assistant',
          content: 'b',
          reasoning_details: [
            { type: 'reasoning.text', text: 'hm', signature: 'gAA', format: 'openai-responses-v1' },
          ],
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'c2', type: 'custom', custom: { name: 'patch', input: '***' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'x' },
        { role: 'tool', tool_call_id: 'c2', content: 'y' },
      ],
    },
    written: {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'gAA',
        },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'b', annotations: [] }],
        },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '***' },
        { type: 'function_call_output', call_id: 'c1', output: 'x' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'y' },
      ],
    },
  },
  {
    from: 'chat',
    name: 'settings under their other names, the limit at least what is allowed',
    sent: {
      model: 'm',
      messages: [user('Hi')],
      max_completion_tokens: 5,
      reasoning_effort: 'low',
      verbosity: 'high',
      response_format: { type: 'json_object' },
      tools: [{ type: 'function', function: { name: 'f', parameters: WEATHER_SCHEMA } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
      },
      prompt_cache_key: 'k',
      logit_bias: { 1: 2 },
      seed: 3,
      stop: ['x'],
    },
    written: {
      max_output_tokens: 16,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_object' }, verbosity: 'high' },
      tools: [
        { type: 'function', name: 'f', parameters: WEATHER_SCHEMA, strict: false },
        {
          type: 'web_search',
          search_context_size: 'low',
          user_location: { type: 'approximate', city: 'Oslo' },
        },
      ],
      tool_choice: { type: 'function', name: 'f' },
      prompt_cache_key: 'k',
      logit_bias: undefined,
      seed: undefined,
      stop: undefined,
    },
  },
  {
    from: 'anthropic',
    name: 'thoughts another vendor signed stay away, a budget becomes an effort',
    sent: {
      model: 'm',
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [
        user('a'),
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'x', signature: 'claudes' },
            { type: 'text', text: 'b' },
          ],
        },
        user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }]),
      ],
    },
    written: {
      reasoning: { effort: 'medium', summary: 'auto' },
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'b', annotations: [] }],
        },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: IMAGE, detail: 'auto' }],
        },
      ],
    },
  },
];

test.each(FROM_OTHERS)('from $from: $name', (row) => {
  expect(spoken(translated(row.from, 'responses', row.sent), row)).toEqual(row.written);
});
