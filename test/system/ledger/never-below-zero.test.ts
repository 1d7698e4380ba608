/**
 * With an upstream that uses all it was allowed, no mix of calls makes an account or a limited
 * token end below zero.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type RawRequest, rawUpstream, SSE, streamText } from '../../relay/raw-upstream.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteToken } from '../../support/site.ts';
import { holds } from '../../tools/fuzz/holds.ts';

/** By upstream dialect: the input ratio, and the ratio of output to input. */
const MODELS = [
  { model: 'gpt-4o-cheap', type: 1, ratio: 0.01, completion: 4 },
  { model: 'gpt-4o-dear', type: 1, ratio: 3, completion: 5 },
  { model: 'claude-opus-4-1', type: 14, ratio: 0.5, completion: 2 },
  { model: 'gemini-2.0-flash', type: 24, ratio: 0.25, completion: 8 },
] as const;
const TEXT = 'Use 所有 of it';

const anyCall = fc.record({
  model: fc.constantFrom(...MODELS.map(({ model }) => model)),
  dialect: fc.constantFrom('chat', 'completions', 'anthropic', 'gemini', 'responses'),
  n: fc.integer({ min: 1, max: 4 }),
  limit: fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: undefined }),
  isStream: fc.boolean(),
  extra: fc.option(fc.nat(20), { nil: undefined }),
  isTwice: fc.boolean(),
});
type RequestFields = typeof anyCall extends fc.Arbitrary<infer T> ? T : never;

/** Fields with which an upstream adds input, searches or passes, by dialect of the client. */
const EXTRAS: Readonly<Record<RequestFields['dialect'], readonly object[]>> = {
  chat: [
    { enable_search: true },
    { web_search_options: {} },
    { search_parameters: { mode: 'on', max_search_results: 7 } },
    { plugins: [{ id: 'web', max_results: 12 }, { id: 'auto-router' }] },
    { models: ['gpt-4o-dear'], provider: { only: ['dear'] }, route: 'fallback' },
    { extra_body: { enable_search: true } },
    { extra_body: { n: 3 } },
  ],
  completions: [{ models: ['gpt-4o-dear'] }],
  anthropic: [
    { mcp_servers: [{ type: 'url', url: 'https://m.example', name: 'm' }] },
    { tools: [{ type: 'web_search_20260318', name: 'web_search', max_uses: 3 }] },
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
    { fallbacks: [{ model: 'claude-opus-5' }] },
  ],
  gemini: [{ tools: [{ googleSearch: {} }] }, { tools: [{ url_context: {} }] }],
  responses: [
    { tools: [{ type: 'web_search' }] },
    // Where not one search is paid for, it is left out.
    { tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {} }] },
    { previous_response_id: undefined },
  ],
};

/** The body as text; twice: with a second limit that another reader may take. */
function textOf(body: object, { dialect, isTwice }: RequestFields): string {
  const text = JSON.stringify(body);
  if (!isTwice) return text;
  if (dialect === 'gemini')
    return text.replace('"generationConfig":{', '"generationConfig":{"max_output_tokens":90000,');
  return text.replace(/"(max_\w+)":(\d+)/, '"$1":$2,"$1":90000');
}

function requestOf(fields: RequestFields) {
  const { path, body } = plainRequest(fields);
  const extras = EXTRAS[fields.dialect];
  const extra = fields.extra === undefined ? {} : extras[fields.extra % extras.length];
  return { path, text: textOf({ ...body, ...extra }, fields) };
}

function plainRequest({ model, dialect, n, limit, isStream: stream }: RequestFields) {
  const messages = [{ role: 'user', content: TEXT }];
  switch (dialect) {
    case 'completions':
      return {
        path: '/v1/completions',
        body: { model, prompt: TEXT, n, max_tokens: limit, stream },
      };
    case 'anthropic':
      // This dialect requires an output limit.
      return {
        path: '/v1/messages',
        body: { model, messages, max_tokens: limit ?? 1_000, stream },
      };
    case 'gemini': {
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const generationConfig = { maxOutputTokens: limit, candidateCount: n };
      const contents = [{ role: 'user', parts: [{ text: TEXT }] }];
      return { path: `/v1beta/models/${model}:${action}`, body: { contents, generationConfig } };
    }
    case 'responses':
      return {
        path: '/v1/responses',
        body: { model, input: TEXT, max_output_tokens: limit, stream },
      };
    default:
      return {
        path: '/v1/chat/completions',
        body: { model, messages, n, max_tokens: limit, stream },
      };
  }
}

/** The default output limit of the model, as in `model-limits.ts`. */
const FULL: Readonly<Record<string, number>> = {
  'gemini-2.0-flash': 8_192,
  'claude-opus-4-1': 8_192,
};

interface Used {
  readonly input: number;
  readonly output: number;
  readonly searches: number;
  /** Passes over the prompt besides the first. */
  readonly further: number;
}

/** What the upstream reads besides, at most the context of the model. */
const CONTEXT = 131_072;
const TOKENS_PER_SEARCH = 8_000;

/** What the upstream finds to look up, if the model's context is known to be `CONTEXT`. */
function addedBy(sent: Record<string, unknown>, model: string): Pick<Used, 'searches' | 'further'> {
  const text = JSON.stringify(sent);
  const uses = /"max_(?:uses|tool_calls)":(\d+)/.exec(text)?.[1] ?? 10;
  const searches = /web_search_20|"web_search"|googleSearch/.test(text)
    ? Number(uses)
    : Math.ceil(
        Number(/"max_results":(\d+)/.exec(text)?.[1] ?? 0) / 5 +
          Number(/"max_search_results":(\d+)/.exec(text)?.[1] ?? 0) +
          Number(/enable_search|web_search_options/.test(text)),
      );
  expect(model).not.toBe('');
  return { searches, further: /compact_/.test(text) ? 1 : 0 };
}

