/** Whole answers in unusual forms, and answers in another form than the client requested. */
import { describe, expect, test } from 'vitest';
import { contentChunk, FINISH, frames } from '../../dialects/frames.ts';
import { type SiteAnswer, UPSTREAM_KEY } from '../../support/site.ts';
import { expectedAnswer } from '../../upstream/content/usage.ts';
import { REFUSAL_STYLES } from '../../upstream/plans/plan.ts';
import { bodyIn, chunksIn, contentIn, directAnswer, eventsIn } from '../../upstream/wire.ts';
import { rawSite } from '../raw-site.ts';
import { eventText, SSE, streamed, whole } from '../raw-upstream.ts';
import { addTenant, PRICE, spareChannel, type Tenant } from '../tenant.ts';
import { tokensOfUsage, unitsOf } from '../units.ts';

const { site, raw, rawTenant } = await rawSite({
  upstreams: 2,
  config: { maxAnswerMb: 2, relayTimeoutMs: 3, streamIdleTimeoutMs: 1 },
});

async function expectCharged(
  tenant: Tenant,
  answer: SiteAnswer,
  extra: object = {},
): Promise<void> {
  const { usage } = expectedAnswer(tenant.body(extra));
  await tenant.expectUsageCharged(answer.requestId, usage);
}

describe('a successful answer in an unusual form', () => {
  test.each([
    'gzip',
    'gzip+split:1',
    'blank-lines:5',
    'blank-lines:3:20',
    'split:1',
    'split-multibyte',
    'slow-body:5:10',
    'delay:50',
    'content-type:text/plain',
    'content-type:text/html',
  ])('%s: the client gets it whole, charged by its usage', async (plan) => {
    const tenant = await addTenant(site);
    tenant.script(plan);
    const answer = await tenant.call();
    const { texts } = expectedAnswer(tenant.body(), plan);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(bodyIn(answer.text).choices[0]?.message?.content).toBe(texts[0]);
    const { usage } = expectedAnswer(tenant.body(), plan);
    expect((await tenant.bill()).spent.user).toBe(unitsOf(tokensOfUsage(usage), PRICE));
  });
});

