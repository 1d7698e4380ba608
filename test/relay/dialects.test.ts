/**
 * Every client dialect over every upstream dialect, through the whole server. The fake upstreams of
 * Anthropic and Google refuse unknown fields, so an untranslated body fails.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/dialects/hub/dialect.ts';
import { eventsIn } from '../dialects/hub/streams.ts';
import { type ClientRow, callsOf, heard, CLIENTS as ROWS, wordsOf } from '../matrix/clients.ts';
import {
  AWS_KEY,
  AWS_SESSION_KEY,
  aCloudUpstream,
  BEDROCK_API_KEY,
} from '../support/cloud-credentials.ts';
import { aSite, eventually, OPERATOR, type Site } from '../support/site.ts';
import { setPrice } from './lane.ts';

const CLIENTS: readonly DialectName[] = ['chat', 'anthropic', 'gemini', 'responses'];

const { upstream: cloud, tokenUrl, account } = await aCloudUpstream();
const REGIONS = JSON.stringify({ default: 'us-central1', 'via-vertex-claude': 'us-east5' });

/** Upstreams by dialect, and the clouds that carry a dialect in their own way. */
const UPSTREAMS = {
  chat: { type: 1, model: 'gpt-4o-mini' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-3.1-pro-preview' },
  azure: { type: 3, model: 'gpt-4o-mini', other: '2024-10-21' },
  'bedrock-claude': { type: 33, model: 'claude-sonnet-4-5', key: AWS_KEY },
  'bedrock-nova': { type: 33, model: 'nova-pro', key: AWS_SESSION_KEY },
  'bedrock-llama': { type: 33, model: 'us.meta.llama4-v1:0', key: BEDROCK_API_KEY },
  'vertex-gemini': { type: 41, model: 'gemini-3.1-pro-preview', key: account, other: REGIONS },
  'vertex-claude': { type: 41, model: 'claude-sonnet-4-5', key: account, other: REGIONS },
  'vertex-llama': { type: 41, model: 'meta/llama-4', key: account, other: 'global' },
  'vertex-express': { type: 41, model: 'gemini-3.8-flash', other: 'global' },
  // Served by this endpoint only, whatever the client's dialect.
  responses: { type: 1, model: 'gpt-5.3-codex' },
} as const;

type UpstreamName = keyof typeof UPSTREAMS;

const PRICE = { ratio: '1', completion: '1' };

let site: Site;

beforeAll(async () => {
  site = await aSite({ upstream: cloud, config: { googleTokenUrl: tokenUrl } });
  for (const [name, { model, ...fields }] of Object.entries(UPSTREAMS)) {
    const mapping = { [`via-${name}`]: model, [`thinks-${name}`]: `${model}-reason` };
    for (const bare of Object.keys(mapping)) await setPrice(site, bare, PRICE);
    await site.addChannel({
      ...fields,
      models: Object.keys(mapping).join(','),
      model_mapping: JSON.stringify(mapping),
      setting: JSON.stringify({ chat_only: name === 'chat' }),
    });
  }
});
beforeEach(() => site.upstream.reset());
afterAll(() => site.close());

/** The same request in each client dialect. */
const ASK = Object.fromEntries(ROWS.map(({ name, ask }) => [name, ask])) as Readonly<
  Record<DialectName, ClientRow['ask']>
>; // one row for each name

/** Status 200 without an answer, as a plan of the fake upstream. */
const NON_ANSWERS = ['empty-object', 'html-answer', 'error-words', 'empty-answer'] as const;
const TEXT_UPSTREAMS = ['chat', 'anthropic', 'gemini', 'responses'] as const;

describe('status 200 without an answer', () => {
  /** The first channel of each upstream; a second one is tried after it. */
  const first = new Map<string, number>();
  let pinnedKey: (upstream: string) => string;
  beforeAll(async () => {
    const { key } = await site.addToken({ owner: await site.addUser({ role: 10 }) });
    pinnedKey = (upstream) => `${key}-${first.get(upstream)}`;
    for (const name of TEXT_UPSTREAMS) {
      const { model, type } = UPSTREAMS[name];
      const models = `odd-${name}`;
      await setPrice(site, models, PRICE);
      const channel = {
        type,
        models,
        model_mapping: JSON.stringify({ [models]: model }),
        setting: JSON.stringify({ chat_only: name === 'chat' }),
      };
      first.set(name, (await site.addChannel({ ...channel, priority: 1 })).id);
      await site.addChannel(channel);
    }
    await site.option('RetryTimes', 1);
  });
  afterAll(() => site.option('RetryTimes', 0));

  const FORMS = [false, true].map((stream) => ({ stream, how: stream ? 'streamed' : 'whole' }));
  describe.each(FORMS)('$how', ({ stream }) => {
    describe.each(TEXT_UPSTREAMS)('from a %s upstream', (upstream) => {
      test.each(ROWS)('is a failed attempt ($label)', async ({ name, ask, errorType }) => {
        const call = ask(`odd-${upstream}`, { text: 'Hi', stream });
        const key = pinnedKey(upstream);
        site.upstream.script('empty-answer');
        const answer = await site.call(call);
        expect(wordsOf(heard(name, answer, stream), 'text')).toBe('You said: Hi');
        expect(await site.ledgerOf(answer.requestId)).toHaveLength(1);
        for (const plan of NON_ANSWERS) {
          site.upstream.script(plan);
          const refused = await site.call({ ...call, key });
          expect(refused.status, plan).toBe(502);
          expect(errorType(JSON.parse(refused.text)), plan).toMatch(
            /^(upstream_error|api_error|UNAVAILABLE)$/,
          );
          expect(await site.ledgerOf(refused.requestId), plan).toEqual([]);
          // A channel that fails repeatedly would open its circuit breaker.
          expect((await site.call({ ...call, key })).status).toBe(200);
        }
        await site.settled();
        expect(await site.openHolds()).toBe(0);
      });
    });
  });

  test.each(TEXT_UPSTREAMS.flatMap((upstream) => FORMS.map((form) => ({ upstream, ...form }))))(
    'is an answer if $upstream reports usage, $how',
    async ({ upstream, stream }) => {
      for (const { name, ask } of ROWS) {
        site.upstream.script({ text: '' });
        const answer = await site.call(ask(`odd-${upstream}`, { text: 'Hi', stream }));
        expect(wordsOf(heard(name, answer, stream), 'text')).toBe('');
        await site.settled();
        const log = await site.logOf(answer.requestId);
        expect(log, name).toMatchObject({ usage_source: 'upstream', completion_tokens: 0 });
        const [charge] = await site.ledgerOf(answer.requestId);
        expect(charge?.user_units, name).toBe(-(log?.prompt_tokens ?? 0));
      }
    },
  );

  test.each(FORMS)('is a failed legacy completion, $how', async ({ stream }) => {
    const body = { model: 'odd-chat', prompt: 'Hi', stream };
    const key = pinnedKey('chat');
    for (const plan of NON_ANSWERS) {
      site.upstream.script(plan);
      const refused = await site.call({ path: '/v1/completions', body, key });
      const { type } = JSON.parse(refused.text).error;
      expect([refused.status, type], plan).toEqual([502, 'upstream_error']);
      expect((await site.call({ path: '/v1/completions', body, key })).status).toBe(200);
    }
  });
});

describe('a model that cannot be called', () => {
  beforeAll(async () => {
    await site.addChannel({ models: 'unpriced' });
    await setPrice(site, 'out-of-service', PRICE);
    const { id } = await site.addChannel({ models: 'out-of-service' });
    await site.as(OPERATOR).channel.setStatus({ id, status: 2 });
  });

  test.each(ROWS)('returns a status with the reason ($label)', async ({ ask, errorType }) => {
    const refusedFor = async (model: string) => {
      const { status, text, headers } = await site.call(ask(model, { text: 'Hi', stream: true }));
      return { status, type: errorType(JSON.parse(text)), wait: headers['retry-after'] };
    };
    expect(await refusedFor('nobody-has-it')).toEqual({
      status: 404,
      type: expect.stringMatching(/^(invalid_request_error|not_found_error|NOT_FOUND)$/),
    });
    expect(await refusedFor('unpriced')).toEqual({
      status: 400,
      type: expect.stringMatching(/^(invalid_request_error|INVALID_ARGUMENT)$/),
    });
    expect(await refusedFor('out-of-service')).toEqual({
      status: 503,
      type: expect.stringMatching(/^(gateway_error|overloaded_error|UNAVAILABLE)$/),
      wait: '30',
    });
  });
});

describe('usage that the upstream does not report', () => {
  const FORMS = [false, true].map((stream) => ({ stream, how: stream ? 'streamed' : 'whole' }));
  describe.each(FORMS)('$how', ({ stream }) => {
    test('is estimated in a whole answer built from a stream, and in a stream built from a whole answer', async () => {
      for (const { name, ask } of ROWS) {
        site.upstream.script(stream ? 'stream-ignored+no-usage' : 'json-ignored+no-usage');
        const answer = await site.call(ask('via-chat', { text: 'Count me', stream }));
        await site.settled();
        const log = await site.logOf(answer.requestId);
        const { usage } = heard(name, answer, stream);
        expect([usage?.input, usage?.output], name).toEqual([
          log?.prompt_tokens,
          log?.completion_tokens,
        ]);
      }
    });
  });

  test('is estimated in a whole legacy completion', async () => {
    site.upstream.script('no-usage');
    const body = { model: 'via-chat', prompt: 'Count me' };
    const answer = await site.call({ path: '/v1/completions', body });
    await site.settled();
    const log = await site.logOf(answer.requestId);
    expect(JSON.parse(answer.text).usage).toMatchObject({
      prompt_tokens: log?.prompt_tokens,
      completion_tokens: log?.completion_tokens,
    });
  });
});

const PAIRS = CLIENTS.flatMap((client) =>
  (Object.keys(UPSTREAMS) as UpstreamName[]).flatMap((upstream) =>
    [false, true].map((stream) => ({
      client,
      upstream,
      stream,
      how: stream ? 'streamed' : 'whole',
    })),
  ),
);

describe.each(PAIRS)(
  'a $client client over a $upstream upstream, $how',
  ({ client, upstream, stream }) => {
    const model = `via-${upstream}`;

    test('receives the answer under the requested model name, and is charged the usage', async () => {
      const answer = await site.call(ASK[client](model, { text: 'Grüße 🙂 an alle', stream }));
      const said = heard(client, answer, stream);
      expect(wordsOf(said, 'text')).toContain('Grüße 🙂 an alle');
      expect(said.stop).toBe('end');
      expect(said.model ?? model).toBe(model);
      await site.settled();
      const log = await site.logOf(answer.requestId);
      const reported = said.usage;
      expect(log).toMatchObject({ usage_source: 'upstream', model_name: model });
      expect(log?.completion_tokens).toBe(reported?.output);
      expect(log?.quota).toBe((log?.prompt_tokens ?? 0) + (log?.completion_tokens ?? 0));
      expect(log?.prompt_tokens).toBe((reported?.input ?? 0) + (reported?.cacheRead ?? 0));
    });

    test('receives parallel tool calls', async () => {
      const wish = {
        text: 'Use get_weather and get_time',
        stream,
        tools: ['get_weather', 'get_time'],
      };
      const said = heard(client, await site.call(ASK[client](model, wish)), stream);
      expect(callsOf(said)).toEqual([
        ['get_weather', { city: expect.any(String) }],
        ['get_time', { city: expect.any(String) }],
      ]);
      expect(said.stop).toBe('tool_calls');
    });

    test('receives the reasoning', async () => {
      const wish = { text: 'Think about it', stream };
      const said = heard(client, await site.call(ASK[client](`thinks-${upstream}`, wish)), stream);
      expect(wordsOf(said, 'thinking')).toContain('The user wants an answer');
      expect(wordsOf(said, 'text')).toContain('Think about it');
    });

    test('receives the length finish reason', async () => {
      const wish = { text: 'one two three '.repeat(20), stream, maxTokens: 16 };
      const said = heard(client, await site.call(ASK[client](model, wish)), stream);
      expect(said.stop).toBe('max_tokens');
    });

    test('receives a refusal in its own dialect and pays nothing', async () => {
      site.upstream.script({ refuse: { status: 422, message: 'too odd' } });
      const answer = await site.call(ASK[client](model, { text: 'Hi', stream }));
      const error = JSON.parse(answer.text);
      expect(answer.status).toBe(422);
      expect(error.error.message).toContain('too odd');
      expect(error.error.message).toContain(answer.requestId);
      if (client === 'anthropic')
        expect(error).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
      if (client === 'gemini')
        expect(error.error).toMatchObject({ code: 422, status: 'INVALID_ARGUMENT' });
      await site.settled();
      expect(await site.logOf(answer.requestId)).toBe(undefined);
    });
  },
);

const STREAMS = PAIRS.filter(({ stream }) => stream);

describe.each(STREAMS)(
  'a stream that breaks for a $client client over $upstream',
  ({ client, upstream }) => {
    const ask = ASK[client](`via-${upstream}`, { text: 'Hello there, you', stream: true });

    // Several consecutive breaks would open the channel's circuit breaker.
    beforeEach(async () => {
      expect((await site.call(ask)).status).toBe(200);
    });

    test('ends with an error and no end mark', async () => {
      site.upstream.script({ events: 6, fault: { ending: 'error', after: 5 } });
      const { status, text } = await site.call(ask);
      expect(status).toBe(200);
      const events = eventsIn(client, text);
      expect(events.at(-1)).toMatchObject({ kind: 'error' });
      expect(events.some(({ kind }) => kind === 'finish')).toBe(false);
      expect(text).not.toContain('message_stop');
      expect(text).not.toContain('response.completed');
    });

    test('costs the prompt and the delivered content', async () => {
      site.upstream.script({ events: 40, fault: { ending: 'reset', after: 30 } });
      const answer = await site.call(ask);
      await site.settled();
      const log = await eventually('the call is logged', () => site.logOf(answer.requestId));
      expect(log.usage_source).toBe('estimated');
      expect(log.prompt_tokens).toBeGreaterThan(3);
      expect(log.completion_tokens).toBeGreaterThan(10);
    });
  },
);

describe.each(PAIRS.filter(({ stream }) => !stream))(
  '$client over $upstream',
  ({ client, upstream }) => {
    test('combines an unrequested stream into a whole answer', async () => {
      site.upstream.script({ answerAs: 'stream' });
      const answer = await site.call(ASK[client](`via-${upstream}`, { text: 'Whole, please' }));
      expect(wordsOf(heard(client, answer, false), 'text')).toContain('Whole, please');
    });

    test('streams a whole answer that came instead of a stream', async () => {
      site.upstream.script({ answerAs: 'json' });
      const wish = { text: 'In pieces, please', stream: true };
      const said = heard(client, await site.call(ASK[client](`via-${upstream}`, wish)), true);
      expect(wordsOf(said, 'text')).toContain('In pieces, please');
      expect(said.usage?.output).toBeGreaterThan(0);
    });
  },
);

describe('a request to an upstream of the same dialect', () => {
  test('keeps unknown fields, version and beta headers, and the operator’s headers', async () => {
    await site.option('claude.model_headers_settings', {
      'via-anthropic': { 'anthropic-beta': ['own-1', 'shared'], 'x-own': ['1'] },
    });
    const ask = ASK.anthropic('via-anthropic', { text: 'Hi' });
    await site.call({
      ...ask,
      body: { ...(ask.body as object), service_tier: 'auto' },
      headers: { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'sent-1,shared' },
    });
    await site.option('claude.model_headers_settings', {});
    const sent = site.upstream.requests.at(-1);
    expect(sent?.path).toBe('/v1/messages');
    expect(sent?.headers).toMatchObject({
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'sent-1,shared,own-1',
      'x-own': '1',
      'x-api-key': expect.any(String),
    });
    expect(sent?.headers.authorization).toBe(undefined);
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      service_tier: 'auto',
      model: 'claude-sonnet-4-5',
    });
  });

  test('drops reasoning of other vendors', async () => {
    const ask = ASK.anthropic('via-anthropic', { text: 'Hi' });
    const messages = [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: '' },
          { type: 'thinking', thinking: 'y', signature: 'Z2F0ZXdheTE6Z2VtaW5pOlNJRw==' },
          { type: 'thinking', thinking: 'z', signature: 'own' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'user', content: 'c' },
    ];
    const { status } = await site.call({ ...ask, body: { ...(ask.body as object), messages } });
    expect(status).toBe(200);
    expect(JSON.parse(site.upstream.requests.at(-1)?.body ?? '').messages[1].content).toEqual([
      { type: 'thinking', thinking: 'z', signature: 'own' },
      { type: 'text', text: 'b' },
    ]);
  });

  test('is sent to the path of the model and of the streaming mode', async () => {
    await site.call(ASK.gemini('via-gemini', { text: 'Hi' }));
    await site.call(ASK.gemini('via-gemini', { text: 'Hi', stream: true }));
    expect(site.upstream.requests.map(({ path }) => path)).toEqual([
      '/v1beta/models/gemini-3.1-pro-preview:generateContent',
      '/v1beta/models/gemini-3.1-pro-preview:streamGenerateContent?alt=sse',
    ]);
    expect(site.upstream.requests[0]?.headers['x-goog-api-key']).toEqual(expect.any(String));
  });
});

