import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../../src/dialects/hub/answer/answer.ts';
import type { Block } from '../../../src/dialects/hub/blocks.ts';
import { CHAT } from '../../../src/dialects/openai/chat/chat.ts';
import { type JsonObject, objectIn, objectsIn, textIn } from '../../../src/json/read-json.ts';
import { translated, user } from '../hub/requests.ts';
import { CONTEXT, encoded, framesIn } from '../hub/streams.ts';

function thought(text: string, value: string, origin: 'anthropic' | 'openai'): Block {
  return { kind: 'thinking', text, signature: { origin, value } };
}

function call(id: string): Block {
  return { kind: 'tool_call', id, name: 'f', args: `{"x":"${id}"}` };
}

const CLAUDES: readonly Block[] = [
  thought('A', 'SIGA', 'anthropic'),
  { kind: 'text', text: 'one 🙂' },
  thought('', 'SIGB', 'anthropic'),
  call('c1'),
  { kind: 'redacted_thinking', origin: 'anthropic', data: 'REDC' },
  call('c2'),
];
const OPENAIS: readonly Block[] = [
  thought('A', 'ONE', 'openai'),
  call('c1'),
  thought('', 'TWO', 'openai'),
  call('c2'),
];

/** The message as a client collects it from a stream. */
function streamedMessage(blocks: readonly Block[]): JsonObject {
  const answer = { blocks, stop: 'tool_calls' } as const;
  const deltas = framesIn(encoded('chat', [eventsOf(answer)])).flatMap((frame) =>
    objectsIn(frame, 'choices').map((choice) => objectIn(choice, 'delta') ?? {}),
  );
  const joined = (name: string) => deltas.map((delta) => textIn(delta, name) ?? '').join('');
  const pieces = deltas.flatMap((delta) => objectsIn(delta, 'tool_calls'));
  return {
    role: 'assistant',
    content: joined('content'),
    reasoning_content: joined('reasoning_content'),
    reasoning_details: deltas.flatMap((delta) => objectsIn(delta, 'reasoning_details')),
    tool_calls: pieces
      .filter(({ id }) => id !== undefined)
      .map((piece) => ({
        ...piece,
        function: {
          name: 'f',
          arguments: pieces
            .filter(({ index }) => index === piece.index)
            .map((one) => textIn(objectIn(one, 'function'), 'arguments') ?? '')
            .join(''),
        },
      })),
  };
}

function wholeMessage(blocks: readonly Block[]): JsonObject {
  const json = CHAT.writeAnswer({ blocks, stop: 'tool_calls' }, CONTEXT);
  return objectIn(objectsIn(json, 'choices')[0], 'message') ?? {};
}

describe.each([
  ['whole', wholeMessage],
  ['streamed', streamedMessage],
])('thinking between texts and calls, %s, comes back to', (_how, messageOf) => {
  test('Claude where it was', () => {
    const messages = [user('Hi'), messageOf(CLAUDES)];
    const written = translated('chat', 'anthropic', { model: 'x', messages });
    expect(objectsIn(written, 'messages')[1]?.content).toMatchObject([
      { type: 'thinking', thinking: 'A', signature: 'SIGA' },
      { type: 'text', text: 'one 🙂' },
      { type: 'thinking', signature: 'SIGB' },
      { type: 'tool_use', id: 'c1' },
      { type: 'redacted_thinking', data: 'REDC' },
      { type: 'tool_use', id: 'c2' },
    ]);
  });

  test('OpenAI where it was', () => {
    const messages = [user('Hi'), messageOf(OPENAIS)];
    const written = translated('chat', 'responses', { model: 'x', messages });
    const items = objectsIn(written, 'input').slice(1);
    expect(items.map((item) => item.encrypted_content ?? item.call_id)).toEqual([
      'ONE',
      'c1',
      'TWO',
      'c2',
    ]);
  });
});

test('thinking without a place, or with one beyond the message, is not lost', () => {
  const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1' };
  const message = {
    role: 'assistant',
    content: 'ab',
    reasoning_details: [
      { ...detail, text: 'A', signature: 'S1', id: 'rs_foreign' },
      { ...detail, text: 'B', signature: 'S2', id: 'at-1-0' },
      { ...detail, text: 'C', signature: 'S3', id: 'at-99-9' },
    ],
  };
  const written = translated('chat', 'anthropic', { model: 'x', messages: [user('Hi'), message] });
  const blocks = objectsIn(objectsIn(written, 'messages')[1], 'content');
  expect(blocks.map(({ text, thinking }) => text ?? thinking)).toEqual(['A', 'a', 'B', 'b', 'C']);
});
