import { expect, test } from 'vitest';
import { chatOpening, messageFor, sandboxFor } from '../../../web/src/features/chat/frame.ts';
import { blocksOf } from '../../../web/src/features/playground/chat/blocks.ts';
import { codePieces } from '../../../web/src/features/playground/chat/highlight.ts';
import { deltaOf, errorMessageIn } from '../../../web/src/features/playground/chat/stream.ts';
import {
  bodyOf,
  chatCurl,
  DEFAULT_SETTINGS,
  turnsBefore,
  userTurn,
  withoutTurn,
} from '../../../web/src/features/playground/chat/turns.ts';
import {
  conversationsIn,
  MAX_CONVERSATIONS,
  titleOf,
  withConversation,
} from '../../../web/src/features/playground/history/saved-conversations.ts';

const answer = (text: string) =>
  ({ ...userTurn(text), id: `a ${text}`, role: 'assistant' }) as const;

test('the defaults are sent as they are, and failed answers are not repeated to the model', () => {
  const body = bodyOf([userTurn('hi'), answer('')], DEFAULT_SETTINGS);
  expect(body).toMatchObject({ model: 'gpt-4o-mini', temperature: 0, max_tokens: 0, stream: true });
  expect(body.messages).toEqual([{ role: 'user', content: 'hi' }]);
  expect(body).not.toHaveProperty('group');
});

test('sends images beside the text, and the system prompt first', () => {
  const body = bodyOf([userTurn('see', ['data:x'])], { ...DEFAULT_SETTINGS, system: 'short' });
  expect(body.messages).toEqual([
    { role: 'system', content: 'short' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:x' } },
      ],
    },
  ]);
});

test('removes a question with its answer, but an answer alone', () => {
  const turns = [userTurn('one'), answer('1'), userTurn('two')];
  expect(withoutTurn(turns, turns[0]?.id ?? '').map(({ text }) => text)).toEqual(['two']);
  expect(withoutTurn(turns, 'a 1').map(({ text }) => text)).toEqual(['one', 'two']);
  expect(turnsBefore(turns, 'a 1').map(({ text }) => text)).toEqual(['one']);
});

test('the curl command escapes quotes in messages', () => {
  expect(chatCurl('https://x', bodyOf([userTurn("it's")], DEFAULT_SETTINGS))).toContain("it'\\''s");
});

test('reads streamed pieces in every upstream format', () => {
  expect(deltaOf('{"choices":[{"delta":{"content":"a"}}]}').text).toBe('a');
  expect(deltaOf('{"choices":[{"delta":{"reasoning_content":"r"}}]}').reasoning).toBe('r');
  expect(deltaOf('{"choices":[],"usage":{"prompt_tokens":3}}').usage).toEqual({ prompt_tokens: 3 });
  expect(deltaOf('{"error":{"message":"no"}}').problem).toBe('no');
  expect(deltaOf('not json').text).toBe('');
  expect(errorMessageIn('{"success":false,"message":"closed"}')).toBe('closed');
});

test('splits a growing answer between paragraphs, never inside code', () => {
  const text = 'one\n\n```js\na\n\nb\n```\n\ntwo';
  expect(blocksOf(text)).toEqual(['one\n\n', '```js\na\n\nb\n```\n\n', 'two']);
});

test('highlighting does not change the code', () => {
  const code = 'const a = "x"; // note\nreturn 12';
  const pieces = codePieces(code, 'js');
  expect(pieces.map(({ text }) => text).join('')).toBe(code);
  expect(pieces.filter(({ kind }) => kind !== 'plain').map(({ kind }) => kind)).toEqual([
    'keyword',
    'string',
    'comment',
    'keyword',
    'number',
  ]);
});

test('keeps the last twenty conversations, withoutTurn their images', () => {
  const one = { id: 'new', turns: [userTurn('hello there', ['data:x'])] };
  const many = Array.from({ length: MAX_CONVERSATIONS }, (_, index) => ({
    ...one,
    id: `t${index}`,
  }));
  const kept = conversationsIn(JSON.stringify(withConversation(many, one)));
  expect(kept).toHaveLength(MAX_CONVERSATIONS);
  expect(kept[0]?.turns[0]?.images).toEqual([]);
  expect(titleOf(one)).toBe('hello there');
  expect(conversationsIn('{broken')).toEqual([]);
});

test.each([
  ['ama://set-api-key?key=k', 'https:', 'app'],
  ['opencat://team/join?token=k', 'http:', 'app'],
  ['http://chat.lan/', 'https:', 'tab'],
  ['http://chat.lan/', 'http:', 'frame'],
  ['https://chat.example/', 'https:', 'frame'],
])('a chat at %s of a site on %s opens as %s', (url, protocol, opening) =>
  expect(chatOpening(url, protocol)).toBe(opening),
);

test('a framed program on our own origin cannot access it, and gets the theme by origin', () => {
  expect(sandboxFor('https://chat.example/#x', 'https://gw')).toContain('allow-same-origin');
  expect(sandboxFor('https://gw/x', 'https://gw')).not.toContain('allow-same-origin');
  expect(messageFor('https://chat.example/a?k=1', 'dark', 'zh').origin).toBe(
    'https://chat.example',
  );
});
