/** Calls without a limit whose full answer exceeds the balance (option MissingMaxTokens). */
import { afterEach, describe, expect, test } from 'vitest';
import { OPERATOR } from '../../support/site.ts';
import type { Json } from '../../system/pitfalls/pitfall-site.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { addTenant } from '../tenant.ts';

const { site, raw } = await rawSite();
afterEach(() => site.option('MissingMaxTokens', 'cap'));

/** Size of every body here: with the vendor's overhead, the hold for the prompt is 580 units. */
const BYTES = 400;
const PROMPT_UNITS = 580;
const RATIO = 4;
const PAID_FOR = 1_000;
const MESSAGES = [{ role: 'user', content: 'Hi' }];
const usage = { prompt_tokens: 5, completion_tokens: 8, total_tokens: 13 };
const CHAT = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage,
};
const TEXT = { choices: [{ index: 0, text: 'Hi.', finish_reason: 'stop' }], usage };
const GEMINI = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 8, totalTokenCount: 13 },
};
const CLAUDE = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi.' }],
  usage: { input_tokens: 5, output_tokens: 8 },
};
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 5, output_tokens: 8, total_tokens: 13 },
};

interface Way {
  readonly path?: (model: string) => string;
  readonly body: object;
  readonly answer: object;
  readonly type?: number;
  readonly model?: string;
  readonly passes?: boolean;
  readonly limitIn: (sent: Json) => unknown;
}

const chat = { body: { messages: MESSAGES }, answer: CHAT } as const;
const geminiPath = (model: string) => `/v1beta/models/${model}:generateContent`;
const gemini = { path: geminiPath, body: { contents: [{ parts: [{ text: 'Hi' }] }] } } as const;

const WAYS: readonly (readonly [string, Way])[] = [
  ['chat', { ...chat, limitIn: ({ max_tokens }) => max_tokens }],
  ['chat that passes', { ...chat, passes: true, limitIn: ({ max_tokens }) => max_tokens }],
  [
    'chat with a model that knows the newer name',
    { ...chat, model: 'gpt-5-nano', limitIn: ({ max_completion_tokens: limit }) => limit },
  ],
  [
    'chat that passes, with such a model',
    { ...chat, passes: true, model: 'gpt-5-nano', limitIn: (sent) => sent.max_completion_tokens },
  ],
  [
    'completions',
    {
      path: () => '/v1/completions',
      body: { prompt: 'Hi' },
      answer: TEXT,
      limitIn: ({ max_tokens }) => max_tokens,
    },
  ],
  [
    'Responses',
    {
      path: () => '/v1/responses',
      body: { input: 'Hi' },
      answer: RESPONSE,
      limitIn: ({ max_output_tokens }) => max_output_tokens,
    },
  ],
  [
    'chat over Anthropic',
    { ...chat, answer: CLAUDE, type: 14, limitIn: (sent) => sent.max_tokens },
  ],
  [
    'chat over Gemini',
    { ...chat, answer: GEMINI, type: 24, limitIn: (sent) => sent.generationConfig.maxOutputTokens },
  ],
  ['Gemini over chat', { ...gemini, answer: CHAT, limitIn: (sent) => sent.max_tokens }],
  [
    'Gemini over Gemini',
    {
      ...gemini,
      answer: GEMINI,
      type: 24,
      limitIn: (sent) => sent.generationConfig.maxOutputTokens,
    },
  ],
];

async function send(way: Way, limits: { quota: number; tokenLimit?: number }, extra: object = {}) {
  const { path, body, answer, type = 1, model: upstreamModel, passes = false } = way;
  const one = await addTenant(site, {
    price: { ratio: '1', completion: String(RATIO) },
    channel: { type, base_url: raw.url, setting: { pass_through_body_enabled: passes } },
    ...(upstreamModel === undefined ? {} : { upstreamModel }),
    ...limits,
  });
  raw.requests.length = 0;
  raw.answer = whole(answer);
  const rawBody = JSON.stringify({ model: one.model, ...body, ...extra }).padEnd(BYTES);
  const target = path === undefined ? {} : { path: path(one.model) };
  const got = await site.call({ ...target, key: one.token.key, rawBody });
  const sent = raw.requests.at(-1)?.body;
  return {
    ...got,
    one,
    rawBody,
    sent: sent === undefined ? undefined : JSON.parse(sent),
    plain: sent,
  };
}

