/** Where upstreams report usage, if at all: the charge, and the client's view of it. */
import { describe, expect, test } from 'vitest';
import { priceDetailOf } from '../../../src/domain/pricing/log-price.ts';
import { frames } from '../../dialects/frames.ts';
import type { SiteAnswer } from '../../support/site.ts';
import { expectedAnswer } from '../../upstream/content/usage.ts';
import { type Body, bodyIn, chunksIn, contentIn, eventsIn } from '../../upstream/wire.ts';
import { rawSite } from '../raw-site.ts';
import { streamed, whole } from '../raw-upstream.ts';
import { addRow, addTenant, addTiers, MESSAGES, PRICE, type Tenant } from '../tenant.ts';
import { promptCount, textCount, type tokensOfUsage, unitsOf } from '../units.ts';

const { site, raw, rawTenant } = await rawSite();

const MODES = [
  'ok',
  'usage-on-choice',
  'usage-on-every-chunk',
  'usage-before-last',
  'usage-x-groq',
  'double-usage',
  'no-usage',
  'usage-null',
] as const;
const REPORTING: readonly string[] = MODES.slice(0, 6);
const ENDPOINTS = [
  { path: '/v1/chat/completions', fields: { messages: MESSAGES } },
  { path: '/v1/completions', fields: { prompt: 'What do 世界 and 🌍 have in common?' } },
] as const;
const CASES = ENDPOINTS.flatMap((endpoint) => MODES.map((mode) => ({ ...endpoint, mode })));

/** Chunks with a usage object, and whether each has nothing else. */
function usageChunks(answer: SiteAnswer): Body[] {
  return chunksIn(answer.text).filter((chunk) => typeof chunk.usage === 'object' && chunk.usage);
}

function textOf(answer: SiteAnswer): string {
  return contentIn(chunksIn(answer.text));
}

describe.each(CASES)('$path, $mode', ({ path, fields, mode }) => {
  async function streamedCall(tenant: Tenant, isRequested: boolean) {
    tenant.script(mode);
    const body = {
      model: tenant.model,
      ...fields,
      stream: true,
      ...(isRequested ? { stream_options: { include_usage: true } } : {}),
    };
    const answer = await tenant.call({}, { path, body });
    const { usage, texts } = expectedAnswer(body);
    expect(answer.status).toBe(200);
    expect(textOf(answer)).toBe(texts[0]);
    expect(eventsIn(answer.text).filter((data) => data === '[DONE]')).toHaveLength(1);
    return { answer, usage };
  }

  async function expectBilled(
    tenant: Tenant,
    answer: SiteAnswer,
    usage: Parameters<typeof tokensOfUsage>[0],
  ) {
    if (REPORTING.includes(mode)) {
      await tenant.expectUsageCharged(answer.requestId, usage);
      return { prompt: usage.prompt_tokens, completion: usage.completion_tokens ?? 0 };
    }
    const prompt = 'messages' in fields ? promptCount(fields.messages) : textCount(fields.prompt);
    const completion = textCount(textOf(answer));
    await tenant.expectCountCharged(answer.requestId, prompt, completion);
    return { prompt, completion };
  }

  test('without a usage request the client gets none, though the upstream receives the option', async () => {
    const tenant = await addTenant(site);
    const { answer, usage } = await streamedCall(tenant, false);
    expect(usageChunks(answer)).toEqual([]);
    expect(chunksIn(answer.text).every((chunk) => chunk.choices.length > 0)).toBe(true);
    expect(bodyIn(site.upstream.requests.at(-1)?.body ?? '').stream_options).toEqual({
      include_usage: true,
    });
    await expectBilled(tenant, answer, usage);
  });

  test('with a usage request the client gets one last frame without choices, as charged', async () => {
    const tenant = await addTenant(site);
    const { answer, usage } = await streamedCall(tenant, true);
    const { prompt, completion } = await expectBilled(tenant, answer, usage);
    const seen = usageChunks(answer);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      choices: [],
      model: tenant.model,
      usage: {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
      },
    });
    expect(chunksIn(answer.text).at(-1)).toEqual(seen[0]);
    expect(new Set(chunksIn(answer.text).map(({ id }) => id)).size).toBe(1);
  });
});

