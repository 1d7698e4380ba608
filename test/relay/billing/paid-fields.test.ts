/** Fields with which an upstream adds input, searches or other models: held, priced or removed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { addRow, addTenant, PRICE, type Tenant } from '../tenant.ts';
import { unitsOf } from '../units.ts';

const { site, raw } = await rawSite();

const OPENROUTER = 20;
const USED = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const choices = [
  { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' },
];

function tenantAt(type: number, quota?: number): Promise<Tenant> {
  const channel = { type, base_url: raw.url };
  return addTenant(site, { channel, ownPrice: true, ...(quota && { quota }) });
}

function sentBody() {
  return JSON.parse(raw.requests.at(-1)?.body ?? '');
}

const CHOOSING = {
  models: ['openai/gpt-5-pro'],
  route: 'fallback',
  preset: 'mine',
  provider: { order: ['dear'], sort: 'throughput', data_collection: 'deny' },
  plugins: [{ id: 'web', max_results: 10 }, { id: 'auto-router' }],
};

test('fields that choose a model or a host are not sent, and the log names them', async () => {
  const tenant = await tenantAt(OPENROUTER);
  raw.answer = whole({ choices, usage: USED });
  const answer = await tenant.call({ ...CHOOSING, top_k: 4 });
  expect(answer.status, answer.text).toBe(200);
  const sent = sentBody();
  expect(Object.keys(sent)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(models|route|preset)$/)]),
  );
  expect(sent).toMatchObject({
    provider: { data_collection: 'deny' },
    plugins: [{ id: 'web', max_results: 10 }],
    top_k: 4,
  });
  expect(sent.provider).toEqual({ data_collection: 'deny' });
  await tenant.bill();
  const log = await site.logOf(answer.requestId);
  expect(JSON.parse(log?.other ?? '').fields_removed).toEqual(Object.keys(CHOOSING));
});

test('they are removed where bodies pass through, and on Messages as well', async () => {
  await site.option('global.pass_through_request_enabled', true);
  const tenant = await tenantAt(14);
  raw.answer = whole({
    ...{ type: 'message', role: 'assistant', stop_reason: 'end_turn' },
    ...{ content: [{ type: 'text', text: 'Hi' }], usage: { input_tokens: 9, output_tokens: 2 } },
  });
  const body = { ...tenant.body({ max_tokens: 9 }), fallbacks: [{ model: 'claude-opus-5' }] };
  const answer = await tenant.call({}, { path: '/v1/messages', body });
  expect(answer.status, answer.text).toBe(200);
  expect(sentBody()).not.toHaveProperty('fallbacks');
  await site.option('global.pass_through_request_enabled', false);
});

/** What each field may add: searches at 10 USD per 1,000, or 20 at OpenRouter. */
const SEARCHES: readonly [string, number, object, number][] = [
  ['the plugin of OpenRouter', OPENROUTER, { plugins: [{ id: 'web', max_results: 10 }] }, 2 * 20],
  ['web_search_options of OpenAI', 1, { web_search_options: {} }, 10],
];

test.each(SEARCHES)('%s is charged though no search is reported', async (_, type, extra, usd) => {
  const tenant = await tenantAt(type);
  raw.answer = whole({ choices, usage: USED });
  const answer = await tenant.call({ ...extra, max_tokens: 5 });
  expect(answer.status, answer.text).toBe(200);
  const { spent } = await tenant.bill();
  expect(spent.user).toBe(
    Math.round(unitsOf({ input: 10, output: 5 }, PRICE) + (usd / 1000) * 500_000),
  );
});

test.each([
  ['OpenRouter', { server_tool_use: { web_search_requests: 3 } }],
  ['Perplexity', { num_search_queries: 3 }],
  ['xAI', { num_sources_used: 3 }],
  ['Alibaba', { plugins: { search: { count: 3 } } }],
])('searches that %s reports are charged', async (_name, reported) => {
  const tenant = await tenantAt(1);
  await addRow(site, 'WebSearchPrice', tenant.model, 12);
  raw.answer = whole({ choices, usage: { ...USED, ...reported } });
  const answer = await tenant.call({ enable_search: true, max_tokens: 5 });
  expect(answer.status, answer.text).toBe(200);
  const { spent } = await tenant.bill();
  expect(spent.user).toBe(Math.round(unitsOf({ input: 10, output: 5 }, PRICE) + 0.036 * 500_000));
});