test('a tool call turn restores the signature that the client could not keep', async () => {
  const tools = ['get_weather'];
  const ask = ASK.chat('via-gemini', { text: 'Use get_weather', tools });
  const first = JSON.parse((await site.call(ask)).text).choices[0].message;
  const call = first.tool_calls[0];
  const { extra_content: _, ...forgetful } = call;
  const body = ask.body as { messages: object[] };
  const messages = [
    ...body.messages,
    { role: 'assistant', content: null, tool_calls: [forgetful] },
    { role: 'tool', tool_call_id: call.id, content: 'sunny' },
  ];
  const second = await site.call({ ...ask, body: { ...body, messages } });
  expect(second.status, second.text).toBe(200);
  expect(second.text).toContain('sunny');
  const sent = JSON.parse(site.upstream.requests.at(-1)?.body ?? '');
  expect(sent.contents[1].parts[0].thoughtSignature).toBe('RmFrZUdlbWluaQ==');
});

test.each([false, true])(
  'Google’s list form of a stream is valid JSON (broken: %s)',
  async (breaks) => {
    if (breaks) site.upstream.script({ events: 6, fault: { ending: 'error', after: 3 } });
    for (const upstream of ['gemini', 'anthropic']) {
      const ask = ASK.gemini(`via-${upstream}`, { text: 'Hi', stream: true });
      const answer = await site.call({ ...ask, path: ask.path?.replace('?alt=sse', '') ?? '' });
      expect(answer.headers['content-type']).toContain('application/json');
      const parts = JSON.parse(answer.text);
      const last = parts.at(-1);
      if (breaks && upstream === 'gemini') expect(last.error.code).toBe(503);
      else expect(last.candidates[0].finishReason).toBe('STOP');
    }
  },
);