/** Recorded frames of real providers (test/fixtures): the reported usage is charged. */
describe('recorded streams', () => {
  const RECORDED = [
    ['openai/chat-text', { input: 93, cached: 1024, output: 46 }],
    ['openai/chat-parallel-tools', { input: 92, output: 38 }],
    ['openai/completions', { input: 5, output: 16 }],
    ['azure/chat-async-filter', { input: 13, output: 6 }],
    ['groq/chat-reasoning', { input: 18, output: 110 }],
    ['moonshot/chat-text', { input: 25, cached: 64, output: 13 }],
    ['xai/chat-cumulative-usage', { input: 38, output: 3 }],
    // Its reasoning is separate from the completion: 291 + 26 + 196 = 513.
    ['xai/chat-tool-call', { input: 1, cached: 290, output: 222 }],
    ['deepseek/chat-tool-call', { input: 118, cached: 256, output: 61 }],
    ['openrouter/chat-reasoning', { input: 21, output: 9 }],
    ['mistral/chat-thinking', { input: 10, output: 46 }],
    ['vllm/chat-text', { input: 24, output: 7 }],
  ] as const;

  test.each(RECORDED)('%s is relayed and charged by its usage', async (name, tokens) => {
    const tenant = await rawTenant();
    const data = frames(name);
    raw.answer = streamed(...data);
    const isLegacy = name.endsWith('completions');
    const answer = await tenant.call(
      { stream: true },
      isLegacy
        ? { path: '/v1/completions', body: { model: tenant.model, prompt: 'hi', stream: true } }
        : {},
    );
    expect(answer.status).toBe(200);
    expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
    expect(usageChunks(answer)).toEqual([]);
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, unitsOf(tokens, PRICE)));
  });
});

test('a call with audio logs everything that is needed to recompute its charge', async () => {
  const tenant = await rawTenant();
  raw.answer = whole({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { audio_tokens: 40 },
      completion_tokens_details: { audio_tokens: 30 },
    },
  });
  const { requestId } = await tenant.call();
  const line = await site.logOf(requestId);
  if (line === undefined) throw new Error('no log line');
  const detail = priceDetailOf(line, JSON.parse(line.other), 500_000);
  expect(detail?.lines.map(({ kind, tokens }) => [kind, tokens])).toEqual([
    ['input', 60],
    ['audio_input', 40],
    ['output', 20],
    ['audio_output', 30],
  ]);
  expect(detail?.units).toBe(line.quota);
});

describe('unusual usage reports', () => {
  const PLAIN = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'four words are here' },
        finish_reason: 'stop',
      },
    ],
  };

  test.each([
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['negative numbers', { prompt_tokens: -5, completion_tokens: -7, total_tokens: -12 }],
    ['nonsense', { prompt_tokens: 'many', completion_tokens: {}, total_tokens: [] }],
    ['an empty object', {}],
    ['a text', 'usage'],
  ])('%s in place of usage is counted by the gateway', async (_what, usage) => {
    const tenant = await rawTenant();
    raw.answer = whole({ ...PLAIN, usage });
    const answer = await tenant.call();
    const [prompt, completion] = [promptCount(MESSAGES), textCount('four words are here')];
    await tenant.expectCountCharged(answer.requestId, prompt, completion);
  });

  test('a tool call without usage is counted as content with name and arguments', async () => {
    const tenant = await addTenant(site);
    tenant.script('no-usage');
    const tools = [
      {
        type: 'function',
        function: {
          name: 'weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ];
    const messages = [{ role: 'user', content: 'call weather' }];
    const answer = await tenant.call({ tools, messages });
    const [call] = bodyIn(answer.text).choices[0]?.message?.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: 'weather' } });
    const row = await site.logOf(answer.requestId);
    expect(row).toMatchObject({
      usage_source: 'estimated',
      completion_tokens: textCount('weather{"city":"city"}'),
    });
    expect(row?.prompt_tokens).toBeGreaterThan(promptCount(messages));
  });

  test('embeddings without usage are charged by their input', async () => {
    const tenant = await addTenant(site);
    tenant.script('no-usage');
    const input = ['first text', 'a second, longer text'];
    const answer = await tenant.call(
      {},
      { path: '/v1/embeddings', body: { model: tenant.model, input } },
    );
    const prompt = input.reduce((sum, text) => sum + textCount(text), 0);
    await tenant.expectCharged(answer.requestId, {
      units: unitsOf({ input: prompt, output: 0 }, PRICE),
      source: 'estimated',
      prompt,
      completion: 0,
    });
  });
});