/** Each lets the upstream add input, which 8,000 units do not cover. */
const READING: readonly [string, object][] = [
  ['/v1/messages', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'a' }] }],
  ['/v1/messages', { container: 'c_1' }],
  ['/v1/chat/completions', { enable_search: true }],
  ['/v1/chat/completions', { search_parameters: { mode: 'on' } }],
  ['/v1/chat/completions', { plugins: [{ id: 'web' }] }],
  ['/v1/chat/completions', { web_search: { enable: true } }],
  [
    '/v1/chat/completions',
    { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
  ],
];

test.each(READING)('%s with %j is held for the input that it adds', async (path, extra) => {
  const tenant = await tenantAt(path === '/v1/messages' ? 14 : 1, 8_000);
  const before = raw.requests.length;
  const answer = await tenant.call({}, { path, body: tenant.body({ ...extra, max_tokens: 5 }) });
  expect([402, 403], answer.text).toContain(answer.status);
  expect(raw.requests).toHaveLength(before);
  await tenant.expectNothing();
});

test('the compound models of Groq are held for their searches, other models are not', async () => {
  for (const [model, status] of [
    ['groq/compound', 403],
    ['llama-3.3-70b-versatile', 200],
  ] as const) {
    const tenant = await addTenant(site, {
      channel: { type: 1001, base_url: raw.url },
      ...{ upstreamModel: model, quota: 20_000 },
    });
    raw.answer = whole({ choices, usage: USED });
    const answer = await tenant.call({ max_tokens: 5 });
    expect(answer.status === 402 ? 403 : answer.status, answer.text).toBe(status);
  }
});

test('a switch that is off holds nothing', async () => {
  const tenant = await tenantAt(1, 20_000);
  raw.answer = whole({ choices, usage: USED });
  const off = { enable_search: false, search_parameters: { mode: 'off' }, plugins: [] };
  const answer = await tenant.call({ ...off, web_search: { enable: false }, max_tokens: 5 });
  expect(answer.status, answer.text).toBe(200);
});

describe('searches of a vendor tool, where nothing is lowered', () => {
  /** Ten searches cost more than this, one does not. */
  const FEW_UNITS = 60_000;
  beforeAll(() => site.option('MissingMaxTokens', 'refuse'));
  afterAll(() => site.option('MissingMaxTokens', 'lower'));
  const SEARCHED = { input: 'Hi', tools: [{ type: 'web_search' }], max_output_tokens: 5 };
  const RESPONSE = {
    ...{ id: 'resp_1', object: 'response', status: 'completed' },
    output: [
      {
        ...{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' },
        content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
      },
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };

  test.each([
    ['OpenAI without max_tool_calls', 1, {}, false],
    ['OpenAI with max_tool_calls', 1, { max_tool_calls: 1 }, true],
    ['a provider that may ignore it', 20, { max_tool_calls: 1 }, false],
  ])('the searches of %s are held', async (_, type, extra, isPaid) => {
    const tenant = await tenantAt(type, FEW_UNITS);
    raw.answer = whole(RESPONSE);
    const body = { ...SEARCHED, model: tenant.model, ...extra };
    const answer = await tenant.call({}, { path: '/v1/responses', body });
    expect(answer.status === 200, answer.text).toBe(isPaid);
  });

  test('a tool that an upstream of another dialect does not get is not held', async () => {
    const tenant = await tenantAt(43, FEW_UNITS);
    raw.answer = whole({ choices, usage: USED });
    const body = { ...SEARCHED, model: tenant.model };
    const answer = await tenant.call({}, { path: '/v1/responses', body });
    expect(answer.status, answer.text).toBe(200);
    expect(sentBody()).not.toHaveProperty('tools');
  });

  test('max_uses of a tool that does not keep to it lowers nothing', async () => {
    const tenant = await tenantAt(1, FEW_UNITS);
    const tools = [{ type: 'web_search', max_uses: 1 }];
    const body = { ...SEARCHED, model: tenant.model, tools };
    const answer = await tenant.call({}, { path: '/v1/responses', body });
    expect(answer.status, answer.text).not.toBe(200);
  });
});
