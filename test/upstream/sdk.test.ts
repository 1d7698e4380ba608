import { APIError, AzureOpenAI, OpenAI } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { itemsOf } from '../support/items-of.ts';
import { chat, clock, weather } from '../support/openai-chat.ts';
import { expectedAnswer, expectedUsage } from './content/usage.ts';
import { type FakeUpstream, startFakeUpstream } from './server.ts';

let upstream: FakeUpstream;
let client: OpenAI;
beforeAll(async () => {
  upstream = await startFakeUpstream({ keys: ['sk-good'] });
  client = new OpenAI({ apiKey: 'sk-good', baseURL: `${upstream.url}/v1`, maxRetries: 0 });
});
beforeEach(() => upstream.reset());
afterAll(() => upstream.close());

describe('official OpenAI SDK: chat', () => {
  test('gets a non-streamed response that echoes the prompt and reports the expected usage', async () => {
    const answer = await client.chat.completions.create(chat);
    expect(answer.choices[0]?.message.content).toBe(expectedAnswer(chat).texts[0]);
    expect(answer.choices[0]?.message.content).toContain('世界 and 🌍');
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(answer.usage).toEqual(expectedUsage(chat));
  });

  test('reads the same text and usage from a stream', async () => {
    const body = { ...chat, stream_options: { include_usage: true } };
    const stream = await client.chat.completions.create({ ...body, stream: true });
    let text = '';
    const usages: unknown[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.usage) usages.push(chunk.usage);
    }
    expect(text).toBe(expectedAnswer(chat).texts[0]);
    expect(usages).toEqual([expectedUsage(chat)]);
  });

  test.each([
    'split:1',
    'split:7',
    'crlf',
    'cr',
    'comments',
    'no-space',
    'multiline',
    'event-fields',
  ])('decodes a stream under %s to the same text', async (plan) => {
    const stream = await client.chat.completions.create(
      { ...chat, stream: true },
      { headers: { 'x-fake-plan': plan } },
    );
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(expectedAnswer(chat).texts[0]);
  });
});

