/** The official SDK, unmodified, against the gateway: everyday use. */
import OpenAI, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { itemsOf } from '../../support/items-of.ts';
import { chat, clock, weather } from '../../support/openai-chat.ts';
import { aSite, eventually, type Site } from '../../support/site.ts';
import { expectedAnswer, expectedUsage } from '../../upstream/content/usage.ts';

let site: Site;
let client: OpenAI;
beforeAll(async () => {
  site = await aSite({ config: { clientGraceMs: 1 } });
  client = new OpenAI({ apiKey: site.token.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
  await site.addChannel({
    name: 'azure',
    type: 'azure',
    other: '2024-10-21',
    models: 'azure-gpt',
    model_mapping: '{"azure-gpt":"gpt-4o"}',
  });
  await site.addChannel({ models: 'omni-moderation-latest,demo-reasoner' });
  await site.option('ModelRatio', {
    'gpt-4o-mini': 0.075,
    'gpt-4o': 1.25,
    'gpt-3.5-turbo-instruct': 0.75,
    'text-embedding-3-small': 0.01,
    'omni-moderation-latest': 0,
    'demo-reasoner': 1,
  });
});
beforeEach(() => site.upstream.reset());
afterAll(async () => {
  await site.settled();
  expect((await site.verify()).ok).toBe(true);
  await site.close();
});

/** The error of a call that must fail. */
async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}

describe('a chat with the OpenAI SDK', () => {
  test('is answered, with usage and a request id recorded in the ledger', async () => {
    const answer = await client.chat.completions.create(chat);
    expect(answer.choices[0]?.message.content).toBe(expectedAnswer(chat).texts[0]);
    expect(answer.usage).toEqual(expectedUsage(chat));
    expect(answer.model).toBe('gpt-4o-mini');
    expect(await site.ledgerOf(answer._request_id ?? '')).toHaveLength(1);
  });

  test('is streamed, with usage only on request', async () => {
    for (const include_usage of [true, false]) {
      const stream = await client.chat.completions.create({
        ...chat,
        stream: true,
        stream_options: { include_usage },
      });
      const chunks = await itemsOf(stream);
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
      expect(text).toBe(expectedAnswer(chat).texts[0]);
      const usages = chunks.flatMap((chunk) => chunk.usage ?? []);
      expect(usages).toEqual(include_usage ? [expectedUsage(chat)] : []);
    }
  });

  test('is assembled by the stream helper', async () => {
    const stream = client.chat.completions.stream({
      ...chat,
      stream_options: { include_usage: true },
    });
    const texts: string[] = [];
    stream.on('content.delta', ({ delta }) => texts.push(delta));
    const final = await stream.finalChatCompletion();
    expect(texts.join('')).toBe(expectedAnswer(chat).texts[0]);
    expect(final.choices[0]?.message.content).toBe(expectedAnswer(chat).texts[0]);
    expect(await stream.totalUsage()).toMatchObject(expectedUsage(chat));
  });

  test('has as many answers as requested, each with its own text', async () => {
    const several = { ...chat, n: 3 };
    const expected = expectedAnswer(several);
    const plain = await client.chat.completions.create(several);
    expect(plain.choices.map((choice) => choice.message.content)).toEqual(expected.texts);
    expect(plain.usage).toEqual(expected.usage);
    const stream = client.chat.completions.stream(several);
    const final = await stream.finalChatCompletion();
    expect(final.choices.map((choice) => choice.message.content)).toEqual(expected.texts);
  });

  test('returns the log probabilities of its tokens', async () => {
    const answer = await client.chat.completions.create({
      ...chat,
      logprobs: true,
      top_logprobs: 2,
    });
    const tokens = answer.choices[0]?.logprobs?.content ?? [];
    expect(tokens.map((token) => token.token).join('')).toBe(expectedAnswer(chat).texts[0]);
    expect(tokens[0]?.top_logprobs).toHaveLength(2);
    const chunks = await itemsOf(
      await client.chat.completions.create({ ...chat, logprobs: true, stream: true }),
    );
    const streamed = chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
    expect(streamed.map((token) => token.token)).toEqual(tokens.map((token) => token.token));
  });

  test('returns the reasoning beside the content', async () => {
    const answer = await client.chat.completions.create({ ...chat, model: 'demo-reasoner' });
    expect(answer.choices[0]?.message).toMatchObject({ reasoning_content: expect.any(String) });
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  });

  test('over an Azure channel is like any other, without Azure’s extra frames and names', async () => {
    const azureChat = { ...chat, model: 'azure-gpt' };
    const answer = await client.chat.completions.create(azureChat);
    expect([answer.model, answer.choices[0]?.message.content]).toEqual([
      'azure-gpt',
      expectedAnswer(chat).texts[0],
    ]);
    const chunks = await itemsOf(
      await client.chat.completions.create({ ...azureChat, stream: true }),
    );
    expect(chunks.every((chunk) => chunk.choices.length > 0 && chunk.model === 'azure-gpt')).toBe(
      true,
    );
    const helped = client.chat.completions.stream({
      ...azureChat,
      tools: [clock],
      tool_choice: 'required',
    });
    const final = await helped.finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls).toHaveLength(1);
    const seen = site.upstream.requests.map(({ path, headers }) => [path, headers['api-key']]);
    for (const [path, key] of seen) {
      expect(path).toBe('/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21');
      expect(key).toBe('sk-fake-upstream-key');
    }
  });
});

