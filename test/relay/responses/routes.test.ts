/** Routing of Responses calls: forwarded, translated, or bound to the channel with the history. */
import { describe, expect, test } from 'vitest';
import { cleanUp } from '../../../src/jobs/cleanup.ts';
import { collected, eventsIn, framesIn } from '../../dialects/hub/streams.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, type SiteAnswer } from '../../support/site.ts';
import type { Plan } from '../../upstream/plans/plan.ts';
import { startFakeUpstream } from '../../upstream/server.ts';
import { setPrice } from '../tenant.ts';

const PRICE = { ratio: '1', completion: '1' };

const site = await sharedSite();

let made = 0;

/** A separate model for one test, served by one channel with these fields. */
async function aModel(upstreamModel: string, fields: object = {}): Promise<string> {
  made += 1;
  const name = `way-${made}`;
  await setPrice(site, name, PRICE);
  const mapping = JSON.stringify({ [name]: upstreamModel });
  await site.addChannel({ models: name, model_mapping: mapping, ...fields });
  return name;
}

function respond(model: string, extra: object = {}): Promise<SiteAnswer> {
  return site.call({ path: '/v1/responses', body: { model, input: 'Hello there', ...extra } });
}

function chat(model: string, extra: object = {}): Promise<SiteAnswer> {
  const messages = [{ role: 'user', content: 'Use f, please' }];
  return site.call({ body: { model, messages, ...extra } });
}

function sent(index = -1): Record<string, unknown> & { path: string } {
  const request = site.upstream.requests.at(index);
  return { ...JSON.parse(request?.body ?? '{}'), path: request?.path };
}

const F = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };

/** A Codex request: not stored, encrypted reasoning, its own tool types. */
const CODEX = {
  instructions: 'You are a coding agent.',
  input: [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: '<permissions>' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it' }] },
    { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAAAAown' },
    { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call_1' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a.ts' },
    { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'call_2' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'ok' },
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Now apply_patch again' }],
    },
  ],
  tools: [
    { type: 'function', name: 'shell', strict: false, parameters: { type: 'object' } },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    { type: 'local_shell' },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199-session',
  text: { verbosity: 'low' },
};

describe('a Codex request', () => {
  test.each([
    ['responses', 'gpt-5.3-codex', { type: 1 }],
    ['chat of OpenAI’s like', 'glm-5', { type: 1, setting: '{"chat_only":true}' }],
    ['a chat that refuses unknown fields', 'kimi-k2p5', { type: 1003 }],
    ['anthropic', 'claude-sonnet-4-5', { type: 14 }],
    ['gemini', 'gemini-3.1-pro-preview', { type: 24 }],
  ])('is answered over %s with the tool as it was defined', async (_name, upstream, fields) => {
    const model = await aModel(upstream, fields);
    const { status, text } = await respond(model, CODEX);
    expect(status, text).toBe(200);
    const frames = framesIn(text);
    expect(frames.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { usage: { total_tokens: expect.any(Number) } },
    });
    const items = frames.flatMap((frame) =>
      frame.type === 'response.output_item.done' ? [frame.item] : [],
    );
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'custom_tool_call', name: 'apply_patch' }),
    );
  });

  test('is forwarded unchanged to an upstream with the Responses API', async () => {
    const model = await aModel('gpt-5.3-codex');
    await respond(model, CODEX);
    const { path, model: named, ...body } = sent();
    expect([path, named]).toEqual(['/v1/responses', 'gpt-5.3-codex']);
    expect(body).toEqual(CODEX);
  });
});