describe('web searches by the vendor', () => {
  const usage = { input_tokens: 100, output_tokens: 20 };
  const answerMessage = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Found.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
  };
  const body = { max_tokens: 50, messages: [{ role: 'user', content: 'Find it.' }] };
  const found = {
    candidates: [{ content: { parts: [{ text: 'Found.' }] }, finishReason: 'STOP' }],
  };

  async function searchTenant(type: number): Promise<Tenant> {
    const tenant = await rawTenant({ channel: { type }, ownPrice: true });
    await addRow(site, 'WebSearchPrice', tenant.model, 12.5);
    return tenant;
  }

  test("at Anthropic are charged per search, and shown in the log entry's price", async () => {
    const tenant = await searchTenant(14);
    const searched = { ...usage, server_tool_use: { web_search_requests: 2 } };
    raw.answer = whole({ ...answerMessage, usage: searched });
    const answer = await tenant.call(
      {},
      { path: '/v1/messages', body: { ...body, model: tenant.model } },
    );
    expect(answer.status, answer.text).toBe(200);
    const units = unitsOf({ input: 100, output: 20 }, PRICE) + 2 * 0.0125 * 500_000;
    expect((await tenant.bill()).spent.user).toBe(units);
    const log = await site.logOf(answer.requestId);
    const detail = log && priceDetailOf(log, JSON.parse(log.other), 500_000);
    expect(detail).toMatchObject({ units, isAsCharged: true });
    expect(detail?.lines.at(-1)).toEqual({
      kind: 'web_search',
      tokens: 2,
      usdEach: 0.0125,
      usd: 0.025,
    });
  });

  test('and other built-in tools at OpenAI are counted from the items, whole and streamed', async () => {
    const output = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
      { type: 'web_search_call', id: 'ws_2', status: 'completed', action: { type: 'open_page' } },
      { type: 'file_search_call', id: 'fs_1', status: 'completed' },
      { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', container_id: 'c1' },
      { type: 'code_interpreter_call', id: 'ci_2', status: 'completed', container_id: 'c1' },
      { type: 'file_search_call', id: 'fs_2', status: 'failed' },
    ];
    const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
    const response = {
      ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'm' },
      ...{ output, usage, service_tier: 'flex' },
    };
    const units = 0.5 * unitsOf({ input: 100, output: 20 }, PRICE);
    const usd = 0.0125 + 0.0025 + 0.03;
    for (const stream of [false, true]) {
      const tenant = await searchTenant(1);
      await addTiers(site, tenant.model, { flex: 0.5 });
      raw.answer = stream
        ? streamed({ type: 'response.completed', sequence_number: 0, response })
        : whole(response);
      const input = { model: tenant.model, input: 'Find it.', stream };
      const answer = await tenant.call({}, { path: '/v1/responses', body: input });
      expect(answer.status, answer.text).toBe(200);
      const total = Math.round(units + usd * 500_000);
      expect((await tenant.bill()).spent.user).toBe(total);
      const log = await site.logOf(answer.requestId);
      const detail = log && priceDetailOf(log, JSON.parse(log.other), 500_000);
      expect(detail).toMatchObject({
        units: total,
        isAsCharged: true,
        conditions: [{ tier: 'flex' }],
      });
      expect(detail?.lines.map(({ kind, tokens }) => [kind, tokens]).slice(2)).toEqual([
        ['web_search', 1],
        ['file_search', 1],
        ['code_session', 1],
      ]);
    }
  });

  test.each([
    ['gemini-3.1-pro-preview', 2],
    ['gemini-2.5-flash', 1],
  ])('by %s are counted as Google counts them', async (modelVersion, searches) => {
    const tenant = await searchTenant(24);
    const [candidate] = found.candidates;
    const groundingMetadata = { webSearchQueries: ['one', 'two'] };
    raw.answer = whole({
      candidates: [{ ...candidate, groundingMetadata }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
      modelVersion,
    });
    const answer = await tenant.call();
    expect(answer.status, answer.text).toBe(200);
    const units = unitsOf({ input: 100, output: 20 }, PRICE) + searches * 0.0125 * 500_000;
    expect((await tenant.bill()).spent.user).toBe(units);
  });
});