describe('tools and schemas with the OpenAI SDK', () => {
  const both = {
    ...chat,
    messages: [{ role: 'user' as const, content: 'Use get_time and get_weather' }],
    tools: [weather, clock],
  };

  test('parallel calls are the same whole and streamed', async () => {
    const plain = await client.chat.completions.create(both);
    const calls = plain.choices[0]?.message.tool_calls ?? [];
    expect(calls).toHaveLength(2);
    expect(plain.choices[0]?.finish_reason).toBe('tool_calls');
    const final = await client.chat.completions.stream(both).finalChatCompletion();
    const named = (final.choices[0]?.message.tool_calls ?? []).map((call) => call.function);
    expect(named.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['get_weather', { city: 'city', unit: 'celsius' }],
      ['get_time', { zone: 'zonexxxxx' }],
    ]);
  });

  test('runTools completes all calls in sequence, streamed or not', async () => {
    const sentQueries: unknown[] = [];
    const runnable = {
      type: 'function' as const,
      function: {
        ...clock.function,
        description: 'The time of day',
        function: (given: string) => {
          sentQueries.push(JSON.parse(given));
          return 'noon';
        },
      },
    };
    const body = {
      ...chat,
      messages: [{ role: 'user' as const, content: 'get_time' }],
      tools: [runnable],
    };
    const before = (await site.chargesOf(site.user.id)).length;
    expect(await client.chat.completions.runTools(body).finalContent()).toBe(
      'The tool answered: noon',
    );
    const streaming = client.chat.completions.runTools({ ...body, stream: true });
    expect(await streaming.finalContent()).toBe('The tool answered: noon');
    expect(sentQueries).toEqual([{ zone: 'zonexxxxx' }, { zone: 'zonexxxxx' }]);
    expect(await site.chargesOf(site.user.id)).toHaveLength(before + 4);
  });

  test('structured output satisfies its schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: 'integer', minimum: 18 },
        next: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
      },
      required: ['name', 'age', 'next'],
      additionalProperties: false,
    };
    const format = {
      type: 'json_schema' as const,
      json_schema: { name: 'person', strict: true, schema },
    };
    const parsed = await client.chat.completions.parse({ ...chat, response_format: format });
    expect(JSON.parse(parsed.choices[0]?.message.content ?? '')).toMatchObject({
      name: 'name',
      age: 18,
    });
    const sent = JSON.parse(site.upstream.requests[0]?.body ?? '');
    expect(sent.response_format).toEqual(format);
  });
});

describe('the other endpoints with the OpenAI SDK', () => {
  test('complete legacy prompts, plain and streamed', async () => {
    const request = { model: 'gpt-3.5-turbo-instruct', prompt: 'word '.repeat(30) };
    const answer = await client.completions.create(request);
    expect(answer.usage).toEqual(expectedUsage(request));
    const chunks = await itemsOf(await client.completions.create({ ...request, stream: true }));
    const text = chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('');
    expect(text).toBe(answer.choices[0]?.text);
  });

  test('embed texts as numbers and as base64', async () => {
    const request = { model: 'text-embedding-3-small', input: ['one', 'two'], dimensions: 16 };
    const asBase64 = await client.embeddings.create(request);
    const asFloats = await client.embeddings.create({ ...request, encoding_format: 'float' });
    expect([...(asBase64.data[1]?.embedding ?? [])]).toEqual(asFloats.data[1]?.embedding);
    expect(asFloats.usage).toEqual(expectedUsage(request));
    expect(asFloats.model).toBe(request.model);
  });

  test('moderate each input', async () => {
    const verdict = await client.moderations.create({ input: ['a flower', 'violence!'] });
    expect(verdict.results.map((result) => result.flagged)).toEqual([false, true]);
  });

  test('list models and retrieve one', async () => {
    const ids = (await itemsOf(client.models.list())).map((model) => model.id);
    expect(ids).toContain('gpt-4o-mini');
    expect(await client.models.retrieve('gpt-4o-mini')).toMatchObject({ object: 'model' });
  });
});

