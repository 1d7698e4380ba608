/** System messages in mid-conversation, which most vendors accept only in some places. */
import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../src/dialects/all.ts';
import { type JsonObject, objectsIn } from '../../src/json/read-json.ts';
import { translated } from './hub/requests.ts';

const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const MESSAGES: Readonly<Record<string, JsonObject>> = {
  u: { role: 'user', content: 'U' },
  a: { role: 'assistant', content: 'A' },
  s: { role: 'system', content: 'S' },
  c: { role: 'assistant', content: null, tool_calls: [CALL] },
  r: { role: 'tool', tool_call_id: 'c1', content: 'R' },
};
const ITEMS: Readonly<Record<string, JsonObject>> = {
  ...MESSAGES,
  s: { role: 'developer', content: [{ type: 'input_text', text: 'S' }] },
  c: { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
  r: { type: 'function_call_output', call_id: 'c1', output: 'R' },
};

/** The same conversation from both clients that may send late system messages. */
function conversation(client: 'chat' | 'responses', shape: string): JsonObject {
  const list = (table: typeof ITEMS) => [...shape].map((letter) => table[letter]);
  return client === 'chat'
    ? { model: 'x', messages: list(MESSAGES) }
    : { model: 'x', input: list(ITEMS) };
}

/** One letter for each message or block, in order; a role before its blocks. */
function outline(messages: readonly JsonObject[]): string {
  return messages.map(({ role, content }) => `${role}:${letters(content)}`).join(' ');
}

function letters(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn({ content }, 'content')
    .map(({ type, text }) => ({ tool_use: 'C', tool_result: 'R' })[String(type)] ?? text)
    .join('');
}

/** With the role, and where the user says it instead. */
const CLAUDE: readonly (readonly [shape: string, placed: string, said: string])[] = [
  ['us', 'user:U system:S', 'user:US'],
  ['usa', 'user:U system:S assistant:A', 'user:US assistant:A'],
  ['uasu', 'user:U assistant:A user:U system:S', 'user:U assistant:A user:SU'],
  ['usu', 'user:UU system:S', 'user:USU'],
  ['ussuau', 'user:UU system:SS assistant:A user:U', 'user:USSU assistant:A user:U'],
  ['asu', 'user:... assistant:A user:U system:S', 'user:... assistant:A user:SU'],
  ['uas', 'user:U assistant:A user:S', 'user:U assistant:A user:S'],
  ['ucrs', 'user:U assistant:C user:R system:S', 'user:U assistant:C user:RS'],
  ['ucrsu', 'user:U assistant:C user:RU system:S', 'user:U assistant:C user:RSU'],
  ['ucsr', 'user:U assistant:C user:R system:S', 'user:U assistant:C user:RS'],
  [
    'ucsrsa',
    'user:U assistant:C user:R system:SS assistant:A',
    'user:U assistant:C user:RSS assistant:A',
  ],
];

describe.each(['chat', 'responses'] as const)('from %s', (client) => {
  test.each(CLAUDE)('%s keeps to the rules of Claude', (shape, placed, said) => {
    const to = (model: string) =>
      outline(
        objectsIn(
          translated(client, 'anthropic', conversation(client, shape), { model }),
          'messages',
        ),
      );
    for (const model of ['claude-opus-4-8', 'claude-opus-5', 'claude-sonnet-5', 'claude-haiku-5-5'])
      expect(to(model), model).toBe(placed);
    for (const model of ['claude-opus-4-7', 'claude-sonnet-4-6', 'glm-5'])
      expect(to(model), model).toBe(said);
  });

  test('it does not separate a tool call from its result', () => {
    for (const upstream of ['chat', 'cohere'] as const) {
      const written = translated(client, upstream, conversation(client, 'ucsrsu'));
      expect(objectsIn(written, 'messages').map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'system',
        'system',
        'user',
      ]);
    }
    const { contents } = translated(client, 'gemini', conversation(client, 'ucsru'));
    expect(JSON.stringify(contents)).toMatch(/functionCall".*functionResponse".*"S".*"U"/);
  });
});

test('a message with a picture is said by the user', () => {
  const picture = { type: 'input_image', image_url: 'https://example.com/a.png' };
  const input = [ITEMS.u, { role: 'developer', content: [picture] }, ITEMS.a, ITEMS.u];
  const written = translated(
    'responses',
    'anthropic',
    { model: 'x', input },
    { model: 'claude-opus-5' },
  );
  expect(objectsIn(written, 'messages').map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
  ]);
});

test('a forwarded Messages request is changed only for models without the role', () => {
  const messages = [
    { role: 'user', content: 'U' },
    { role: 'system', content: 'S' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
    { role: 'system', content: 'S' },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'R' }] },
  ];
  const body = { model: 'x', max_tokens: 9, messages };
  const forwarded = (upstreamModel: string) =>
    DIALECTS.anthropic.forwarding.request(body, {
      upstreamModel,
      systemPrompt: '',
      thinking: undefined,
      media: undefined,
      dropsThinking: false,
    });
  expect(forwarded('claude-opus-4-8')).toBe(body);
  expect(outline(objectsIn(forwarded('claude-opus-4-7'), 'messages'))).toBe(
    'user:U user:S assistant:C user:R user:S',
  );
});
