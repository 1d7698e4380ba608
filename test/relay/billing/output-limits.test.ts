/** Calls whose longest answer exceeds the balance, with and without a limit (option MissingMaxTokens). */
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, OPERATOR } from '../../support/site.ts';
import type { Json } from '../../system/pitfalls/pitfall-site.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { addTenant } from '../tenant.ts';

const { site, raw } = await rawSite();
afterEach(() => site.option('MissingMaxTokens', 'lower'));

/** Size of every body here: with the vendor's overhead, the hold for the prompt is 580 units. */
const BYTES = 400;
const PROMPT_UNITS = 580;
/** Of these, what is held for a prompt of no tokens. */
const OPENING_UNITS = 80;
const RATIO = 4;
const PAID_FOR = 800;
/** Below 4,096 tokens the prompt is counted, which leaves more for the answer than its bytes do. */
const COUNTED = (PROMPT_UNITS - OPENING_UNITS) / RATIO;
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

/** How a client sends a request, and what its upstream answers. */
interface Sending {
  readonly path?: (model: string) => string;
  readonly body: object;
  readonly answer: object;
  readonly type?: number;
  readonly model?: string;
  readonly passes?: boolean;
}

interface Way extends Sending {
  /** Fields of a request with this limit; default `max_tokens`. */
  readonly limited?: (tokens: number) => object;
  readonly limitIn: (sent: Json) => unknown;
}

const chat = { body: { messages: MESSAGES }, answer: CHAT } as const;
const geminiPath = (model: string) => `/v1beta/models/${model}:generateContent`;
const gemini = {
  path: geminiPath,
  body: { contents: [{ parts: [{ text: 'Hi' }] }] },
  limited: (maxOutputTokens: number) => ({ generationConfig: { maxOutputTokens } }),
} as const;
const messages = { path: () => '/v1/messages', body: { messages: MESSAGES }, type: 14 } as const;