describe('an error raised by the OpenAI SDK', () => {
  test('for the key is an AuthenticationError with code and request id', async () => {
    const stranger = client.withOptions({ apiKey: 'sk-bad' });
    const error = await failureOf(stranger.chat.completions.create(chat));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'gateway_error' });
    if (!(error instanceof APIError)) throw error;
    expect(error.message).toContain(`(request id: ${error.requestID})`);
  });

  test('for missing permission is a PermissionDeniedError', async () => {
    const limited = await site.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    const bound = client.withOptions({ apiKey: limited.key });
    const error = await failureOf(bound.chat.completions.create(chat));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error).toMatchObject({ code: 'model_not_allowed', param: 'model' });
  });

  test('for an invalid request is a BadRequestError that names the field', async () => {
    const error = await failureOf(client.chat.completions.create({ ...chat, messages: [] }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'messages', code: 'invalid_value' });
  });

  test('of the upstream keeps its class and message', async () => {
    site.upstream.script('context-length');
    const error = await failureOf(client.chat.completions.create(chat));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'messages', code: 'context_length_exceeded' });
  });

  test('for a rate limit is a RateLimitError with the seconds to wait', async () => {
    const limited = await site.addToken({ rate_limit_enabled: true, rate_limit_count: 1 });
    const bound = client.withOptions({ apiKey: limited.key });
    await bound.chat.completions.create(chat);
    const error = await failureOf(bound.chat.completions.create(chat));
    expect(error).toBeInstanceOf(RateLimitError);
    if (!(error instanceof APIError)) throw error;
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
  });

  test('for an unknown model in the list is a NotFoundError', async () => {
    const error = await failureOf(client.models.retrieve('no/such model'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found' });
  });

  test('for a model that no channel has is a NotFoundError', async () => {
    const unknown = await failureOf(client.chat.completions.create({ ...chat, model: 'nope' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test('for an unhealthy upstream is an InternalServerError', async () => {
    site.upstream.script('reset-before-headers');
    const broken = await failureOf(client.chat.completions.create(chat));
    expect(broken).toBeInstanceOf(InternalServerError);
    expect(broken).toMatchObject({ status: 502, code: 'do_request_failed' });
  });

  test('before the first frame of a stream keeps its status', async () => {
    site.upstream.script('status:429');
    const error = await failureOf(client.chat.completions.create({ ...chat, stream: true }));
    expect(error).toBeInstanceOf(RateLimitError);
  });

  test('in the middle of a stream is raised after the content before it', async () => {
    site.upstream.script('error-mid-stream:4');
    const stream = await client.chat.completions.create({ ...chat, stream: true });
    const seen: string[] = [];
    const reading = async () => {
      for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? '');
    };
    expect(await failureOf(reading())).toBeInstanceOf(APIError);
    expect(seen.join('')).not.toBe('');
    expect(expectedAnswer(chat).texts[0]).toContain(seen.join(''));
  });

  test('for a gateway that disconnects is an APIConnectionError', async () => {
    const other = await aSite({ config: { drainTimeoutMs: 0, clientGraceMs: 0 } });
    other.upstream.setDefault('hold');
    const lonely = client.withOptions({ apiKey: other.token.key, baseURL: `${other.url}/v1` });
    const waiting = failureOf(lonely.chat.completions.create(chat));
    await other.upstream.until((stats) => stats.openCalls === 1);
    await other.close();
    expect(await waiting).toBeInstanceOf(APIConnectionError);
    const refused = await failureOf(lonely.chat.completions.create(chat));
    expect(refused).toBeInstanceOf(APIConnectionError);
  });
});

describe('an SDK client that stops early', () => {
  test('and aborts gets an abort error, the upstream is aborted, and nothing is charged', async () => {
    const owner = await site.addUser();
    const { key } = await site.addToken({ owner });
    const bound = client.withOptions({ apiKey: key });
    site.upstream.script('hang-headers');
    const leaving = new AbortController();
    const waiting = failureOf(bound.chat.completions.create(chat, { signal: leaving.signal }));
    await site.upstream.until((stats) => stats.openCalls === 1);
    leaving.abort();
    expect(await waiting).toBeInstanceOf(APIUserAbortError);
    site.upstream.script('hang-headers');
    const hurried = failureOf(bound.chat.completions.create(chat, { timeout: 50 }));
    expect(await hurried).toBeInstanceOf(APIConnectionTimeoutError);
    expect(await site.chargesOf(owner.id)).toEqual([]);
  });

  test('and leaves a stream by `break` pays for what was delivered', async () => {
    const owner = await site.addUser();
    const { key } = await site.addToken({ owner });
    const stream = await client
      .withOptions({ apiKey: key })
      .chat.completions.create({ ...chat, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    const [charge] = await eventually('the call is charged', async () => {
      const charges = await site.chargesOf(owner.id);
      return charges.length > 0 && charges;
    });
    expect(charge?.user_units).toBeLessThan(0);
  });
});

describe('retries by the SDK', () => {
  test('are separate calls: failed ones are free, the answered one is charged once', async () => {
    const owner = await site.addUser();
    const { key } = await site.addToken({ owner });
    const patient = client.withOptions({ apiKey: key, maxRetries: 3 });
    site.upstream.script('status:503', 'rate-limit-ms:1');
    const answer = await patient.chat.completions.create(chat);
    expect(site.upstream.stats).toMatchObject({ calls: 3, refused: 2, servedInFull: 1 });
    const charges = await site.chargesOf(owner.id);
    expect(charges.map((charge) => charge.key)).toEqual([`call:${answer._request_id}`]);
  });
});
