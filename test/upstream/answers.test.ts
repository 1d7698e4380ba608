import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sampleOf } from './content/schema-sample.ts';
import { expectedAnswer, expectedUsage } from './content/usage.ts';
import { type FakeUpstream, startFakeUpstream } from './server.ts';
import {
  type Asked,
  type Body,
  bodyIn,
  CHAT,
  chunksIn,
  contentIn,
  eventsIn,
  STREAM,
  see,
} from './wire.ts';

let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
beforeEach(() => upstream.reset());
afterAll(() => upstream.close());

async function ask(body: unknown, asked: Asked = {}): Promise<Body> {
  return bodyIn((await see(upstream.url, { ...asked, body })).text);
}

async function stream(body: unknown, asked: Asked = {}): Promise<Body[]> {
  return chunksIn((await see(upstream.url, { ...asked, body })).text);
}

describe('a stream', () => {
  test('goes role, text, finish, usage, [DONE], with usage null until then', async () => {
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

  test('has no usage field at all when none was asked for', async () => {
    const chunks = await stream({ ...CHAT, stream: true });
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  test('interleaves n choices, each with its own wording', async () => {
    const chunks = await stream({ ...STREAM, n: 3 });
    const texts = [0, 1, 2].map((index) => contentIn(chunks, index));
    expect(texts).toEqual(expectedAnswer({ ...STREAM, n: 3 }).texts);
    expect(new Set(texts).size).toBe(3);
    expect(chunks.slice(3, 9).map((chunk) => chunk.choices[0]?.index)).toEqual([0, 1, 2, 0, 1, 2]);
  });

  test('tells reasoning first and counts it', async () => {
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

  test('carries a log probability for each token', async () => {
    const chunks = await stream({ ...STREAM, logprobs: true, top_logprobs: 2 });
    const [word] = chunks[1]?.choices ?? [];
    expect(word?.logprobs).toMatchObject({
      content: [{ token: word?.delta?.content, top_logprobs: [{}, {}] }],
    });
  });

  test('streams a legacy function call in its old field', async () => {
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

describe('a plain answer', () => {
  test.each([
    ['max_tokens', { max_tokens: 3 }],
    ['max_completion_tokens', { max_completion_tokens: 3 }],
  ])('is cut by %s and says so', async (_name, limit) => {
    const body = { ...CHAT, ...limit };
    const answer = await ask(body);
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage?.completion_tokens).toBe(3);
    expect(answer.usage).toEqual(expectedUsage(body));
  });

  test('ends before the first stop sequence', async () => {
    const answer = await ask({ ...CHAT, stop: ['there', 'nowhere'] });
    expect(answer.choices[0]?.message?.content).toBe('You said: Hello ');
    expect(answer.choices[0]?.finish_reason).toBe('stop');
  });

  test('changes its words with the seed, and with nothing else', async () => {
    const first = await ask({ ...CHAT, seed: 1 });
    expect(await ask({ ...CHAT, seed: 1 })).toEqual(first);
    expect((await ask({ ...CHAT, seed: 2 })).choices).not.toEqual(first.choices);
  });

  test('tells cached tokens for models whose name says so', async () => {
    const body = { ...CHAT, model: 'gpt-4o-cached' };
    const usage = expectedUsage(body);
    expect(usage.prompt_tokens_details?.cached_tokens).toBe(Math.floor(usage.prompt_tokens / 2));
    expect((await ask(body)).usage).toEqual(usage);
  });

  test('refuses in the refusal field on command', async () => {
    const answer = await ask({ ...CHAT, model: 'gpt-4o-mini+refusal' });
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

  test('counts legacy prompts of every form', async () => {
    const forms = [['a text', 'another'], [1, 2, 3], [[1, 2], [3]], 'plain'];
    for (const prompt of forms) {
      const body = { model: 'gpt-3.5-turbo-instruct', prompt, n: 2, echo: true, logprobs: 1 };
      const answer = await ask(body, { path: '/v1/completions' });
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

  test('starts its stream with filter results that belong to no completion', async () => {
    const [first, second] = await stream({ ...STREAM, model: undefined }, { path });
    expect(first).toMatchObject({ choices: [], id: '', model: '', prompt_filter_results: [{}] });
    expect(second).toMatchObject({ model: 'my-gpt', choices: [{ content_filter_results: {} }] });
  });

  test('sends late verdicts without a delta on command', async () => {
    const chunks = await stream(STREAM, { path, headers: { 'x-fake-plan': 'async-filter' } });
    const late = chunks.filter((chunk) => chunk.choices.some((choice) => !choice.delta));
    expect(late).toMatchObject([{ id: '', choices: [{ content_filter_offsets: {} }] }]);
  });

  test('wants an api-version and words its key errors its own way', async () => {
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

  test('takes a plan from the name of the deployment', async () => {
    const planned = path.replace('my-gpt', 'my-gpt%2Bstatus:418');
    const seen = await see(upstream.url, { path: planned, body: { ...CHAT, model: undefined } });
    expect(seen.status).toBe(418);
  });
});

describe('paths', () => {
  test.each([
    '/chat/completions',
    '/v1/chat/completions',
    '/api/paas/v4/chat/completions',
    '/api/v3/chat/completions',
    '/compatible-mode/v1/chat/completions',
    '/openai/v1/chat/completions',
  ])('%s is a chat', async (path) => {
    expect((await ask(CHAT, { path })).object).toBe('chat.completion');
  });

  test.each([
    ['/v1/v1/chat/completions', 404, 'unknown_url'],
    ['/v1/nothing', 404, 'unknown_url'],
    ['/v1/models', 405, 'method_not_supported'],
  ])('POST %s is refused with %i %s', async (path, status, code) => {
    const seen = await see(upstream.url, { path, body: CHAT });
    expect([seen.status, bodyIn(seen.text).error?.code]).toEqual([status, code]);
  });

  test('the balance pages tell one account', async () => {
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
  ])('a body with %s is a 400 that names the field', async (_name, body, param) => {
    const seen = await see(upstream.url, { body });
    expect([seen.status, bodyIn(seen.text).error?.param ?? undefined]).toEqual([400, param]);
  });
});

test('a body that is no JSON is a 400', async () => {
  const seen = await see(upstream.url, { rawBody: '{"model":' });
  expect([seen.status, bodyIn(seen.text).error?.type]).toEqual([400, 'invalid_request_error']);
});

describe('a schema sample', () => {
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
  ])('of %j is %j', (schema, value) => {
    expect(sampleOf(schema)).toEqual(value);
  });

  test('of a schema that can only go round comes to an end', () => {
    const endless = { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] };
    expect(JSON.stringify(sampleOf(endless))).toContain('null');
  });
});