test('model names that end in -thinking request reasoning', async () => {
  for (const [type, model] of [
    [14, 'claude-haiku-4-5-thinking'],
    [24, 'gemini-3.7-flash-thinking'],
  ] as const) {
    await site.option('gemini.thinking_adapter_enabled', true);
    await setPrice(site, model, PRICE);
    await site.addChannel({ type, models: model });
    const answer = await site.call(ASK.chat(model, { text: 'Hi', maxTokens: 5000 }));
    expect(answer.status, answer.text).toBe(200);
  }
  const [claude, gemini] = site.upstream.requests;
  expect(JSON.parse(claude?.body ?? '')).toMatchObject({
    model: 'claude-haiku-4-5',
    thinking: { type: 'enabled', budget_tokens: 4000 },
  });
  expect(gemini?.path).toContain('gemini-3.7-flash:generateContent');
  expect(JSON.parse(gemini?.body ?? '').generationConfig.thinkingConfig).toEqual({
    includeThoughts: true,
    thinkingLevel: 'HIGH',
  });
});

test('reasoning is sent as text if the channel is set so', async () => {
  await setPrice(site, 'open-minded', PRICE);
  await site.addChannel({
    type: 14,
    models: 'open-minded',
    model_mapping: '{"open-minded":"claude-sonnet-4-5-reason"}',
    setting: '{"thinking_to_content":true}',
  });
  const answer = await site.call(ASK.chat('open-minded', { text: 'Hi', stream: true }));
  const text = wordsOf(heard('chat', answer, true), 'text');
  expect(text).toMatch(/^<think>\nThe user wants.*\n<\/think>\n.*Hi/s);
});

