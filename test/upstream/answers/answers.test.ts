import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sampleOf } from '../content/schema-sample.ts';
import { expectedAnswer, expectedUsage } from '../content/usage.ts';
import { type FakeUpstream, startFakeUpstream } from '../server.ts';
import {
  type Body,
  bodyIn,
  CHAT,
  chunksIn,
  contentIn,
  eventsIn,
  STREAM,
  see,
  type WireRequest,
} from '../wire.ts';

let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
beforeEach(() => upstream.reset());
afterAll(() => upstream.close());

async function send(body: unknown, request: WireRequest = {}): Promise<Body> {
  return bodyIn((await see(upstream.url, { ...request, body })).text);
}

async function stream(body: unknown, request: WireRequest = {}): Promise<Body[]> {
  return chunksIn((await see(upstream.url, { ...request, body })).text);
}

describe('streamed response', () => {
  test('sends role, text, finish reason, usage and [DONE], with null usage until the end', async () => {
    const seen = await see(upstream.url, { body: STREAM });
    const chunks = chunksIn(seen.text);
    expect(seen.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(eventsIn(seen.text).at(-1)).toBe('[DONE]');
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: expectedUsage(STREAM) });
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual(
      chunks.slice(1).map(() => null),
    );
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  });

  test('has no usage field unless usage was requested', async () => {
    const chunks = await stream({ ...CHAT, stream: true });
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  test('interleaves n choices with different texts', async () => {
    const chunks = await stream({ ...STREAM, n: 3 });
    const texts = [0, 1, 2].map((index) => contentIn(chunks, index));
    expect(texts).toEqual(expectedAnswer({ ...STREAM, n: 3 }).texts);
    expect(new Set(texts).size).toBe(3);
    expect(chunks.slice(3, 9).map((chunk) => chunk.choices[0]?.index)).toEqual([0, 1, 2, 0, 1, 2]);
  });

  test('sends reasoning first and counts its tokens', async () => {
    const body = { ...STREAM, model: 'demo-reasoner' };
    const chunks = await stream(body);
    const fields = chunks.flatMap((chunk) =>
      chunk.choices.map((choice) => Object.keys(choice.delta ?? {})[0]),
    );
    expect(fields.indexOf('reasoning_content')).toBeLessThan(fields.indexOf('content', 1));
    const usage = expectedUsage(body);
    expect(usage.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(5);
    expect(chunks.at(-1)?.usage).toEqual(usage);
  });

  test('includes a log probability for each token', async () => {
    const chunks = await stream({ ...STREAM, logprobs: true, top_logprobs: 2 });
    const [word] = chunks[1]?.choices ?? [];
    expect(word?.logprobs).toMatchObject({
      content: [{ token: word?.delta?.content, top_logprobs: [{}, {}] }],
    });
  });

  test('sends a legacy function call in its legacy field', async () => {
    const functions = [
      { name: 'go', parameters: { type: 'object', properties: { far: { type: 'integer' } } } },
    ];
    const chunks = await stream({ ...STREAM, functions, function_call: { name: 'go' } });
    const calls = chunks.flatMap((chunk) =>
      chunk.choices.flatMap((choice) => choice.delta?.function_call ?? []),
    );
    expect(calls[0]).toEqual({ name: 'go', arguments: '' });
    const pieces = calls.map((call) => (call as { arguments: string }).arguments);
    expect(JSON.parse(pieces.join(''))).toEqual({ far: 1 });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('function_call');
  });
});

describe('non-streamed response', () => {
  test.each([
    ['max_tokens', { max_tokens: 3 }],
    ['max_completion_tokens', { max_completion_tokens: 3 }],
  ])('is truncated by %s and reports it', async (_name, limit) => {
    const body = { ...CHAT, ...limit };
    const answer = await send(body);
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage?.completion_tokens).toBe(3);
    expect(answer.usage).toEqual(expectedUsage(body));
  });

  test('ends before the first stop sequence', async () => {
    const answer = await send({ ...CHAT, stop: ['there', 'nowhere'] });
    expect(answer.choices[0]?.message?.content).toBe('You said: Hello ');
    expect(answer.choices[0]?.finish_reason).toBe('stop');
  });

  test('varies its text with the seed and with nothing else', async () => {
    const first = await send({ ...CHAT, seed: 1 });
    expect(await send({ ...CHAT, seed: 1 })).toEqual(first);
    expect((await send({ ...CHAT, seed: 2 })).choices).not.toEqual(first.choices);
  });

  test('reports cached tokens for models whose name requests them', async () => {
    const body = { ...CHAT, model: 'gpt-4o-cached' };
    const usage = expectedUsage(body);
    expect(usage.prompt_tokens_details?.cached_tokens).toBe(Math.floor(usage.prompt_tokens / 2));
    expect((await send(body)).usage).toEqual(usage);
  });

  test('refuses in the refusal field on request', async () => {
    const answer = await send({ ...CHAT, model: 'gpt-4o-mini+refusal' });
    expect(answer.choices[0]?.message).toMatchObject({
      content: null,
      refusal: expect.any(String),
    });
    const chunks = await stream({ ...STREAM, model: 'gpt-4o-mini+refusal' });
    const words = chunks.flatMap((chunk) =>
      chunk.choices.map((choice) => choice.delta?.refusal ?? ''),
    );
    expect(words.join('')).toBe(answer.choices[0]?.message?.refusal);
  });

  test('counts the tokens of every form of legacy prompt', async () => {
    const forms = [['a text', 'another'], [1, 2, 3], [[1, 2], [3]], 'plain'];
    for (const prompt of forms) {
      const body = { model: 'gpt-3.5-turbo-instruct', prompt, n: 2, echo: true, logprobs: 1 };
      const answer = await send(body, { path: '/v1/completions' });
      expect(answer.usage).toEqual(expectedUsage(body));
      const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? 2 : 1;
      expect(answer.choices).toHaveLength(prompts * 2);
      expect(answer.choices.map((choice) => choice.index)).toEqual([...answer.choices.keys()]);
    }
    expect(expectedUsage({ prompt: [[1, 2], [3]] }).prompt_tokens).toBe(3);
  });
});

describe('Azure', () => {
  const path = '/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21';

  test('starts a stream with prompt filter results that belong to no completion', async () => {
    const [first, second] = await stream({ ...STREAM, model: undefined }, { path });
    expect(first).toMatchObject({ choices: [], id: '', model: '', prompt_filter_results: [{}] });
    expect(second).toMatchObject({ model: 'my-gpt', choices: [{ content_filter_results: {} }] });
  });

  test('sends late filter results without a delta on request', async () => {
    const chunks = await stream(STREAM, { path, headers: { 'x-fake-plan': 'async-filter' } });
    const late = chunks.filter((chunk) => chunk.choices.some((choice) => !choice.delta));
    expect(late).toMatchObject([{ id: '', choices: [{ content_filter_offsets: {} }] }]);
  });

  test('requires an api-version and has its own message for key errors', async () => {
    const bare = await see(upstream.url, { path: path.split('?')[0] ?? '', body: CHAT });
    expect([bare.status, bodyIn(bare.text).error?.code]).toEqual([404, '404']);
    const guarded = await startFakeUpstream({ keys: ['right'] });
    const denied = await see(guarded.url, { path, body: CHAT, headers: { 'api-key': 'wrong' } });
    const allowed = await see(guarded.url, { path, body: CHAT, headers: { 'api-key': 'right' } });
    await guarded.close();
    expect([denied.status, bodyIn(denied.text).error?.code, allowed.status]).toEqual([
      401,
      '401',
      200,
    ]);
  });

  test('reads a plan from the deployment name', async () => {
    const planned = path.replace('my-gpt', 'my-gpt%2Bstatus:418');
    const seen = await see(upstream.url, { path: planned, body: { ...CHAT, model: undefined } });
    expect(seen.status).toBe(418);
  });
});

describe('request paths', () => {
  test.each([
    '/chat/completions',
    '/v1/chat/completions',
    '/api/paas/v4/chat/completions',
    '/api/v3/chat/completions',
    '/compatible-mode/v1/chat/completions',
    '/openai/v1/chat/completions',
  ])('%s is a chat completion', async (path) => {
    expect((await send(CHAT, { path })).object).toBe('chat.completion');
  });

  test.each([
    ['/v1/v1/chat/completions', 404, 'unknown_url'],
    ['/v1/nothing', 404, 'unknown_url'],
    ['/v1/models', 405, 'method_not_supported'],
  ])('POST %s returns %i %s', async (path, status, code) => {
    const seen = await see(upstream.url, { path, body: CHAT });
    expect([seen.status, bodyIn(seen.text).error?.code]).toEqual([status, code]);
  });

  test('the billing endpoints describe one account', async () => {
    const page = async (path: string) => bodyIn((await see(upstream.url, { path })).text);
    const granted = await page('/v1/dashboard/billing/subscription');
    const used = await page(
      '/v1/dashboard/billing/usage?start_date=2025-01-01&end_date=2025-02-01',
    );
    expect(Number(granted.hard_limit_usd) - Number(used.total_usage) / 100).toBe(75);
    expect(await page('/dashboard/billing/credit_grants')).toMatchObject({ total_available: 75 });
  });

  test.each([
    ['no model', { messages: CHAT.messages }, 'model'],
    ['no messages', { model: 'gpt-4o' }, 'messages'],
    ['a bad n', { ...CHAT, n: 0 }, 'n'],
  ])('a body with %s returns 400 and names the field', async (_name, body, param) => {
    const seen = await see(upstream.url, { body });
    expect([seen.status, bodyIn(seen.text).error?.param ?? undefined]).toEqual([400, param]);
  });
});

test('returns 400 for an invalid JSON body', async () => {
  const seen = await see(upstream.url, { rawBody: '{"model":' });
  expect([seen.status, bodyIn(seen.text).error?.type]).toEqual([400, 'invalid_request_error']);
});

describe('JSON Schema sample', () => {
  test.each([
    [{ type: 'number', exclusiveMinimum: 3, multipleOf: 2.5 }, 5],
    [{ type: 'string', format: 'date-time' }, '2025-01-02T03:04:05Z'],
    [{ type: ['string', 'null'], maxLength: 3 }, 'val'],
    [
      { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { type: 'boolean' } } }] },
      { a: 1, b: true },
    ],
    [{ $ref: '#/$defs/x', $defs: { x: { enum: ['first', 'second'] } } }, 'first'],
    ['not a schema', {}],
  ])('for %j is %j', (schema, value) => {
    expect(sampleOf(schema)).toEqual(value);
  });

  test('for an endlessly recursive schema terminates', () => {
    const endless = { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] };
    expect(JSON.stringify(sampleOf(endless))).toContain('null');
  });
});