describe('a failed answer', () => {
  test.each([
    ['huge-body:3', 502, 'upstream_response_too_large'],
    ['gzip+huge-body:8', 502, 'upstream_response_too_large'],
    ['garbage-json', 502, 'bad_response_body'],
    ['truncated-json', 502, 'bad_response_body'],
    ['reset-mid-body', 502, 'do_request_failed'],
    ['hang-headers', 504, 'upstream_timeout'],
    ['early-error:30', 500, null],
  ])('%s: returns status %i and charges nothing', async (plan, status, code) => {
    const tenant = await addTenant(site);
    tenant.script(plan);
    const answer = await tenant.call();
    expect(answer.status).toBe(status);
    if (code !== null) expect(bodyIn(answer.text).error?.code).toBe(code);
    await tenant.expectNothing(answer.requestId);
  });

  test.each([
    ['an empty body', ''],
    ['a number', '42'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"sorry"'],
    ['a page', '<html><title>busy</title></html>'],
  ])('%s with status 200 becomes a 502', async (_what, body) => {
    const tenant = await rawTenant();
    raw.answer = whole(body);
    const answer = await tenant.call();
    expect([answer.status, bodyIn(answer.text).error?.code]).toEqual([502, 'bad_response_body']);
    await tenant.expectNothing(answer.requestId);
  });

  test.each(REFUSAL_STYLES)(
    'the error style %s returns a sentence, and is not charged',
    async (style) => {
      const tenant = await addTenant(site);
      const status = ['baidu', 'minimax', 'tencent', 'inband'].includes(style) ? 200 : 500;
      tenant.script({ refuse: { status, style } });
      for (const extra of [{}, { stream: true }]) {
        tenant.script({ refuse: { status, style } });
        const answer = await tenant.call(extra);
        const { error } = bodyIn(answer.text);
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(String(error?.message).length).toBeGreaterThan(10);
        expect(Object.keys(error ?? {}).sort()).toEqual(['code', 'message', 'param', 'type']);
      }
      await tenant.expectNothing();
    },
  );
});

describe('a stream in reply to a request for a whole answer', () => {
  const WEATHER = {
    type: 'function',
    function: {
      name: 'weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
      },
    },
  };
  const TIME = { type: 'function', function: { name: 'clock', parameters: { type: 'object' } } };
  const REQUESTS: readonly (readonly [string, object, string?])[] = [
    ['text', {}],
    ['three choices', { n: 3, seed: 4 }],
    ['a tool call', { tools: [WEATHER], messages: [{ role: 'user', content: 'call weather' }] }],
    [
      'parallel tool calls of two choices',
      {
        n: 2,
        tools: [WEATHER, TIME],
        messages: [{ role: 'user', content: 'call weather and clock' }],
      },
    ],
    [
      'a custom tool',
      {
        tools: [{ type: 'custom', custom: { name: 'shell' } }],
        messages: [{ role: 'user', content: 'use shell now' }],
      },
    ],
    [
      'a legacy function call',
      { functions: [WEATHER.function], messages: [{ role: 'user', content: 'call weather' }] },
    ],
    ['logprobs', { logprobs: true, top_logprobs: 2 }],
    [
      'structured output',
      {
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'x',
            schema: { type: 'object', properties: { a: { type: 'string' } } },
          },
        },
      },
    ],
    ['an answer cut at its limit', { max_tokens: 4 }],
    ['a refusal', {}, 'refusal'],
    ['a filtered answer', {}, 'content-filter'],
    ['an empty answer', {}, '{"text":""}'],
  ];

  /** The upstream's normal response to the same request. */
  async function wholeAnswer(path: string, body: object, plan: string | undefined) {
    if (plan !== undefined) site.upstream.script(plan);
    const text = JSON.stringify(body);
    const { bytes } = await directAnswer(site.upstream.url, path, UPSTREAM_KEY, text);
    return JSON.parse(bytes.toString());
  }

  function ignored(plan: string | undefined): string {
    if (plan === undefined) return 'json-ignored';
    return plan.startsWith('{')
      ? JSON.stringify({ ...JSON.parse(plan), answerAs: 'stream' })
      : `${plan}+json-ignored`;
  }

  test.each(REQUESTS.map(([what, extra, plan]) => ({ what, extra, plan })))(
    '$what is combined into the same answer',
    async ({ extra, plan }) => {
      const tenant = await addTenant(site);
      const expected = await wholeAnswer('/v1/chat/completions', tenant.body(extra), plan);
      tenant.script(ignored(plan));
      const answer = await tenant.call(extra);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(answer.text)).toEqual(expected);
      expect((await tenant.bill()).charges).toHaveLength(1);
    },
  );

  test('reasoning is combined too', async () => {
    const tenant = await addTenant(site, { suffix: '-reasoner' });
    const expected = await wholeAnswer('/v1/chat/completions', tenant.body(), undefined);
    tenant.script('json-ignored');
    const answer = await tenant.call();
    expect(JSON.parse(answer.text)).toEqual(expected);
    expect(bodyIn(answer.text).choices[0]?.message?.reasoning_content).toContain('The user wants');
    await expectCharged(tenant, answer);
  });

  test('a legacy completion is combined too', async () => {
    const tenant = await addTenant(site);
    const body = { model: tenant.model, prompt: ['one', 'two'], n: 2, logprobs: 1 };
    const expected = await wholeAnswer('/v1/completions', body, undefined);
    tenant.script('json-ignored');
    const answer = await tenant.call({}, { path: '/v1/completions', body });
    expect(JSON.parse(answer.text)).toEqual(expected);
  });

  test.each([
    'json-ignored+gzip',
    'json-ignored+content-type:text/plain',
    'json-ignored+crlf+split:3',
    'json-ignored+no-done',
    'json-ignored+comments+bom',
  ])('%s makes no difference', async (plan) => {
    const tenant = await addTenant(site);
    const expected = await wholeAnswer('/v1/chat/completions', tenant.body(), undefined);
    tenant.script(plan);
    const answer = await tenant.call();
    expect(JSON.parse(answer.text)).toEqual(expected);
    await expectCharged(tenant, answer);
  });

  test('the client sees the name that it requested', async () => {
    const tenant = await addTenant(site, { upstreamModel: 'upstream-name' });
    tenant.script('json-ignored');
    expect(bodyIn((await tenant.call()).text).model).toBe(tenant.model);
  });

  test.each([
    ['error', 500],
    ['reset', 502],
    ['end', 502],
    ['hang', 504],
    ['garbage', 502],
  ] as const)(
    'a stream that breaks (%s) is a failed attempt: another channel answers',
    async (ending, status) => {
      const tenant = await addTenant(site);
      const plan = { answerAs: 'stream', fault: { ending, after: 4 } } as const;
      tenant.script(plan);
      const refused = await tenant.call();
      expect(refused.status).toBe(status);
      await tenant.expectNothing(refused.requestId);
      await spareChannel(tenant);
      await site.option('RetryTimes', 1);
      tenant.script(plan);
      const answer = await tenant.call().finally(() => site.option('RetryTimes', 0));
      expect(bodyIn(answer.text).choices[0]?.message?.content).toBe(
        expectedAnswer(tenant.body()).texts[0],
      );
      expect((await tenant.bill()).charges).toHaveLength(1);
    },
  );

  test('a stream over the answer size limit is a failed attempt', async () => {
    const tenant = await rawTenant();
    const piece = contentChunk('x'.repeat(100_000));
    raw.answer = streamed(...Array.from({ length: 40 }, () => piece), FINISH, '[DONE]');
    const answer = await tenant.call();
    expect([answer.status, bodyIn(answer.text).error?.code]).toEqual([
      502,
      'upstream_response_too_large',
    ]);
    await tenant.expectNothing(answer.requestId);
  });

  test('an upstream that stays open after [DONE] does not delay the client', async () => {
    const tenant = await rawTenant();
    raw.answer = (response) =>
      response
        .writeHead(200, SSE)
        .write([contentChunk('all'), FINISH, '[DONE]'].map(eventText).join(''));
    const answer = await tenant.call();
    expect(bodyIn(answer.text).choices[0]?.message?.content).toBe('all');
  });

  test('reasoning in parts and text beside it stay in order (Mistral)', async () => {
    const tenant = await rawTenant();
    raw.answer = streamed(...frames('mistral/chat-thinking'));
    const answer = await tenant.call();
    const content: unknown = bodyIn(answer.text).choices[0]?.message?.content;
    expect(Array.isArray(content) && content.map((part) => part.type)).toContain('thinking');
    expect(Array.isArray(content) && content.at(-1)).toMatchObject({ type: 'text' });
  });
});