test('an image URL is forwarded, or fetched if the egress guard allows it', async () => {
  const picture = { type: 'image_url', image_url: { url: 'http://127.0.0.1:9/secret.png' } };
  const ask = (model: string) => {
    const { body, ...call } = ASK.chat(model, { text: 'Hi' });
    return {
      ...call,
      body: { ...(body as object), messages: [{ role: 'user', content: [picture] }] },
    };
  };
  const passed = await site.call(ask('via-anthropic'));
  expect(passed.status, passed.text).toBe(200);
  const sent = JSON.parse(site.upstream.requests.at(-1)?.body ?? '');
  expect(sent.messages[0].content[0].source).toEqual({ type: 'url', url: picture.image_url.url });
  const refused = await site.call(ask('via-gemini'));
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([400, 'fetch_refused']);
  expect(site.upstream.requests).toHaveLength(1);
});

describe('counting tokens', () => {
  test('is free and uses the client’s dialect', async () => {
    const { path, ...ask } = ASK.anthropic('via-chat', { text: 'Hello there' });
    const counted = await site.call({ ...ask, path: `${path}/count_tokens` });
    expect(JSON.parse(counted.text)).toEqual({ input_tokens: expect.any(Number) });
    const contents = [{ parts: [{ text: 'Hello there' }] }];
    for (const body of [{ contents }, { generateContentRequest: { contents } }]) {
      const answer = await site.call({ path: '/v1beta/models/via-gemini:countTokens', body });
      expect(JSON.parse(answer.text).totalTokens).toBeGreaterThan(1);
      expect(await site.logOf(answer.requestId)).toBe(undefined);
    }
    expect(site.upstream.requests).toEqual([]);
  });

  test('is refused for a model that no channel serves', async () => {
    const { path, ...ask } = ASK.anthropic('nobody-has-it', { text: 'Hi' });
    const answer = await site.call({ ...ask, path: `${path}/count_tokens` });
    expect([answer.status, JSON.parse(answer.text).error.type]).toEqual([404, 'not_found_error']);
  });
});