describe('a model that supports a request only on the Responses API', () => {
  test.each([
    ['gpt-5.3-codex', {}, '/v1/responses'],
    ['o3-pro', {}, '/v1/responses'],
    ['o4-mini-deep-research', {}, '/v1/responses'],
    ['gpt-5.5', { tools: [F] }, '/v1/responses'],
    ['gpt-5.5', { tools: [F], reasoning_effort: 'none' }, '/v1/chat/completions'],
    ['gpt-5.5', {}, '/v1/chat/completions'],
    ['gpt-6-astra', { tools: [F], reasoning_effort: 'none' }, '/v1/responses'],
    ['gpt-4o', { tools: [F] }, '/v1/chat/completions'],
    ['gpt-5.5-chat-latest', { tools: [F] }, '/v1/chat/completions'],
    ['gemini-3.1-pro-preview', {}, '/v1/chat/completions'],
  ])('%s with %j is sent to %s', async (upstream, extra, path) => {
    const model = await aModel(upstream);
    const { status, text } = await chat(model, extra);
    expect(status, text).toBe(200);
    expect(sent().path).toBe(path);
    expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion', model });
  });

  test('stores nothing upstream and calls the tools of a chat client', async () => {
    const model = await aModel('gpt-6-sol');
    const { text } = await chat(model, { tools: [F], reasoning_effort: 'high', stop: ['x'] });
    expect(JSON.parse(text).choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ type: 'function', function: { name: 'f' } }] },
    });
    expect(sent()).toMatchObject({ store: false, reasoning: { effort: 'high' } });
  });

  test('gets its reasoning back from a chat client', async () => {
    const model = await aModel('gpt-5.3-codex-reason');
    const first = JSON.parse((await chat(model)).text).choices[0].message;
    expect(first.reasoning_details).toMatchObject([{ format: 'openai-responses-v1' }]);
    const messages = [
      { role: 'user', content: 'Think' },
      first,
      { role: 'user', content: 'Go on' },
    ];
    expect((await site.call({ body: { model, messages } })).status).toBe(200);
    const { input } = sent() as { input?: { type: string; encrypted_content?: string }[] };
    expect(input?.[1]).toMatchObject({ type: 'reasoning', encrypted_content: 'gAAAAFakeProof==' });
  });

  test('is tested on the Responses API', async () => {
    const channel = await site.addChannel({ models: 'gpt-5.2-pro' });
    const { probe } = site.as({ kind: 'operator' });
    for (const stream of [false, true])
      expect(await probe.test({ id: channel.id, stream })).toMatchObject({ success: true });
    expect(sent().path).toBe('/v1/responses');
  });
});

const NOT_THERE: Plan = { refuse: { status: 404, code: '', message: 'Not Found' } };

describe('an upstream without the Responses API', () => {
  test('is called over chat immediately and from then on', async () => {
    const model = await aModel('glm-5');
    site.upstream.script(NOT_THERE);
    const first = await respond(model);
    expect(JSON.parse(first.text)).toMatchObject({ status: 'completed', model });
    expect((await respond(model)).status).toBe(200);
    expect(site.upstream.requests.map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ]);
    await site.settled();
    expect(await site.ledgerOf(first.requestId)).toHaveLength(1);
  });

  test('is not retried for what chat cannot express, and a missing model is reported as such', async () => {
    const model = await aModel('glm-5');
    site.upstream.script({ refuse: { status: 404 } });
    expect((await respond(model)).status).toBe(404);
    site.upstream.script(NOT_THERE);
    const body = { model, input: [{ type: 'compaction', encrypted_content: 'x' }] };
    expect((await site.call({ path: '/v1/responses', body })).status).toBe(404);
    expect(site.upstream.requests).toHaveLength(2);
  });
});

test('reasoning that another account encrypted is dropped and the call retried', async () => {
  const refusal: Plan = { refuse: { status: 400, code: 'invalid_encrypted_content' } };
  const model = await aModel('gpt-5.3-codex');
  site.upstream.script(refusal);
  expect((await respond(model, CODEX)).status).toBe(200);
  expect(JSON.stringify(sent(0))).toContain('gAAAAAown');
  expect(JSON.stringify(sent(1))).not.toContain('gAAAAAown');
  site.upstream.script(refusal, refusal);
  const { status, text } = await respond(model, CODEX);
  expect([status, JSON.parse(text).error.code]).toEqual([400, 'invalid_encrypted_content']);
  expect(site.upstream.requests).toHaveLength(4);
});

