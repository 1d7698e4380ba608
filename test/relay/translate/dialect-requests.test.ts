/** Requests in each dialect: what the upstream receives, and what is answered without one. */
import { describe, expect, test } from 'vitest';
import { hubAnswerOf, wordsOf } from '../../system/matrix/clients.ts';
import { setPrice } from '../tenant.ts';
import { aDialectSite, CLIENTS, PRICE, REQUESTS } from './dialect-site.ts';

const site = await aDialectSite();

describe('a request to an upstream of the same dialect', () => {
  test('keeps unknown fields, version and beta headers, and the operator’s headers', async () => {
    await site.option('claude.model_headers_settings', {
      'via-anthropic': { 'anthropic-beta': ['own-1', 'shared'], 'x-own': ['1'] },
    });
    const request = REQUESTS.anthropic('via-anthropic', { text: 'Hi' });
    await site.call({
      ...request,
      body: { ...(request.body as object), service_tier: 'auto' },
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
    const request = REQUESTS.anthropic('via-anthropic', { text: 'Hi' });
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
    const { status } = await site.call({
      ...request,
      body: { ...(request.body as object), messages },
    });
    expect(status).toBe(200);
    expect(JSON.parse(site.upstream.requests.at(-1)?.body ?? '').messages[1].content).toEqual([
      { type: 'thinking', thinking: 'z', signature: 'own' },
      { type: 'text', text: 'b' },
    ]);
  });
});

test('a tool call turn restores the signature that the client could not keep', async () => {
  const tools = ['get_weather'];
  const request = REQUESTS.chat('via-gemini', { text: 'Use get_weather', tools });
  const first = JSON.parse((await site.call(request)).text).choices[0].message;
  const call = first.tool_calls[0];
  const { extra_content: _, ...forgetful } = call;
  const body = request.body as { messages: object[] };
  const messages = [
    ...body.messages,
    { role: 'assistant', content: null, tool_calls: [forgetful] },
    { role: 'tool', tool_call_id: call.id, content: 'sunny' },
  ];
  const second = await site.call({ ...request, body: { ...body, messages } });
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
      const request = REQUESTS.gemini(`via-${upstream}`, { text: 'Hi', stream: true });
      const answer = await site.call({
        ...request,
        path: request.path?.replace('?alt=sse', '') ?? '',
      });
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
    const answer = await site.call(REQUESTS.chat(model, { text: 'Hi', maxTokens: 5000 }));
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
  const answer = await site.call(REQUESTS.chat('open-minded', { text: 'Hi', stream: true }));
  const text = wordsOf(hubAnswerOf('chat', answer, true), 'text');
  expect(text).toMatch(/^<think>\nThe user wants.*\n<\/think>\n.*Hi/s);
});

test('an image URL is forwarded, or fetched if the egress guard allows it', async () => {
  const picture = { type: 'image_url', image_url: { url: 'http://127.0.0.1:9/secret.png' } };
  const request = (model: string) => {
    const { body, ...call } = REQUESTS.chat(model, { text: 'Hi' });
    return {
      ...call,
      body: { ...(body as object), messages: [{ role: 'user', content: [picture] }] },
    };
  };
  const passed = await site.call(request('via-anthropic'));
  expect(passed.status, passed.text).toBe(200);
  const sent = JSON.parse(site.upstream.requests.at(-1)?.body ?? '');
  expect(sent.messages[0].content[0].source).toEqual({ type: 'url', url: picture.image_url.url });
  const refused = await site.call(request('via-gemini'));
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([400, 'fetch_refused']);
  expect(site.upstream.requests).toHaveLength(1);
});

describe('counting tokens', () => {
  test('D41 is free and uses the client’s dialect', async () => {
    const { path, ...request } = REQUESTS.anthropic('via-chat', { text: 'Hello there' });
    const counted = await site.call({ ...request, path: `${path}/count_tokens` });
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
    const { path, ...request } = REQUESTS.anthropic('no-such-model', { text: 'Hi' });
    const answer = await site.call({ ...request, path: `${path}/count_tokens` });
    expect([answer.status, JSON.parse(answer.text).error.type]).toEqual([404, 'not_found_error']);
  });
});

test.each(CLIENTS)('a channel’s own system prompt precedes that of a %s client', async (client) => {
  for (const [type, model] of [
    [14, 'prompted-claude'],
    [24, 'prompted-gemini'],
  ] as const) {
    const name = `${model}-${client}`;
    await setPrice(site, name, PRICE);
    await site.addChannel({ type, models: name, system_prompt: 'Speak like a pirate.' });
    expect((await site.call(REQUESTS[client](name, { text: 'Hi' }))).status).toBe(200);
    const sent = JSON.parse(site.upstream.requests.at(-1)?.body ?? '');
    const system = JSON.stringify(sent.system ?? sent.systemInstruction);
    expect(system).toMatch(/Speak like a pirate\..*Be brief\./);
  }
});

test('a channel’s override is applied last, in the upstream’s dialect', async () => {
  await setPrice(site, 'overridden', PRICE);
  await site.addChannel({ type: 14, models: 'overridden', param_override: '{"max_tokens":7}' });
  for (const client of CLIENTS) await site.call(REQUESTS[client]('overridden', { text: 'Hi' }));
  const limits = site.upstream.requests.map(({ body }) => JSON.parse(body).max_tokens);
  expect(limits).toEqual(CLIENTS.map(() => 7));
});

test('sensitive words are found in every dialect', async () => {
  await site.option('CheckSensitiveEnabled', true);
  await site.option('CheckSensitiveOnPromptEnabled', true);
  await site.option('SensitiveWords', 'forbiddenword');
  for (const client of CLIENTS) {
    const answer = await site.call(REQUESTS[client]('via-chat', { text: 'a forbiddenword here' }));
    expect(answer.status, answer.text).toBe(400);
  }
  await site.option('CheckSensitiveEnabled', false);
});
