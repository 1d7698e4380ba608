import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MockUpstream, startMockUpstream } from '../../src/demo/mock-upstream.ts';

const KEY = 'sk-mock';
const MODEL = 'gpt-4o-mini';
const MESSAGES = [{ role: 'user' as const, content: 'Tell me about otters, please.' }];
const ECHO = 'You said: Tell me about otters, please.';

let upstream: MockUpstream;
let client: OpenAI;
beforeAll(async () => {
  upstream = await startMockUpstream(KEY);
  client = new OpenAI({ apiKey: KEY, baseURL: `${upstream.url}/v1`, maxRetries: 0 });
});
afterAll(() => upstream.close());

it('lists its models', async () => {
  const ids = (await client.models.list()).data.map(({ id }) => id);
  expect(ids).toContain(MODEL);
});

it('answers a chat call with the last user message and its usage', async () => {
  const { choices, usage } = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: 'system', content: 'Be brief.' }, ...MESSAGES],
  });
  expect(choices[0]?.message.content).toBe(ECHO);
  expect(choices[0]?.finish_reason).toBe('stop');
  expect(usage?.prompt_tokens).toBeGreaterThan(7);
  expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
});

async function chunksOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

it('streams the same text and the same usage', async () => {
  const plain = await client.chat.completions.create({ model: MODEL, messages: MESSAGES });
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages: MESSAGES,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await chunksOf(stream);
  const texts = chunks.map(({ choices }) => choices[0]?.delta.content ?? '');
  expect(texts.join('')).toBe(ECHO);
  expect(texts.filter((text) => text !== '').length).toBe(plain.usage?.completion_tokens);
  expect(chunks.at(-1)?.usage).toEqual(plain.usage);
});

it('streams no usage unless the request includes it', async () => {
  const request = { model: MODEL, messages: MESSAGES, stream: true } as const;
  const chunks = await chunksOf(await client.chat.completions.create(request));
  expect(chunks.every(({ usage }) => usage === undefined)).toBe(true);
});

it('stops at the token limit', async () => {
  const { choices, usage } = await client.chat.completions.create({
    model: MODEL,
    messages: MESSAGES,
    max_completion_tokens: 2,
  });
  expect(choices[0]?.finish_reason).toBe('length');
  expect(usage?.completion_tokens).toBe(2);
});

it('embeds equal texts equally, as numbers and as base64', async () => {
  const request = { model: 'text-embedding-3-small', input: ['otter', 'seal', 'otter'] };
  // Without a format the SDK asks for base64 and decodes it.
  const { data, usage } = await client.embeddings.create(request);
  const numbers = await client.embeddings.create({ ...request, encoding_format: 'float' });
  const [first = [], second = [], third = []] = data.map(({ embedding }) => embedding);
  expect(first).toHaveLength(1536);
  expect(third).toEqual(first);
  expect(second).not.toEqual(first);
  expect(numbers.data[0]?.embedding[0]).toBeCloseTo(first[0] ?? 0, 6);
  expect(usage.prompt_tokens).toBe(5);
});

it('refuses wrong keys, bodies and paths with their status', async () => {
  const headers = { authorization: `Bearer ${KEY}` };
  const chat = `${upstream.url}/v1/chat/completions`;
  const statusOf = async (url: string, init: RequestInit) => (await fetch(url, init)).status;
  expect(await statusOf(chat, { method: 'POST', body: '{}' })).toBe(401);
  expect(await statusOf(chat, { method: 'POST', body: '{}', headers })).toBe(400);
  expect(await statusOf(chat, { method: 'POST', body: 'no JSON', headers })).toBe(400);
  expect(await statusOf(`${upstream.url}/v1/responses`, { method: 'POST', headers })).toBe(404);
});
