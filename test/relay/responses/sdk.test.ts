/** The official SDK's Responses calls, unmodified, over a Responses upstream and over others. */
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sharedSite } from '../../support/shared-site.ts';
import { setPrice } from '../tenant.ts';

const PRICE = { ratio: '1', completion: '1' };
const MODELS = {
  native: { type: 1, model: 'gpt-4o-mini' },
  chat: { type: 1003, model: 'gpt-4o-mini' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-3.1-pro-preview' },
} as const;
const NAMES = Object.keys(MODELS);

const site = await sharedSite();
const client = new OpenAI({ apiKey: site.token.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
for (const [name, { type, model }] of Object.entries(MODELS)) {
  await setPrice(site, name, PRICE);
  await site.addChannel({ type, models: name, model_mapping: JSON.stringify({ [name]: model }) });
}

describe.each(NAMES)('the Responses API over %s', (model) => {
  test("streams an answer that the SDK's helper assembles", async () => {
    const stream = client.responses.stream({ model, input: 'In pieces 🙂' });
    let text = '';
    const numbers: number[] = [];
    stream.on('event', (event) => numbers.push(event.sequence_number));
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const answer = await stream.finalResponse();
    expect(text).toContain('In pieces 🙂');
    expect(answer.output_text).toBe(text);
    expect(answer.model).toBe(model);
    expect(answer.usage?.output_tokens).toBeGreaterThan(0);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  test('enforces a schema', async () => {
    const Answer = z.object({ city: z.string(), degrees: z.number() });
    const answer = await client.responses.parse({
      model,
      input: 'Oslo?',
      text: { format: zodTextFormat(Answer, 'weather') },
    });
    expect(answer.output_parsed).toEqual({
      city: expect.any(String),
      degrees: expect.any(Number),
    });
  });
});

describe('a response stored upstream', () => {
  test('can be continued, read, listed and deleted', async () => {
    const first = await client.responses.create({ model: 'native', input: 'Remember me' });
    const next = await client.responses.create({
      model: 'native',
      input: 'And now?',
      previous_response_id: first.id,
    });
    expect(next.previous_response_id).toBe(first.id);
    const shown = await client.responses.retrieve(first.id);
    expect(shown).toMatchObject({ id: first.id, model: 'native' });
    expect((await client.responses.inputItems.list(first.id)).data).toEqual([]);
    expect((await client.responses.cancel(first.id)).status).toBe('cancelled');
    await client.responses.delete(first.id);
    await expect(client.responses.retrieve(first.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test('is available after a stream as well', async () => {
    const stream = client.responses.stream({ model: 'native', input: 'Streamed' });
    const { id } = await stream.finalResponse();
    expect((await client.responses.retrieve(id)).id).toBe(id);
  });

  test('is not visible to other users', async () => {
    const { id } = await client.responses.create({ model: 'native', input: 'Mine alone' });
    const stranger = await site.addUser();
    const { key } = await site.addToken({ owner: stranger });
    const other = new OpenAI({ apiKey: key, baseURL: `${site.url}/v1`, maxRetries: 0 });
    site.upstream.reset();
    for (const call of [
      () => other.responses.retrieve(id),
      () => other.responses.delete(id),
      () => other.responses.cancel(id),
      () => other.responses.inputItems.list(id),
    ])
      await expect(call()).rejects.toBeInstanceOf(NotFoundError);
    const goOn = { model: 'native', input: 'Hi', previous_response_id: id };
    await expect(other.responses.create(goOn)).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    });
    expect(site.upstream.requests).toEqual([]);
  });

  test('is not available when its client asked not to store it', async () => {
    const { id } = await client.responses.create({
      model: 'native',
      input: 'Forget',
      store: false,
    });
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test.each(['chat', 'anthropic', 'gemini'])('cannot be continued over %s', async (model) => {
    const { id } = await client.responses.create({ model: 'native', input: 'Keep' });
    const goOn = client.responses.create({ model, input: 'Hi', previous_response_id: id });
    await expect(goOn).rejects.toBeInstanceOf(BadRequestError);
    await expect(goOn).rejects.toMatchObject({ param: 'previous_response_id' });
  });
});

test('counting input tokens is free', async () => {
  const counted = await client.responses.inputTokens.count({
    model: 'native',
    input: 'Hello there',
  });
  expect(counted).toMatchObject({ object: 'response.input_tokens' });
  expect(counted.input_tokens).toBeGreaterThan(1);
  expect(site.upstream.requests).toEqual([]);
});

test('compacting a conversation is charged', async () => {
  const answer = await client.responses.compact({
    model: 'native',
    input: [{ role: 'user', content: 'A long story' }],
  });
  expect(answer.output).toMatchObject([{ type: 'compaction', encrypted_content: /^gAAAA/ }]);
  expect(site.upstream.requests.at(-1)?.path).toBe('/v1/responses/compact');
  await site.settled();
  const log = await site.logOf(answer._request_id ?? '');
  expect(log?.quota).toBe(answer.usage.total_tokens);
  const elsewhere = client.responses.compact({ model: 'gemini', input: 'A story' });
  await expect(elsewhere).rejects.toMatchObject({ status: 501 });
});
