import { expect, test } from 'vitest';
import type { UpstreamDialectName } from '../../src/dialects/hub/dialect.ts';
import { translated, user } from './hub/requests.ts';

/** Kimi's own form, which Kimi needs back and which others refuse. */
const ID = 'functions.Bash:0';
const CALL = { type: 'tool_use', id: ID, name: 'Bash', input: {} };
const HISTORIES = {
  anthropic: {
    messages: [
      user('Hi'),
      { role: 'assistant', content: [CALL] },
      user([{ type: 'tool_result', tool_use_id: ID, content: 'r' }]),
    ],
  },
  responses: {
    input: [
      { type: 'function_call', call_id: ID, name: 'Bash', arguments: '{}' },
      { type: 'function_call_output', call_id: ID, output: 'r' },
    ],
  },
  gemini: {
    contents: [
      { role: 'model', parts: [{ functionCall: { id: ID, name: 'Bash', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: ID, name: 'Bash', response: {} } }] },
    ],
  },
  chat: {
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: ID, type: 'function', function: { name: 'Bash', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: ID, content: 'r' },
    ],
  },
} as const;

type Client = keyof typeof HISTORIES;

/** How often the id is in the body sent to an upstream. */
function count(from: Client, to: UpstreamDialectName, strict = false): number {
  return sentTo(from, to, strict).split(ID).length - 1;
}

function sentTo(from: Client, to: UpstreamDialectName, strict = false): string {
  const sent = { model: 'm', max_tokens: 9, ...HISTORIES[from] };
  return JSON.stringify(translated(from, to, sent, { chat: { strict } }));
}

test.each(['chat', 'anthropic', 'responses', 'gemini'] as const)(
  '%s: ids are changed only for upstreams with a rule',
  (from) => {
    for (const to of ['chat', 'cohere', 'ollama'] as const) expect(count(from, to), to).toBe(2);
    for (const to of ['anthropic', 'responses', 'gemini', 'converse'] as const)
      expect(count(from, to), to).toBe(0);
    expect(count(from, 'chat', true)).toBe(0);
    expect(sentTo(from, 'chat', true).match(/call_[0-9a-f]{32}/g)).toHaveLength(2);
  },
);