describe('refusals before any upstream', () => {
  test.each([
    ['anthropic', '/v1/messages', { model: 'm' }, 400, 'invalid_request_error'],
    ['gemini', '/v1beta/models/m:generateContent', {}, 400, 'INVALID_ARGUMENT'],
  ] as const)('%s names the missing field', async (_client, path, body, status, type) => {
    const answer = await site.call({ path, body });
    const { error } = JSON.parse(answer.text);
    expect(answer.status).toBe(status);
    expect(error.type ?? error.status).toBe(type);
    expect(error.message).toMatch(/messages|contents/);
  });

  test("a wrong key is reported in the client's dialect, whichever header carries it", async () => {
    const ask = ASK.anthropic('via-chat', { text: 'Hi' });
    const wrong = await site.call({ ...ask, key: '', headers: { 'x-api-key': 'sk-wrong' } });
    expect([wrong.status, JSON.parse(wrong.text).error.type]).toEqual([
      401,
      'authentication_error',
    ]);
    const right = await site.call({
      ...ask,
      key: 'sk-wrong',
      headers: { 'x-api-key': site.token.key },
    });
    expect(right.status).toBe(200);
    const google = ASK.gemini('via-chat', { text: 'Hi' });
    const refused = await site.call({
      ...google,
      key: '',
      headers: { 'x-goog-api-key': 'sk-wrong' },
    });
    expect(JSON.parse(refused.text).error.status).toBe('UNAUTHENTICATED');
    const path = `${google.path}?key=${site.token.key}`;
    expect((await site.call({ ...google, key: '', path })).status).toBe(200);
  });

  test.each([
    ['/v1beta/models/m:predict', 501],
    ['/v1beta/models/m:dance', 404],
    ['/v1beta/models/m', 404],
  ])('%s answers %i', async (path, status) => {
    expect((await site.call({ path, body: {} })).status).toBe(status);
  });
});