describe('official OpenAI SDK: tools and schemas', () => {
  test('gets parallel tool calls for every tool named in the prompt', async () => {
    const answer = await client.chat.completions.create({
      ...chat,
      messages: [{ role: 'user', content: 'Use get_time and get_weather' }],
      tools: [weather, clock],
    });
    const calls = answer.choices[0]?.message.tool_calls ?? [];
    const functions = calls.flatMap((call) => (call.type === 'function' ? [call.function] : []));
    expect(functions.map((one) => [one.name, JSON.parse(one.arguments)])).toEqual([
      ['get_weather', { city: 'city', unit: 'celsius' }],
      ['get_time', { zone: 'zonexxxxx' }],
    ]);
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
    expect(answer.choices[0]?.message.content).toBeNull();
  });

  test('assembles streamed tool calls with its own helper', async () => {
    const stream = client.chat.completions.stream({
      ...chat,
      messages: [{ role: 'user', content: 'get_time and get_weather now' }],
      tools: [weather, clock],
    });
    const final = await stream.finalChatCompletion();
    const calls = final.choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => call.function.name)).toEqual(['get_weather', 'get_time']);
    expect(calls.map((call) => JSON.parse(call.function.arguments))).toEqual([
      { city: 'city', unit: 'celsius' },
      { zone: 'zonexxxxx' },
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  test('gets a tool call if one is required, and only one without parallel calls', async () => {
    const required = await client.chat.completions.create({
      ...chat,
      tools: [weather, clock],
      tool_choice: 'required',
    });
    expect(required.choices[0]?.message.tool_calls).toHaveLength(1);
    const single = await client.chat.completions.create({
      ...chat,
      messages: [{ role: 'user', content: 'get_time and get_weather' }],
      tools: [weather, clock],
      parallel_tool_calls: false,
    });
    expect(single.choices[0]?.message.tool_calls).toHaveLength(1);
    const none = await client.chat.completions.create({
      ...chat,
      messages: [{ role: 'user', content: 'get_time' }],
      tools: [clock],
      tool_choice: 'none',
    });
    expect(none.choices[0]?.message.tool_calls).toBeUndefined();
  });

  test('gets text after the tool result', async () => {
    const answer = await client.chat.completions.create({
      ...chat,
      messages: [
        { role: 'user', content: 'get_time' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
      ],
      tools: [clock],
    });
    expect(answer.choices[0]?.message.content).toBe('The tool answered: noon');
  });

  test('gets JSON that satisfies a schema, recursive ones included', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: 'integer', minimum: 18 },
        tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
        next: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
      },
      required: ['name', 'age', 'tags', 'next'],
    };
    const answer = await client.chat.completions.create({
      ...chat,
      response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
    });
    const value = JSON.parse(answer.choices[0]?.message.content ?? '');
    expect(value).toMatchObject({ name: 'name', age: 18, tags: ['tags', 'tags'] });
    let deepest = value;
    while (deepest.next !== null) deepest = deepest.next;
    expect(deepest.name).toBe('name');
  });

  test('gets a JSON object when it requests one', async () => {
    const answer = await client.chat.completions.create({
      ...chat,
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({
      answer: expectedAnswer(chat).texts[0],
    });
  });
});

describe('official OpenAI SDK: other endpoints', () => {
  test('gets the same vector as numbers and as base64', async () => {
    const request = { model: 'text-embedding-3-small', input: ['one', 'two'], dimensions: 16 };
    const asBase64 = await client.embeddings.create(request);
    const asFloats = await client.embeddings.create({ ...request, encoding_format: 'float' });
    expect(asBase64.data).toHaveLength(2);
    expect(asBase64.data[0]?.embedding).toHaveLength(16);
    expect([...(asBase64.data[1]?.embedding ?? [])]).toEqual(asFloats.data[1]?.embedding);
    expect(asBase64.data[0]?.embedding).not.toEqual(asBase64.data[1]?.embedding);
    expect(asFloats.usage).toEqual(expectedUsage(request));
    const sent = upstream.requests.map((call) => JSON.parse(call.body).encoding_format);
    expect(sent).toEqual(['base64', 'float']);
  });

  test('lists models, retrieves one and gets an error for an unknown one', async () => {
    const models = await itemsOf(client.models.list());
    expect(models.map((model) => model.id)).toContain('gpt-4o-mini');
    expect(await client.models.retrieve('gpt-4o-mini')).toMatchObject({ object: 'model' });
    await expect(client.models.retrieve('no/such')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  test('moderates each input', async () => {
    const verdict = await client.moderations.create({ input: ['a flower', 'violence!'] });
    expect(verdict.results.map((result) => result.flagged)).toEqual([false, true]);
  });

  test('completes legacy prompts, truncated to 16 tokens by default', async () => {
    const request = { model: 'gpt-3.5-turbo-instruct', prompt: 'word '.repeat(30) };
    const answer = await client.completions.create(request);
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage).toEqual(expectedUsage(request));
    expect(answer.usage?.completion_tokens).toBe(16);
    let text = '';
    for await (const chunk of await client.completions.create({ ...request, stream: true })) {
      text += chunk.choices[0]?.text ?? '';
    }
    expect(text).toBe(answer.choices[0]?.text);
  });

  test('calls Azure deployments with the key in api-key', async () => {
    const azure = new AzureOpenAI({
      endpoint: upstream.url,
      apiKey: 'sk-good',
      apiVersion: '2024-10-21',
      deployment: 'my-gpt',
      maxRetries: 0,
    });
    const stream = await azure.chat.completions.create({ ...chat, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? '';
    expect(text).toBe(expectedAnswer(chat).texts[0]);
    expect(upstream.requests[0]?.path).toContain('/openai/deployments/my-gpt/chat/completions');
  });
});

describe('official OpenAI SDK: errors', () => {
  test('is refused with a wrong key', async () => {
    const stranger = client.withOptions({ apiKey: 'sk-bad' });
    await expect(stranger.chat.completions.create(chat)).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
  });

  test('retries after a rate limit as the header requires', async () => {
    upstream.script('rate-limit-ms:1', 'status:503');
    const patient = client.withOptions({ maxRetries: 2 });
    const answer = await patient.chat.completions.create(chat);
    expect(answer.choices[0]?.message.content).toBe(expectedAnswer(chat).texts[0]);
    expect(upstream.stats).toMatchObject({ calls: 3, refused: 2, servedInFull: 1 });
  });

  test('raises an error sent in the middle of a stream', async () => {
    const stream = await client.chat.completions.create({
      ...chat,
      model: 'gpt-4o-mini+error-mid-stream:2',
      stream: true,
    });
    const reading = itemsOf(stream);
    await expect(reading).rejects.toBeInstanceOf(APIError);
  });
});