const WAYS: readonly (readonly [string, Way])[] = [
  ['chat', { ...chat, limitIn: ({ max_tokens }) => max_tokens }],
  ['chat that passes', { ...chat, passes: true, limitIn: ({ max_tokens }) => max_tokens }],
  [
    'chat with a model that knows the newer name',
    {
      ...chat,
      model: 'gpt-5-nano',
      limited: (max_completion_tokens) => ({ max_completion_tokens }),
      limitIn: ({ max_completion_tokens: limit }) => limit,
    },
  ],
  [
    'chat with a limit in extra_body',
    {
      ...chat,
      limited: (max_tokens) => ({ extra_body: { max_tokens } }),
      limitIn: ({ max_tokens, extra_body }) => (extra_body?.max_tokens ? 'two limits' : max_tokens),
    },
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
      limited: (max_output_tokens) => ({ max_output_tokens }),
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
  [
    'Messages over Anthropic',
    { ...messages, answer: CLAUDE, limitIn: ({ max_tokens }) => max_tokens },
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

async function send(
  way: Sending,
  limits: { quota: number; tokenLimit?: number },
  extra: object = {},
) {
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

/** Messages require a limit. */
const OPEN_WAYS = WAYS.filter(([name]) => name !== 'Messages over Anthropic');

describe('a missing max_tokens is set', () => {
  test.each(OPEN_WAYS)(
    '%s: the upstream limit is what the balance pays for',
    async (_name, way) => {
      const quota = PROMPT_UNITS + PAID_FOR * RATIO;
      const { status, sent, headers, one } = await send(way, { quota });
      expect(status).toBe(200);
      const limit = Number(way.limitIn(sent));
      expect(limit).toBeGreaterThan(PAID_FOR);
      expect(limit).toBeLessThan(PAID_FOR + COUNTED);
      expect(headers['x-gateway-max-tokens']).toBe(String(limit));
      expect(await one.bill()).toMatchObject({ held: { user: 0, token: 0 } });
    },
  );

  test("by the token's limit as well, and equally for several answers", async () => {
    const limits = { quota: 10_000_000, tokenLimit: PROMPT_UNITS + 2 * PAID_FOR * RATIO };
    const { sent } = await send(chat, limits, { n: 2 });
    expect(sent.max_tokens).toBeGreaterThan(PAID_FOR);
    expect(sent.max_tokens).toBeLessThan(PAID_FOR + COUNTED / 2);
  });

  test('only if the balance does not cover a full answer: otherwise the bytes are unchanged', async () => {
    const { plain, rawBody, headers } = await send(
      { ...chat, passes: true },
      { quota: 100_000_000, tokenLimit: 100_000_000 },
    );
    expect(plain).toBe(rawBody);
    expect(headers).not.toHaveProperty('x-gateway-max-tokens');
  });

  test('and the call refused below 256 tokens', async () => {
    const { status, one } = await send(chat, {
      quota: OPENING_UNITS + 256 * RATIO,
    });
    expect([status, raw.requests.length]).toEqual([402, 0]);
    expect((await one.bill()).spent.user).toBe(0);
    expect((await send(chat, { quota: PROMPT_UNITS + 256 * RATIO })).status).toBe(200);
  });
});

describe("a client's limit is lowered", () => {
  test.each(WAYS)('%s: to what the balance pays for', async (_name, way) => {
    const quota = PROMPT_UNITS + PAID_FOR * RATIO;
    const { limited = (max_tokens: number) => ({ max_tokens }) } = way;
    const { status, sent, headers, one } = await send(way, { quota }, limited(32_000));
    expect(status).toBe(200);
    const limit = Number(way.limitIn(sent));
    expect(limit).toBeGreaterThan(PAID_FOR);
    expect(limit).toBeLessThan(PAID_FOR + COUNTED);
    expect(headers['x-gateway-max-tokens']).toBe(String(limit));
    expect(await one.bill()).toMatchObject({ held: { user: 0, token: 0 } });
  });

  test('to a quarter of the balance, if that pays for at least 4,096 tokens', async () => {
    const quota = 4 * (PROMPT_UNITS + 6_000 * RATIO);
    expect((await send(chat, { quota }, { max_tokens: 20_000 })).sent.max_tokens).toBe(6_000);
    const small = 2 * (PROMPT_UNITS + 4_096 * RATIO);
    expect((await send(chat, { quota: small }, { max_tokens: 20_000 })).sent.max_tokens).toBe(
      4_096,
    );
  });

  test('only where it takes more than a quarter: otherwise the bytes are unchanged', async () => {
    const way = { ...chat, passes: true };
    const quota = 4 * (PROMPT_UNITS + 20_000 * RATIO);
    const { plain, rawBody, headers } = await send(way, { quota }, { max_tokens: 20_000 });
    expect(plain).toBe(rawBody);
    expect(headers).not.toHaveProperty('x-gateway-max-tokens');
  });

  test.each([
    ['a fifth', 5 * 32_000 * RATIO],
    ['more than half', 52_000 * RATIO],
  ])('so that ten calls at once all run, though the first could hold %s', async (_, quota) => {
    const one = await addTenant(site, {
      price: { ratio: '1', completion: String(RATIO) },
      channel: { base_url: raw.url },
      quota,
    });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    raw.answer = async (...parts) => {
      await released;
      return whole(CHAT)(...parts);
    };
    raw.requests.length = 0;
    const call = {
      key: one.token.key,
      body: { model: one.model, messages: MESSAGES, max_tokens: 32_000 },
    };
    const calls = Array.from({ length: 10 }, () => site.call(call));
    await eventually('ten calls', () => raw.requests.length === 10);
    release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await one.bill()).toMatchObject({ held: { user: 0, token: 0 } });
  });

  test('with the budget for thinking, which must be smaller', async () => {
    const quota = PROMPT_UNITS + 5_000 * RATIO;
    const thinking = { type: 'enabled', budget_tokens: 31_999 };
    const way = { ...messages, answer: CLAUDE };
    const fields = { max_tokens: 32_000, thinking };
    const own = await send(way, { quota }, fields);
    expect(own.sent).toMatchObject({ max_tokens: 4_096, thinking: { budget_tokens: 3_072 } });
    const model = 'claude-sonnet-4-5';
    const asChat = { ...chat, answer: CLAUDE, type: 14, model };
    const translated = await send(asChat, { quota }, fields);
    expect(translated.sent).toMatchObject({
      max_tokens: 4_096,
      thinking: { budget_tokens: 3_072 },
    });
    const short = await send(way, { quota: PROMPT_UNITS + PAID_FOR * RATIO }, fields);
    expect(short.sent.max_tokens).toBeLessThan(1_024);
    expect(short.sent).not.toHaveProperty('thinking');
  });

  test('and refused instead when configured', async () => {
    await site.option('MissingMaxTokens', 'refuse');
    const quota = PROMPT_UNITS + PAID_FOR * RATIO;
    const { status } = await send(chat, { quota }, { max_tokens: 32_000 });
    expect(status).toBe(402);
  });
});

describe('uses of vendor tools', () => {
  /** A use costs 5,000 units, and 8,000 tokens of results; ten are assumed without a limit. */
  const FOR_TWO_USES = 60_000;
  const search = { type: 'web_search_20250305', name: 'web_search' };
  const responses = { path: () => '/v1/responses', answer: RESPONSE } as const;
  const asked = { ...responses, body: { input: 'Hi', tools: [{ type: 'web_search' }] } };
  const claude = { ...messages, answer: CLAUDE, body: { ...messages.body, tools: [search] } };
  const WITH_TOOLS: readonly (readonly [string, Sending, object])[] = [
    ['Responses', asked, { max_tool_calls: 2 }],
    ['Messages', claude, { tools: [{ ...search, max_uses: 2 }] }],
    [
      'Responses over Anthropic',
      { ...asked, answer: CLAUDE, type: 14 },
      { tools: [{ max_uses: 2 }] },
    ],
    [
      'Messages over Responses',
      { ...claude, answer: RESPONSE, type: 1, model: 'gpt-5-pro' },
      {
        max_tool_calls: 2,
      },
    ],
  ];

  test.each(WITH_TOOLS)('%s: as many as the balance pays for', async (_, way, expected) => {
    const { status, sent, headers, one, text } = await send(way, { quota: FOR_TWO_USES });
    expect(status, text).toBe(200);
    expect(sent).toMatchObject(expected);
    expect(headers['x-gateway-max-tool-uses']).toBe('2');
    expect(await one.bill()).toMatchObject({ held: { user: 0, token: 0 } });
  });

  const fn = { type: 'function', name: 'f', parameters: { type: 'object' } };
  const besides = { tools: [fn, { type: 'web_search', external_web_access: false }] };
  /** Enough for an answer of 4,096 tokens, but not with a use beside it. */
  const FOR_NO_USE = 24_000;

  test.each([
    ['Responses', { ...asked, body: { input: 'Hi' } }, { tools: [{ name: 'f' }] }],
    [
      'Responses over Anthropic',
      { ...asked, body: { input: 'Hi' }, answer: CLAUDE, type: 14 },
      { tools: [{ name: 'f' }] },
    ],
  ])('%s: none, without the search, where not even one is paid for', async (_, way, expected) => {
    const one = await send(way, { quota: FOR_NO_USE }, besides);
    expect(one.status, one.text).toBe(200);
    expect(one.sent).toMatchObject(expected);
    expect(one.sent.tools).toHaveLength(1);
    expect(one.headers['x-gateway-max-tool-uses']).toBe('0');
    expect(one.sent).not.toHaveProperty('max_tool_calls');
  });

  test.each([
    ['it is the only tool', {}],
    ['the model must use it', { ...besides, tool_choice: { type: 'web_search' } }],
  ])('are at least one where %s', async (_, fields) => {
    const { status, sent, headers } = await send(asked, { quota: FOR_NO_USE }, fields);
    expect(status).toBe(200);
    expect(sent.tools).toContainEqual(expect.objectContaining({ type: 'web_search' }));
    expect(headers['x-gateway-max-tool-uses']).toBe('1');
  });

  test('stay as they are where the balance is ample', async () => {
    const { sent, headers } = await send(asked, { quota: 10_000_000 });
    expect(sent).not.toHaveProperty('max_tool_calls');
    expect(headers).not.toHaveProperty('x-gateway-max-tool-uses');
  });
});

test('a body that is read in slices is counted as well', async () => {
  // Of 160 KB, about 50,000 tokens.
  const content = 'The part that was read. '.repeat(6_700);
  const way = { ...chat, body: { messages: [{ role: 'user', content }] } };
  const { status, sent, text } = await send(way, { quota: 80_000 }, { max_tokens: 20_000 });
  expect(status, text).toBe(200);
  expect(sent.max_tokens).toBeGreaterThanOrEqual(4_096);
});

test('the former name of the option is read as the new one', async () => {
  await site.option('MissingMaxTokens', 'cap');
  expect(site.ctx.options().get('MissingMaxTokens')).toBe('lower');
});

test('a prompt is counted by its tokens before a call is refused', async () => {
  const words = 'the quick brown fox jumps over the lazy dog '.repeat(400);
  const way = { ...chat, body: { messages: [{ role: 'user', content: words }] } };
  // 17,600 bytes of 3,600 tokens.
  const quota = 6_000;
  const { status, one } = await send(way, { quota }, { max_tokens: 300 });
  expect(status).toBe(200);
  expect(await one.bill()).toMatchObject({ held: { user: 0, token: 0 } });
  expect((await send(way, { quota: 4_000 }, { max_tokens: 300 })).status).toBe(402);
  await site.option('MissingMaxTokens', 'refuse');
  expect((await send(way, { quota }, { max_tokens: 300 })).status).toBe(200);
  expect((await send(way, { quota: 4_000 }, { max_tokens: 300 })).status).toBe(402);
});

test('a missing max_tokens is refused when configured', async () => {
  await site.option('MissingMaxTokens', 'refuse');
  const full = PROMPT_UNITS + 32_768 * RATIO;
  expect((await send(chat, { quota: OPENING_UNITS + 32_768 * RATIO })).status).toBe(402);
  const { status, sent } = await send(chat, { quota: full });
  expect([status, sent.max_tokens]).toEqual([200, undefined]);
});

test('a missing max_tokens is accepted when configured, holding the prompt and PreConsumedQuota', async () => {
  await site.option('MissingMaxTokens', 'trust');
  expect((await send(chat, { quota: OPENING_UNITS })).status).toBe(402);
  const { status, sent } = await send(chat, { quota: PROMPT_UNITS });
  expect([status, sent.max_tokens]).toEqual([200, undefined]);
});

test('a configured output limit precedes the built-in one', async () => {
  await site.option('ModelOutputLimits', { default: 300 });
  const { status, sent } = await send(chat, {
    quota: PROMPT_UNITS + 300 * RATIO,
  });
  await site.option('ModelOutputLimits', {});
  expect([status, sent.max_tokens]).toEqual([200, undefined]);
});

test('a hold includes a schema, whichever field contains it', async () => {
  const schema = { type: 'object', properties: { word: { description: 'word '.repeat(60_000) } } };
  const format = { type: 'json_schema', json_schema: { name: 'words', schema } };
  const extra = { response_format: format, max_tokens: 10 };
  expect((await send(chat, { quota: 50_000 }, extra)).status).toBe(402);
});

test('output above the limit is charged in full and reported to admins', async () => {
  const far = { ...usage, completion_tokens: 5_000, total_tokens: 5_005 };
  const way = { ...chat, answer: { ...CHAT, usage: far } };
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