test.each([
  [14, 'claude-sonnet-5'],
  [24, 'gemini-3.7-flash'],
] as const)('a channel of type %i can be tested and lists its models', async (type, model) => {
  const { id } = await site.addChannel({ type, models: model });
  const { probe, channelModel } = site.as(OPERATOR);
  for (const stream of [false, true]) {
    const result = await probe.test({ id, stream });
    expect(result).toMatchObject({ success: true, status_code: 200 });
    expect(result.answer).not.toBe('');
  }
  site.upstream.script({ refuse: { status: 404, message: 'no such model' } });
  expect(await probe.test({ id })).toMatchObject({ success: false, message: 'no such model' });
  expect(await channelModel.fetch({ id })).toContain('gpt-4o-mini');
});

test.each(CLIENTS)('a channel’s own system prompt precedes that of a %s client', async (client) => {
  for (const [type, model] of [
    [14, 'prompted-claude'],
    [24, 'prompted-gemini'],
  ] as const) {
    const name = `${model}-${client}`;
    await setPrice(site, name, PRICE);
    await site.addChannel({ type, models: name, system_prompt: 'Speak like a pirate.' });
    expect((await site.call(ASK[client](name, { text: 'Hi' }))).status).toBe(200);
    const sent = JSON.parse(site.upstream.requests.at(-1)?.body ?? '');
    const system = JSON.stringify(sent.system ?? sent.systemInstruction);
    expect(system).toMatch(/Speak like a pirate\..*Be brief\./);
  }
});

