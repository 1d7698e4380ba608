/** A field that two readers could read differently is refused by name, at any depth. */
import { expect, test } from 'vitest';
import { rawSite } from '../raw-site.ts';
import { addTenant } from '../tenant.ts';

const { site, raw } = await rawSite();
const CONTENTS = '"contents":[{"role":"user","parts":[{"text":"hi"}]}]';

async function refusal(path: string, text: string): Promise<string> {
  const tenant = await addTenant(site, { channel: { type: 24, base_url: raw.url } });
  const body = text.replaceAll('MODEL', tenant.model);
  const before = raw.requests.length;
  const answer = await tenant.call(
    {},
    {
      path: path.replace('MODEL', tenant.model),
      headers: { 'content-type': 'application/json' },
      rawBody: body,
    },
  );
  expect(answer.status, answer.text).toBe(400);
  expect(raw.requests).toHaveLength(before);
  await tenant.expectNothing();
  return answer.text;
}

const NATIVE = '/v1beta/models/MODEL:generateContent';
const CHAT = '"model":"MODEL","messages":[{"role":"user","content":"hi"}]';
const LONG = `"user":"${'u'.repeat(200_000)}"`;

test.each([
  [
    'max_output_tokens',
    NATIVE,
    `{${CONTENTS},"generationConfig":{"maxOutputTokens":10,"max_output_tokens":60000}}`,
  ],
  [
    'generation_config',
    NATIVE,
    `{${CONTENTS},"generationConfig":{},"generation_config":{"maxOutputTokens":9}}`,
  ],
  ['google_search', NATIVE, `{${CONTENTS},"tools":[{"googleSearch":{},"google_search":{}}]}`],
  ['inline_data', NATIVE, `{"contents":[{"parts":[{"inlineData":{},"inline_data":{}}]}]}`],
  [
    'generationConfig',
    NATIVE,
    `{${CONTENTS},"generationConfig":{"maxOutputTokens":9,"maxOutputTokens":60000}}`,
  ],
  ['tools', '/v1/chat/completions', `{${CHAT},"tools":[{"type":"function","type":"web_search"}]}`],
  ['tools', '/v1/messages', `{${CHAT},"max_tokens":5,"tools":[{"max_uses":1,"max_uses":9}]}`],
  ['reasoning', '/v1/responses', `{"model":"MODEL","input":"hi","reasoning":{"a":{"b":1,"b":2}}}`],
  [
    'extra_body.max_tokens',
    '/v1/chat/completions',
    `{${CHAT},"max_tokens":5,"extra_body":{"max_tokens":9}}`,
  ],
  ['tools', '/v1/chat/completions', `{${CHAT},${LONG},"tools":[{"a":1,"a":2}]}`],
  [
    'messages',
    '/v1/chat/completions',
    `{"model":"MODEL",${LONG},"messages":[{"role":"user","content":"${'x'.repeat(70_000)}","role":"user"}]}`,
  ],
])('%s in two forms is refused at %s', async (name, path, body) => {
  expect(await refusal(path, body)).toContain(name);
});

test('names that a client chooses may be similar, and names may repeat in different objects', async () => {
  const tenant = await addTenant(site, { channel: { type: 24, base_url: raw.url } });
  const properties = { max_tokens: { type: 'number' }, maxTokens: { type: 'number' } };
  const declaration = { name: 'f', parameters: { type: 'object', properties } };
  const answer = await tenant.call(
    {},
    {
      path: NATIVE.replace('MODEL', tenant.model),
      body: {
        contents: [{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }],
        tools: [{ functionDeclarations: [declaration] }],
      },
    },
  );
  expect(answer.status).not.toBe(400);
});