describe('a missing max_tokens is capped', () => {
  test.each(WAYS)('%s: the upstream limit is what the balance pays for', async (_name, way) => {
    const quota = PROMPT_UNITS + PAID_FOR * RATIO;
    const { status, sent, headers, one } = await send(way, { quota });
    expect(status).toBe(200);
    expect(way.limitIn(sent)).toBe(PAID_FOR);
    expect(headers['x-gateway-max-tokens']).toBe(String(PAID_FOR));
    expect(await one.bill()).toMatchObject({ held: { open: 0 }, ledgerAgrees: true });
  });

  test("by the token's limit as well, and equally for several answers", async () => {
    const limits = { quota: 10_000_000, tokenLimit: PROMPT_UNITS + 2 * PAID_FOR * RATIO };
    const { sent } = await send(WAYS[0]?.[1] as Way, limits, { n: 2 });
    expect(sent.max_tokens).toBe(PAID_FOR);
  });

  test('only if the balance does not cover a full answer: otherwise the bytes are unchanged', async () => {
    const { plain, rawBody, headers } = await send(
      { ...chat, passes: true, model: undefined, limitIn: () => 0 } as Way,
      { quota: 100_000_000, tokenLimit: 100_000_000 },
    );
    expect(plain).toBe(rawBody);
    expect(headers).not.toHaveProperty('x-gateway-max-tokens');
  });

  test('and the call refused below 256 tokens', async () => {
    const { status, one } = await send(chat as unknown as Way, {
      quota: PROMPT_UNITS + 256 * RATIO - 1,
    });
    expect([status, raw.requests.length]).toEqual([402, 0]);
    expect((await one.bill()).spent.user).toBe(0);
    expect((await send(chat as unknown as Way, { quota: PROMPT_UNITS + 256 * RATIO })).status).toBe(
      200,
    );
  });
});

test('a missing max_tokens is refused when configured', async () => {
  await site.option('MissingMaxTokens', 'refuse');
  const full = PROMPT_UNITS + 32_768 * RATIO;
  const way = chat as unknown as Way;
  expect((await send(way, { quota: full - 1 })).status).toBe(402);
  const { status, sent } = await send(way, { quota: full });
  expect([status, sent.max_tokens]).toEqual([200, undefined]);
});

test('a missing max_tokens is accepted when configured, holding the prompt and PreConsumedQuota', async () => {
  await site.option('MissingMaxTokens', 'trust');
  const way = chat as unknown as Way;
  expect((await send(way, { quota: PROMPT_UNITS - 1 })).status).toBe(402);
  const { status, sent } = await send(way, { quota: PROMPT_UNITS });
  expect([status, sent.max_tokens]).toEqual([200, undefined]);
});

test('a configured output limit precedes the built-in one', async () => {
  await site.option('ModelOutputLimits', { default: 300 });
  const { status, sent } = await send(chat as unknown as Way, {
    quota: PROMPT_UNITS + 300 * RATIO,
  });
  await site.option('ModelOutputLimits', {});
  expect([status, sent.max_tokens]).toEqual([200, undefined]);
});

test('a hold includes a schema, whichever field contains it', async () => {
  const schema = { type: 'object', properties: { word: { description: 'word '.repeat(60_000) } } };
  const format = { type: 'json_schema', json_schema: { name: 'words', schema } };
  const extra = { response_format: format, max_tokens: 10 };
  expect((await send(chat as unknown as Way, { quota: 300_000 }, extra)).status).toBe(402);
});

test('output above the limit is charged in full and reported to admins', async () => {
  const far = { ...usage, completion_tokens: 5_000, total_tokens: 5_005 };
  const way = { ...chat, answer: { ...CHAT, usage: far } } as unknown as Way;
  const { requestId, one } = await send(way, { quota: 10_000 }, { max_tokens: 10 });
  const units = 5 + 5_000 * RATIO;
  const beyond = units - (PROMPT_UNITS + 10 * RATIO);
  expect((await one.bill()).spent.user).toBe(units);
  const log = await site.logOf(requestId);
  expect(JSON.parse(log?.other ?? '')).toMatchObject({ over_allowed: beyond });
  const own = await site.as(one.user.actor).ledger.explain({ request_id: requestId });
  expect(own).toMatchObject({ logs: [{ quota: units }], ledger: [{ user_units: -units }] });
  expect(JSON.stringify(own)).not.toContain('over_allowed');
  const all = await site.as(OPERATOR).ledger.explain({ request_id: requestId });
  expect(all.price).toMatchObject({ over_allowed: beyond });
});
