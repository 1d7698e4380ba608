/** The system prompt of a request in its log entry, if the operator stores the content of chats. */
import { expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';

const SYSTEM = 'Answer in rhymes.';
const MODEL = 'claude-sonnet-4-5';
const CHANNEL_PROMPT = 'Known to the operator only.';

const site = await sharedSite({ options: { LogChatContentEnabled: true } });
await site.addChannel({ models: MODEL, system_prompt: CHANNEL_PROMPT });

const messages = [{ role: 'user', content: 'Hello' }];

test.each<[string, object]>([
  ['/v1/messages', { model: MODEL, max_tokens: 50, system: SYSTEM, messages }],
  ['/v1/responses', { model: MODEL, instructions: SYSTEM, input: 'Hello' }],
  [
    `/v1beta/models/${MODEL}:generateContent`,
    {
      systemInstruction: { parts: [{ text: SYSTEM }] },
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    },
  ],
])('is stored for a call to %s, without that of the channel', async (path, body) => {
  const answer = await site.call({ path, body });
  expect(answer.status, answer.text).toBe(200);
  const other = (await site.logOf(answer.requestId))?.other ?? '{}';
  expect(JSON.parse(other).system_prompt).toContain(SYSTEM);
  expect(other).not.toContain(CHANNEL_PROMPT);
});

test('is absent when the request has none beside its messages', async () => {
  const answer = await site.call({ body: { model: MODEL, messages } });
  expect(answer.status).toBe(200);
  const other = (await site.logOf(answer.requestId))?.other ?? '{}';
  expect(JSON.parse(other)).not.toHaveProperty('system_prompt');
});