describe('a whole answer in reply to a request for a stream', () => {
  const WITH_USAGE = { stream: true, stream_options: { include_usage: true } } as const;

  test('is sent as chunks, with usage only on request', async () => {
    const tenant = await addTenant(site);
    tenant.script('stream-ignored', 'stream-ignored');
    const silent = await tenant.call({ stream: true });
    const telling = await tenant.call(WITH_USAGE);
    const { usage, texts } = expectedAnswer(tenant.body());
    expect(silent.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(contentIn(chunksIn(silent.text))).toBe(texts[0]);
    expect(silent.text).not.toContain('"usage"');
    expect(eventsIn(silent.text).at(-1)).toBe('[DONE]');
    expect(chunksIn(telling.text).at(-1)).toMatchObject({ choices: [], usage });
    expect(chunksIn(telling.text)[0]).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ delta: { role: 'assistant' }, finish_reason: 'stop' }],
    });
    expect((await tenant.bill()).spent.user).toBe(2 * unitsOf(tokensOfUsage(usage), PRICE));
  });

  test('is sent with every choice and every tool call', async () => {
    const tenant = await addTenant(site);
    const tools = ['a_tool', 'b_tool'].map((name) => ({ type: 'function', function: { name } }));
    tenant.script('stream-ignored');
    const answer = await tenant.call({
      ...WITH_USAGE,
      n: 2,
      tools,
      messages: [{ role: 'user', content: 'a_tool b_tool' }],
    });
    const choices = chunksIn(answer.text).flatMap((chunk) => chunk.choices);
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(choices[1]?.delta?.tool_calls?.map((call) => [call.index, call.type])).toEqual([
      [0, 'function'],
      [1, 'function'],
    ]);
  });

  test('is sent as chunks for a legacy completion too', async () => {
    const tenant = await addTenant(site);
    const body = { model: tenant.model, prompt: 'hello', stream: true };
    tenant.script('stream-ignored');
    const answer = await tenant.call({}, { path: '/v1/completions', body });
    expect(contentIn(chunksIn(answer.text))).toBe(expectedAnswer(body).texts[0]);
    expect(chunksIn(answer.text)[0]).toMatchObject({ object: 'text_completion' });
  });
});