test('a follow-up of a stored response uses its channel and key', async () => {
  const name = 'kept-somewhere';
  await setPrice(site, name, PRICE);
  const keys = ['sk-a', 'sk-b', 'sk-c'];
  const upstreams = [await startFakeUpstream({ keys }), await startFakeUpstream({ keys })];
  for (const upstream of upstreams)
    await site.addChannel({ models: name, upstream, key: keys.join('\n') });
  for (let turn = 0; turn < 6; turn += 1) {
    for (const upstream of upstreams) upstream.reset();
    const first = await respond(name, { input: `Turn ${turn}` });
    const { id, output } = JSON.parse(first.text);
    const reference = { type: 'item_reference', id: output[0].id };
    await respond(name, { previous_response_id: id });
    await respond(name, { input: [reference, { role: 'user', content: 'Hi' }] });
    await site.call({ method: 'GET', path: `/v1/responses/${id}` });
    const requestCounts = upstreams.map(({ requests }) => requests.length);
    expect(requestCounts.toSorted()).toEqual([0, 4]);
    const used = upstreams.flatMap(({ requests }) =>
      requests.map(({ headers }) => headers.authorization),
    );
    expect(new Set(used).size).toBe(1);
  }
  for (const upstream of upstreams) await upstream.close();
});

test('a stored response is forgotten after its retention', async () => {
  const model = await aModel('gpt-4o-mini');
  const { id } = JSON.parse((await respond(model)).text);
  const path = `/v1/responses/${id}`;
  await cleanUp(site.ctx, AbortSignal.timeout(5000));
  expect((await site.call({ method: 'GET', path })).status).toBe(200);
  const later = { ...site.ctx, now: () => Date.now() + 31 * 86_400_000 };
  await cleanUp(later, AbortSignal.timeout(5000));
  const gone = await site.call({ method: 'GET', path });
  expect([gone.status, JSON.parse(gone.text).error.code]).toEqual([404, 'not_found']);
});

test.each([
  ['conversation', { conversation: 'conv_1' }, 14],
  ['background', { background: true }, 14],
])('%s is refused with an explanation', async (param, extra, type) => {
  const model = await aModel('claude-sonnet-4-5', { type });
  const { status, text } = await respond(model, extra);
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({ param, type: 'invalid_request_error' });
  expect(site.upstream.requests).toEqual([]);
});

describe('a Responses stream forwarded unchanged', () => {
  test('has the requested model name, and is otherwise identical byte for byte', async () => {
    const model = await aModel('gpt-4o-mini');
    const { text } = await respond(model, { stream: true });
    const names = framesIn(text).flatMap(({ response }) =>
      response === undefined ? [] : [(response as { model: string }).model],
    );
    expect(new Set(names)).toEqual(new Set([model]));
    expect(text).toContain('"obfuscation":"x"');
    expect(collected(eventsIn('responses', text)).stop).toBe('end');
  });

  test('that breaks ends as failed with its own ids, and is charged by the counted tokens', async () => {
    const model = await aModel('gpt-4o-mini');
    expect((await respond(model)).status).toBe(200);
    site.upstream.script({ events: 9, fault: { ending: 'error', after: 8 } });
    const answer = await respond(model, { stream: true });
    const frames = framesIn(answer.text);
    expect(frames.map(({ sequence_number }) => sequence_number)).toEqual(
      frames.map((_, index) => index),
    );
    expect(frames.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
    const ids = framesIn(answer.text).flatMap(({ response }) =>
      response === undefined ? [] : [(response as { id: string }).id],
    );
    expect(new Set(ids).size).toBe(1);
    await site.settled();
    const log = await eventually('it is logged', () => site.logOf(answer.requestId));
    expect(log.usage_source).toBe('estimated');
    expect(log.completion_tokens).toBeGreaterThan(2);
  });
});

test('a model name that ends in an effort requests that effort', async () => {
  const model = await aModel('gpt-5.1-high');
  await respond(model, { reasoning: { summary: 'auto' } });
  expect(sent()).toMatchObject({
    model: 'gpt-5.1',
    reasoning: { summary: 'auto', effort: 'high' },
  });
});

test('a key without permission gets an error in the Responses format', async () => {
  const wrong = await site.call({ path: '/v1/responses', body: {}, key: 'sk-wrong' });
  expect([wrong.status, JSON.parse(wrong.text).error.code]).toEqual([401, 'invalid_api_key']);
  const unknown = await site.call({ path: '/v1/responses/resp_x', method: 'GET', key: 'sk-wrong' });
  expect(unknown.status).toBe(401);
});
