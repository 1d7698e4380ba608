/** What Claude Code sends for Anthropic only, as other vendors get it. */
import { describe, expect, test } from 'vitest';
import { DIALECTS, UPSTREAM_DIALECTS } from '../../../src/dialects/all.ts';
import type { UpstreamDialectName } from '../../../src/dialects/hub/dialect.ts';
import { translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const NOTE = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.0; cch=1f2e3;' };
const RULES = { type: 'text', text: 'You are careful.' };
const OTHERS = (Object.keys(UPSTREAM_DIALECTS) as UpstreamDialectName[]).filter(
  (name) => name !== 'anthropic',
); // keys of a constant table

function sentTo(name: UpstreamDialectName, fields: object): string {
  const sent = { model: 'x', max_tokens: 9, messages: [user('Hi')], ...fields };
  return JSON.stringify(translated('anthropic', name, sent, { app: { other: 'bot', user: 'u' } }));
}

function forwarded(upstreamModel: string, system: unknown) {
  const body = { model: 'x', max_tokens: 9, messages: [user('Hi')], system };
  return DIALECTS.anthropic.forwarding.request(body, {
    upstreamModel,
    systemPrompt: '',
    thinking: undefined,
    media: undefined,
    dropsThinking: false,
  }).system;
}

test('the note for billing goes only to models of Anthropic', () => {
  const system = [NOTE, RULES];
  for (const name of OTHERS) {
    expect(sentTo(name, { system }), name).not.toContain('billing');
    if (name !== 'library') expect(sentTo(name, { system }), name).toContain('careful');
    expect(sentTo(name, { system: `${NOTE.text}\n\n${RULES.text}` }), name).not.toContain(
      'billing',
    );
  }
  expect(forwarded('claude-opus-5', system)).toEqual(system);
  expect(forwarded('deepseek-v4', system)).toEqual([RULES]);
  expect(forwarded('deepseek-v4', `${NOTE.text}\n${RULES.text}`)).toBe(RULES.text);
});

test.each(OTHERS.filter((name) => !['library'].includes(name)))(
  '%s gets the summary of a compaction instead of what was before',
  (name) => {
    const messages = [
      user('OLD'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'OLDER' },
          { type: 'compaction', content: 'Ada wants a kite.' },
          { type: 'text', text: 'Fine.' },
        ],
      },
      user('What do I want?'),
    ];
    const written = sentTo(name, { messages });
    expect(written).toContain('What do I want?');
    if (name === 'dify' || name === 'coze') return; // they keep the conversation themselves
    expect(written).toContain('Ada wants a kite.');
    expect(written).not.toContain('OLD');
  },
);

test('a compaction without a readable summary replaces nothing', () => {
  const messages = [
    user('OLD'),
    { role: 'assistant', content: [{ type: 'compaction', content: null }] },
    user('Hi'),
  ];
  expect(sentTo('chat', { messages })).toContain('OLD');
});

describe.each(['chat', 'gemini', 'responses', 'converse', 'cohere', 'ollama'] as const)(
  '%s',
  (name) => {
    test('a tool that a search found is named in its result', () => {
      const tools = [
        { name: 'ToolSearch', input_schema: { type: 'object' } },
        {
          name: 'fetch',
          description: 'Fetches a page',
          input_schema: WEATHER_SCHEMA,
          defer_loading: true,
        },
      ];
      const found = { type: 'tool_reference', tool_name: 'fetch' };
      const messages = [
        user('Hi'),
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} }],
        },
        user([{ type: 'tool_result', tool_use_id: 't1', content: [found] }]),
      ];
      expect(sentTo(name, { messages, tools })).toContain('fetch: Fetches a page');
    });

    test('the answer schema may be in `output_config` or in the older field', () => {
      const format = {
        type: 'json_schema',
        schema: { ...WEATHER_SCHEMA, additionalProperties: false },
      };
      const written = sentTo(name, { output_format: format });
      expect(written).toContain('city');
      expect(written).toBe(sentTo(name, { output_config: { format } }));
    });
  },
);

test.each([
  JSON.stringify({ device_id: 'd', session_id: '11111111-2222-3333-4444-555555555555' }),
  'user_abc_account__session_11111111-2222-3333-4444-555555555555',
])('the session of %s shares a prompt cache at OpenAI', (user_id) => {
  const written = sentTo('responses', { metadata: { user_id } });
  expect(JSON.parse(written).prompt_cache_key).toBe('11111111-2222-3333-4444-555555555555');
  expect(sentTo('chat', { metadata: { user_id } }), 'other servers').not.toContain(
    'prompt_cache_key',
  );
  expect(sentTo('responses', { metadata: { user_id: 'u1' } })).not.toContain('prompt_cache_key');
});
