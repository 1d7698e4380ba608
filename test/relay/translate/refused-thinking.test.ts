/** Claude refuses earlier thinking that a client changed: the call is sent once more without it. */
import { beforeEach, expect, test } from 'vitest';
import { rawSite } from '../raw-site.ts';
import { setPrice } from '../tenant.ts';

const { site, raw } = await rawSite();
const MODIFIED =
  'messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.';
const SIGNATURE = 'messages.1.content.0: Invalid `signature` in `thinking` block';
const TOOLS = [{ name: 'f', input_schema: { type: 'object', properties: {} } }];

const THOUGHT = { type: 'thinking', thinking: 'A', signature: 'SIGA' };
const MESSAGES = {
  path: '/v1/messages',
  body: {
    max_tokens: 5000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    tools: TOOLS,
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [THOUGHT, { type: 'tool_use', id: 't1', name: 'f', input: {} }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'r' }] },
    ],
  },
};
const CHAT = {
  path: '/v1/chat/completions',
  body: {
    reasoning_effort: 'high',
    tools: [{ type: 'function', function: { name: 'f' } }],
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        reasoning_details: [
          { type: 'reasoning.text', text: 'A', signature: 'SIGA', format: 'anthropic-claude-v1' },
        ],
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 't1', content: 'r' },
    ],
  },
};
const ANSWER = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Fine' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};

beforeEach(async () => {
  raw.requests.length = 0;
});

function refusing(message: string, always = false): void {
  raw.answer = (response, { body }) => {
    const isRefused = always || body.includes('SIGA');
    const error = { type: 'error', error: { type: 'invalid_request_error', message } };
    response
      .writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(isRefused ? error : ANSWER));
  };
}

test.each([
  ['messages', MESSAGES, MODIFIED],
  ['messages', MESSAGES, SIGNATURE],
  ['chat', CHAT, MODIFIED],
  ['chat', CHAT, SIGNATURE],
])('of a %s client', async (name, { path, body }, message) => {
  const model = 'claude-sonnet-4-5';
  await setPrice(site, model, { ratio: '1', completion: '1' });
  if (raw.requests.length === 0)
    await site.addChannel({ type: 14, models: model, base_url: raw.url });
  refusing(message);
  const answer = await site.call({ path, body: { ...body, model } });
  expect(answer.status, answer.text).toBe(200);
  expect(raw.requests).toHaveLength(2);
  const sent = JSON.parse(raw.requests[1]?.body ?? '');
  expect(JSON.stringify(sent.messages), name).not.toContain('SIGA');
  // A model that thinks within a budget would refuse to go on without its thinking.
  expect(sent.thinking).toBe(undefined);
  raw.requests.length = 0;
  refusing(message, true);
  expect((await site.call({ path, body: { ...body, model } })).status).toBe(400);
  expect(raw.requests).toHaveLength(2);
});