const READS = /mcp_servers|url_context/;

/** Counts every byte as a token, and every answer at its full length. */
function usedBy({ body, path }: RawRequest, model: string): Used {
  const sent = JSON.parse(body);
  const config = sent.generationConfig ?? {};
  const limit =
    sent.max_completion_tokens ??
    sent.max_tokens ??
    sent.max_output_tokens ??
    config.max_output_tokens ??
    config.maxOutputTokens ??
    FULL[model] ??
    16_384;
  const answers = sent.n ?? sent.extra_body?.n ?? config.candidateCount ?? 1;
  expect(path).not.toBe('');
  for (const name of ['models', 'route', 'fallbacks']) expect(sent).not.toHaveProperty(name);
  const added = addedBy(sent, model);
  const own = Buffer.byteLength(TEXT) + added.searches * TOKENS_PER_SEARCH;
  const input = READS.test(body) ? CONTEXT : Math.min(CONTEXT, own);
  return { input, output: limit * answers, ...added };
}

const chatUsage = ({ input, output, searches }: Used) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  num_search_queries: searches,
});
const message = { role: 'assistant', content: 'All.' };

/** The whole answer of a path, and its frames. */
function answerTo(
  path: string,
  used: Used,
): { whole: object; frames: readonly (string | object)[] } {
  const { input, output, searches, further } = used;
  if (path.includes('/messages')) {
    const counts = { input_tokens: input, output_tokens: output };
    const iterations = Array.from({ length: further }, () => ({ type: 'compaction', ...counts }));
    const usage = { ...counts, iterations, server_tool_use: { web_search_requests: searches } };
    const whole = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'All.' }],
      usage,
    };
    const frames = [
      { type: 'message_start', message: { ...whole, content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'All.' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ];
    return { whole: { ...whole, stop_reason: 'end_turn' }, frames };
  }
  if (path.includes('enerateContent')) {
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    };
    const content = { role: 'model', parts: [{ text: 'All.' }] };
    const whole = { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata };
    return { whole, frames: [whole] };
  }
  if (path.includes('/responses')) {
    const content = [{ type: 'output_text', text: 'All.', annotations: [] }];
    const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    const whole = { id: 'resp_1', object: 'response', status: 'completed', output: [item], usage };
    const begun = { ...whole, status: 'in_progress', output: [], usage: null };
    const frames = [
      { type: 'response.created', response: begun },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'All.',
      },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ];
    return { whole, frames };
  }
  const isText = !path.includes('chat');
  const choice = { index: 0, finish_reason: 'stop' };
  const textPart = isText ? { text: 'All.' } : { message };
  const usage = chatUsage(used);
  const frame = { choices: [{ ...choice, ...(isText ? textPart : { delta: message }) }] };
  const frames = [frame, { choices: [], usage }, '[DONE]'];
  return { whole: { choices: [{ ...choice, ...textPart }], usage }, frames };
}

describe.each(databases)('free balances on $kind', async ({ kind }) => {
  const upstream = await rawUpstream();
  upstream.answer = (response, request) => {
    const inPath = /models\/([^:]+):/.exec(request.path)?.[1];
    const model = inPath ?? String(JSON.parse(request.body).model);
    const { whole, frames } = answerTo(request.path, usedBy(request, model));
    const isStream = JSON.parse(request.body).stream === true || request.path.includes('stream');
    if (isStream) response.writeHead(200, SSE).end(streamText(...frames));
    else {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(whole));
    }
  };
  const site = await sharedSite({
    database: kind,
    config: { strictHolds: false },
    options: {
      ModelRatio: Object.fromEntries(MODELS.map(({ model, ratio }) => [model, ratio])),
      CompletionRatio: Object.fromEntries(MODELS.map((row) => [row.model, row.completion])),
      RetryTimes: 0,
    },
  });
  for (const { model, type } of MODELS)
    await site.addChannel({ models: model, type, base_url: upstream.url });
  afterAll(() => upstream.close());

  const call = async (token: SiteToken, fields: RequestFields): Promise<number> => {
    const { path, text: rawBody } = requestOf(fields);
    const { status, text } = await site.call({ path, key: token.key, rawBody });
    // A feature that a dialect lacks is refused, and its hold released.
    expect([200, 400, 401, 402, 403], text).toContain(status);
    return status;
  };

  let answered = 0;
  const calls = fc.array(anyCall, { minLength: 4, maxLength: 24 });
  const quota = fc.integer({ min: 0, max: 200_000 });
  holds(
    'no balance ends below zero',
    fc.asyncProperty(
      calls,
      quota,
      fc.option(quota, { nil: undefined }),
      async (fields, units, limit) => {
        const user = await site.addUser({ quota: units });
        const limited = limit === undefined ? {} : { remain_quota: limit };
        const token = await site.addToken({ owner: user, ...limited });
        const statuses = await Promise.all(fields.map((one) => call(token, one)));
        answered += statuses.filter((status) => status === 200).length;
        await site.settled(user.id);
        expect((await site.balance(user.id)).quota).toBeGreaterThanOrEqual(0);
        if (limit !== undefined)
          expect((await site.tokenBalance(token.id)).remain_quota).toBeGreaterThanOrEqual(0);
      },
    ),
    { runs: 15 },
  );

  test('calls succeed during the test', () => expect(answered).toBeGreaterThan(0));
});
