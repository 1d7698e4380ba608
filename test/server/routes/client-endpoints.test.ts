import { expect, it } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { CHAT } from '../../upstream/wire.ts';

const site = await sharedSite();

it.each([
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1beta/models/gpt-4o:generateContent',
])('the endpoint %s of the client snippets exists', async (path) => {
  const { status } = await site.call({ path, body: {} });
  expect(status).toBe(400);
});

const CHAT_FORM = { object: 'chat.completion' };
const MESSAGE_FORM = { type: 'message', role: 'assistant' };
it.each([
  ['/openai/v1/chat/completions', CHAT_FORM],
  ['/v1beta/openai/chat/completions', CHAT_FORM],
  ['/api/v1/chat/completions?beta=true', CHAT_FORM],
  ['/v1/v1/chat/completions', CHAT_FORM],
  ['//v1/chat/completions', CHAT_FORM],
  ['/chat/completions', CHAT_FORM],
  ['/v1/chat/completion', CHAT_FORM],
  ['/v1/chat/completions/chat/completions', CHAT_FORM],
  ['/v1/chat/completions/v1/chat/completions', CHAT_FORM],
  ['/messages', MESSAGE_FORM],
  ['/v1/v1/messages', MESSAGE_FORM],
  ['/v1/messages/v1/messages', MESSAGE_FORM],
  ['/openai/v1/responses', { object: 'response' }],
  ['/v1/responses/responses', { object: 'response' }],
])('a call to %s under a wrong base URL is served', async (path, form) => {
  const { model } = CHAT;
  const ask = path.includes('responses')
    ? { input: 'Hi' }
    : { messages: CHAT.messages, max_tokens: 50 };
  const answer = await site.call({ path, body: { model, ...ask } });
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, form]);
});

it.each(['/v1/v1beta', '/v1beta/v1beta', '/v1beta/openai/v1beta'])(
  'a call of Gemini below %s is served',
  async (base) => {
    const path = `${base}/models/${CHAT.model}:generateContent`;
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
    const answer = await site.call({ path, body });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { candidates: [{}] }]);
  },
);

it.each(['/openai/v1/models', '/v1/v1/models', '/v1beta/openai/models', '//v1/models'])(
  'the model list %s is served',
  async (path) => {
    expect(await site.call({ path })).toMatchObject({ status: 200 });
    expect(await site.call({ path: `${path}/${CHAT.model}` })).toMatchObject({ status: 200 });
  },
);

it.each([
  ['GET', '/v1/batches'],
  ['POST', '/v1/batches/b/cancel'],
  ['POST', '/v1/conversations'],
  ['GET', '/v1/conversations/c/items'],
  ['POST', '/v1/videos'],
  ['GET', '/v1/videos/v/content'],
  ['GET', '/v1/files'],
  ['DELETE', '/v1/models/gpt-4o'],
  ['POST', '/v1/messages/batches'],
] as const)('%s %s is known and not offered', async (method, path) => {
  expect(await site.call({ method, path })).toMatchObject({ status: 501 });
});