test('a channel’s override is applied last, in the upstream’s dialect', async () => {
  await setPrice(site, 'overridden', PRICE);
  await site.addChannel({ type: 14, models: 'overridden', param_override: '{"max_tokens":7}' });
  for (const client of CLIENTS) await site.call(ASK[client]('overridden', { text: 'Hi' }));
  const limits = site.upstream.requests.map(({ body }) => JSON.parse(body).max_tokens);
  expect(limits).toEqual(CLIENTS.map(() => 7));
});

test('sensitive words are found in every dialect', async () => {
  await site.option('CheckSensitiveEnabled', true);
  await site.option('CheckSensitiveOnPromptEnabled', true);
  await site.option('SensitiveWords', 'forbiddenword');
  for (const client of CLIENTS) {
    const answer = await site.call(ASK[client]('via-chat', { text: 'a forbiddenword here' }));
    expect(answer.status, answer.text).toBe(400);
  }
  await site.option('CheckSensitiveEnabled', false);
});

test('models are listed in Google’s format', async () => {
  const answer = await site.call({ path: '/v1beta/models', method: 'GET' });
  const { models } = JSON.parse(answer.text);
  expect(models).toContainEqual({
    name: 'models/via-gemini',
    baseModelId: 'via-gemini',
    version: '001',
    displayName: 'via-gemini',
    description: '',
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    thinking: false,
  });
});
