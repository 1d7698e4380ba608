/**
 * Known ways in which gateways go wrong, each from end to end: what the upstream sent, what the client
 * got, what was charged. The other tests named `D<number>:` in this folder belong to the same list.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectedAnswer } from '../../src/demo/fake-upstream/usage.ts';
import { chunk, FINISH, frames, said } from '../dialects/frames.ts';
import { aSite, type Site } from '../site.ts';
import { bodyIn, chunksIn, contentIn, eventsIn } from '../upstream/wire.ts';
import { aLane, type Lane, type LaneOptions, MESSAGES, PRICE, spareChannel } from './lane.ts';
import { type RawUpstream, rawUpstream, SSE, streamed, streamText, whole } from './raw-upstream.ts';
import { promptCount, textCount, tokensOfUsage, unitsOf } from './units.ts';

let site: Site;
let raw: RawUpstream;

beforeAll(async () => {
  site = await aSite({ upstreams: 2 });
  raw = await rawUpstream();
});

afterAll(async () => {
  await site.close();
  await raw.close();
});

const STREAM = { stream: true } as const;
const WITH_USAGE = { stream: true, stream_options: { include_usage: true } } as const;
const USAGE = { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39 };
const ROLE = chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null });
const USAGE_CHUNK = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1763700001,
  model: 'up-1',
  choices: [],
  usage: USAGE,
});

function rawLane(options: LaneOptions = {}): Promise<Lane> {
  return aLane(site, { ...options, channel: { base_url: raw.url, ...options.channel } });
}

function toolChunk(...calls: object[]): string {
  return chunk({ delta: { tool_calls: calls }, finish_reason: null });
}

const TOOL_FRAMES = [
  ROLE,
  toolChunk({ id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } }),
  toolChunk({ function: { arguments: '{"x":1}' } }),
  toolChunk({ id: 'call_b', type: 'function', function: { name: 'two', arguments: '' } }),
  toolChunk({ function: { arguments: '{"y":2}' } }),
  chunk({ delta: {}, finish_reason: 'tool_calls' }),
];

test('D2: parallel calls without an index go on as they came, and are two calls on the bill', async () => {
  const lane = await rawLane();
  raw.answer = streamed(...TOOL_FRAMES, '[DONE]');
  const answer = await lane.call(STREAM);
  expect(answer.text).toBe(streamText(...TOOL_FRAMES, '[DONE]'));
  expect(await site.logOf(answer.requestId)).toMatchObject({
    completion_tokens: textCount('one{"x":1}two{"y":2}'),
  });
});

test('D2: where a format is forced, each of them gets a slot of its own', async () => {
  const lane = await rawLane({ channel: { setting: '{"force_format":true}' } });
  raw.answer = streamed(...TOOL_FRAMES, '[DONE]');
  const calls = chunksIn((await lane.call(STREAM)).text).flatMap(
    ({ choices }) => choices[0]?.delta?.tool_calls ?? [],
  );
  expect(calls.map(({ index }) => index)).toEqual([0, 0, 1, 1]);
});

test('D2: where the answer is added up, they stay two calls', async () => {
  const lane = await rawLane();
  raw.answer = streamed(...TOOL_FRAMES, '[DONE]');
  const [choice] = bodyIn((await lane.call()).text).choices;
  expect(choice?.message?.tool_calls).toEqual([
    { id: 'call_a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } },
    { id: 'call_b', type: 'function', function: { name: 'two', arguments: '{"y":2}' } },
  ]);
});

test('D5: a usage chunk that is made has no choices, and the identity of the stream', async () => {
  const lane = await rawLane();
  raw.answer = streamed(ROLE, said('made of five short words'), FINISH, '[DONE]');
  const answer = await lane.call(WITH_USAGE);
  const made = chunksIn(answer.text).at(-1);
  expect(made).toMatchObject({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1763700001,
    choices: [],
    usage: { completion_tokens: textCount('made of five short words') },
  });
});

test.each([
  ['an empty list', USAGE_CHUNK],
  ['no list at all', JSON.stringify({ ...JSON.parse(USAGE_CHUNK), choices: undefined })],
  ['null', JSON.stringify({ ...JSON.parse(USAGE_CHUNK), choices: null })],
])('D6: usage is read before choices are looked for (%s)', async (_what, usageChunk) => {
  const lane = await rawLane();
  raw.answer = streamed(said('hi'), FINISH, usageChunk, '[DONE]');
  const answer = await lane.call(STREAM);
  expect(answer.text).toBe(streamText(said('hi'), FINISH, '[DONE]'));
  expect(await lane.bill()).toEqual(
    lane.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
  );
});

test.each([
  ['an empty usage', { usage: {} }],
  ['a usage of zeros', { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
  ['none', {}],
])('D7: usage before the last chunk is not erased by %s after it', async (_what, last) => {
  const lane = await rawLane();
  const lastChunk = JSON.stringify({ ...JSON.parse(USAGE_CHUNK), usage: undefined, ...last });
  raw.answer = streamed(said('hi'), FINISH, USAGE_CHUNK, lastChunk, '[DONE]');
  const answer = await lane.call(WITH_USAGE);
  const telling = chunksIn(answer.text).filter(({ usage }) => usage);
  expect(telling).toEqual([JSON.parse(USAGE_CHUNK)]);
  expect(await lane.bill()).toEqual(
    lane.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
  );
});

test('D8: a stream of nothing but usage ends well and is charged by it', async () => {
  const lane = await rawLane();
  raw.answer = streamed(USAGE_CHUNK, '[DONE]');
  const answer = await lane.call(WITH_USAGE);
  expect(answer.text).toBe(streamText(USAGE_CHUNK, '[DONE]'));
  expect(await lane.bill()).toEqual(
    lane.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
  );
});

test('D9: nothing empty with choices follows the finish', async () => {
  const lane = await rawLane();
  raw.answer = streamed(ROLE, said('hi'), FINISH, ROLE, USAGE_CHUNK, '[DONE]');
  const { text } = await lane.call(WITH_USAGE);
  expect(text).toBe(streamText(ROLE, said('hi'), FINISH, USAGE_CHUNK, '[DONE]'));
});

test.each(['{"content":""}', '{}', '{"content":null,"tool_calls":null}'])(
  'D10: the last delta %s goes on as it is',
  async (delta) => {
    const lane = await rawLane();
    const last = `{"id":"x", "choices":[ {"index":0,"delta":${delta},"finish_reason":"stop"} ]}`;
    raw.answer = streamed(said('hi'), last, '[DONE]');
    expect((await lane.call(STREAM)).text).toBe(streamText(said('hi'), last, '[DONE]'));
  },
);

test('D11: the opening report of Azure is no chunk, and no identity comes from it', async () => {
  const lane = await aLane(site, { channel: { type: 3, other: '2024-10-21' } });
  const answer = await lane.call(WITH_USAGE);
  expect(site.upstream.requests.at(-1)?.path).toContain(`/openai/deployments/${lane.model}/`);
  const chunks = chunksIn(answer.text);
  expect(answer.text).not.toContain('prompt_filter_results');
  expect(new Set(chunks.map(({ id, model }) => `${id} ${model}`)).size).toBe(1);
  expect(chunks[0]).toMatchObject({ id: expect.stringMatching(/^chatcmpl-/), model: lane.model });
  expect(contentIn(chunks)).toBe(expectedAnswer(lane.body()).texts[0]);
});

test('D12: late verdicts of Azure without a delta break no client', async () => {
  const lane = await aLane(site, { channel: { type: 3, other: '2024-10-21' } });
  lane.script('async-filter');
  const answer = await lane.call(WITH_USAGE);
  const choices = chunksIn(answer.text).flatMap((one) => one.choices);
  expect(choices.every(({ delta }) => typeof delta === 'object')).toBe(true);
  const { usage } = expectedAnswer(lane.body());
  expect((await lane.bill()).spent.user).toBe(unitsOf(tokensOfUsage(usage), PRICE));
});

test('D12: an answer that a filter stopped is charged by what got through', async () => {
  const lane = await rawLane();
  raw.answer = streamed(...frames('azure/chat-blocked'));
  const answer = await lane.call(STREAM);
  expect(answer.status).toBe(200);
  expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
  expect(answer.text).toContain('content_filter');
  const units = unitsOf({ input: promptCount(MESSAGES), output: textCount('Once') }, PRICE);
  expect(await lane.bill()).toEqual(lane.charged(answer.requestId, units));
});

test('D13: a tool call may begin after role and text', async () => {
  const lane = await rawLane();
  const sent = [ROLE, said('Let me look. '), ...TOOL_FRAMES.slice(1)];
  raw.answer = streamed(...sent, '[DONE]');
  const answer = await lane.call(STREAM);
  expect(answer.text).toBe(streamText(...sent, '[DONE]'));
  const [choice] = bodyIn((await lane.call()).text).choices;
  expect(choice?.message).toMatchObject({ content: 'Let me look. ', tool_calls: { length: 2 } });
});

test('D26: the message of an error inside a stream reaches the client, and is no content', async () => {
  const lane = await rawLane();
  raw.answer = streamed(said('hi'), {
    error: { message: 'the fan is broken', type: 'server_error' },
  });
  const answer = await lane.call(STREAM);
  const error = bodyIn(eventsIn(answer.text).at(-2) ?? '').error;
  expect(error?.message).toContain('the fan is broken');
  expect(await site.logOf(answer.requestId)).toMatchObject({ completion_tokens: textCount('hi') });
});

test('D27: an error told as an event with a status of its own keeps its words', async () => {
  const lane = await aLane(site);
  lane.script('sse-error:503');
  const answer = await lane.call(STREAM);
  expect([answer.status, bodyIn(answer.text).error?.message]).toEqual([
    503,
    `The model is overloaded. (request id: ${answer.requestId})`,
  ]);
});

test('D29: what the client did wrong is not tried elsewhere, and a failed channel not twice', async () => {
  await site.option('RetryTimes', 3);
  const [first, second] = site.upstreams;
  if (first === undefined || second === undefined) throw new Error('two upstreams are needed');
  const lane = await aLane(site);
  await spareChannel(lane, second);
  first.setDefault('context-length');
  expect((await lane.call(STREAM)).status).toBe(400);
  expect([first.stats.calls, second.stats.calls]).toEqual([1, 0]);
  first.setDefault('status:503');
  second.setDefault('status:503');
  expect((await lane.call(STREAM)).status).toBe(503);
  expect([first.stats.calls, second.stats.calls]).toEqual([2, 1]);
  await site.option('RetryTimes', 0);
});

test('D31: an error inside a stream tells type and code, so that a client can decide to repeat', async () => {
  const lane = await rawLane();
  const error = { message: 'too fast', type: 'requests', code: 'rate_limit_exceeded', param: null };
  raw.answer = streamed(said('hi'), { error });
  const answer = await lane.call(STREAM);
  expect(bodyIn(eventsIn(answer.text).at(-2) ?? '').error).toMatchObject({
    type: 'requests',
    code: 'rate_limit_exceeded',
  });
});

test('D72: the upstream is asked for plain bytes, whatever the client takes', async () => {
  const lane = await rawLane();
  raw.answer = whole({ choices: [{ index: 0, message: { content: 'hi' } }], usage: USAGE });
  const answer = await lane.call(
    {},
    { body: lane.body(), headers: { 'accept-encoding': 'br, zstd' } },
  );
  expect(raw.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
  expect(answer.headers['content-encoding']).toBeUndefined();
});

test('D75: an answer whose model name is mapped back keeps every other byte', async () => {
  const lane = await rawLane();
  await site.as({ kind: 'operator' }).channel.edit({
    id: lane.channel.id,
    model_mapping: JSON.stringify({ [lane.model]: 'up-1' }),
  });
  const text =
    '{"big":12345678901234567890,"model":"up-1", "z":1.0,"a":"\\u0041\\/","choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}';
  raw.answer = whole(text);
  const renamed = text.replace('"model":"up-1", ', `"model":"${lane.model}",`);
  expect((await lane.call()).text).toBe(renamed);
});

test('D82: ids of tool calls, repeated or long, are the upstream’s own and go on unchanged', async () => {
  const lane = await rawLane();
  const id = 'i'.repeat(100);
  const sent = [0, 1].map((index) =>
    toolChunk({ index, id, type: 'function', function: { name: 'f', arguments: '{}' } }),
  );
  raw.answer = streamed(...sent, chunk({ delta: {}, finish_reason: 'tool_calls' }), '[DONE]');
  const answer = await lane.call(STREAM);
  expect(answer.text.startsWith(streamText(...sent))).toBe(true);
});

test('D84: zeros, nulls and empty lists of the client are not ours to judge', async () => {
  const lane = await rawLane();
  raw.answer = whole({ choices: [{ index: 0, message: { content: 'hi' } }], usage: USAGE });
  const odd = { max_tokens: 0, temperature: null, tools: [], stop: [], metadata: null };
  const answer = await lane.call(odd);
  expect(answer.status).toBe(200);
  expect(JSON.parse(raw.requests.at(-1)?.body ?? '')).toEqual(lane.body(odd));
});

const ODD = [
  '{"id":7,"created":"1763700001.5","choices":[{"delta":{"content":"hi"}}]}',
  '{"created":1763700001.5,"choices":[{"delta":{},"finish_reason":"eos"}]}',
];

test('D85: odd ids, times and missing fields pass when no format is forced', async () => {
  const lane = await rawLane();
  raw.answer = streamed(...ODD, '[DONE]');
  expect((await lane.call(STREAM)).text).toBe(streamText(...ODD, '[DONE]'));
});

test('D85: where a format is forced they are filled in', async () => {
  const lane = await rawLane({ channel: { setting: '{"force_format":true}' } });
  raw.answer = streamed(...ODD, '[DONE]');
  const chunks = chunksIn((await lane.call(STREAM)).text);
  expect(chunks).toHaveLength(2);
  for (const one of chunks) {
    expect(one).toMatchObject({ object: 'chat.completion.chunk', choices: [{ index: 0 }] });
    expect(Number.isInteger(one.created)).toBe(true);
    expect(typeof one.id).toBe('string');
  }
  expect(chunks[1]?.choices[0]?.finish_reason).toBe('stop');
});

test('a stream whose head was sent with another line end is still one stream', async () => {
  const lane = await rawLane();
  raw.answer = (response) =>
    response
      .writeHead(200, { 'content-type': 'Text/Event-Stream;charset=UTF-8' })
      .end(`data: ${said('a')}\r\n\r\ndata: ${said('b')}\n\ndata: ${FINISH}\r\rdata: [DONE]\n\n`);
  const answer = await lane.call(STREAM);
  expect(SSE['content-type']).toBe('text/event-stream');
  expect(contentIn(chunksIn(answer.text))).toBe('ab');
  expect((await lane.bill()).charges).toHaveLength(1);
});
