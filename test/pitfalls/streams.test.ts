/** Known ways in which streams go wrong, each from end to end. */
import { describe, expect, test } from 'vitest';
import { chunk, FINISH, said as saidChunk } from '../dialects/frames.ts';
import { callsOf, heard, wordsOf } from '../matrix/clients.ts';
import { PRICE } from '../relay/lane.ts';
import { streamed, streamText } from '../relay/raw-upstream.ts';
import { textCount, tokensOfUsage, unitsOf } from '../relay/units.ts';
import { chunksIn } from '../upstream/wire.ts';
import { aStage, callOf, type Json, NAMES, PAIRS, stored, wireOfFrames } from './stage.ts';

const stage = aStage();
const { hears } = stage;

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
const TEXT = 'Grüße 世界 🌍 こんにちは';

function toolChunk(...calls: object[]): string {
  return chunk({ delta: { tool_calls: calls }, finish_reason: null });
}

const UNNUMBERED = [
  ROLE,
  toolChunk({ id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } }),
  toolChunk({ function: { arguments: '{"x":1}' } }),
  toolChunk({ id: 'call_b', type: 'function', function: { name: 'two', arguments: '' } }),
  toolChunk({ function: { arguments: '{"y":2}' } }),
  chunk({ delta: {}, finish_reason: 'tool_calls' }),
];

/** Two interleaved calls, after thoughts and text. */
const INTERLEAVED = [
  ROLE,
  chunk({ delta: { reasoning_content: 'hm' }, finish_reason: null }),
  saidChunk('Both. '),
  toolChunk({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
  toolChunk({ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '' } }),
  toolChunk({ index: 0, function: { arguments: '{"x":' } }),
  toolChunk({ index: 1, function: { arguments: '{"y":' } }),
  toolChunk({ index: 0, function: { arguments: '1}' } }),
  toolChunk({ index: 1, function: { arguments: '2}' } }),
  chunk({ delta: {}, finish_reason: 'tool_calls' }),
];

const TWO_CALLS = [
  ['one', { x: 1 }],
  ['two', { y: 2 }],
];

describe('calls', () => {
  test('D01 tool calls are numbered from 0 regardless of the blocks before them in Anthropic’s stream', async () => {
    const wire = stored('anthropic', 'anthropic/thinking-parallel-tools');
    const { frames } = await hears('chat', 'anthropic', wire);
    const calls = frames.flatMap(({ choices: [choice] }: Json) => choice?.delta.tool_calls ?? []);
    expect([...new Set(calls.map(({ index }: Json) => index))]).toEqual([0, 1]);
    expect(calls.filter(({ id }: Json) => id !== undefined)).toHaveLength(2);
  });

  test.each(NAMES)(
    'D02 parallel calls without an index stay two calls for a %s client',
    async (client) => {
      const { said, lane, answer } = await hears(
        client,
        'chat',
        streamText(...UNNUMBERED, '[DONE]'),
      );
      expect(callsOf(said)).toEqual(TWO_CALLS);
      await lane.bill();
      expect(await stage.site.logOf(answer.requestId)).toMatchObject({
        completion_tokens: textCount('one{"x":1}two{"y":2}'),
      });
    },
  );

  test('D03 content blocks for Anthropic clients are numbered without gaps and never overlap', async () => {
    const { frames, said } = await hears('anthropic', 'chat', streamText(...INTERLEAVED, '[DONE]'));
    const blocks = frames.filter(({ type }) => type.startsWith('content_block'));
    let open: number | undefined;
    let next = 0;
    for (const { type, index } of blocks) {
      if (type === 'content_block_start') {
        expect([open, index]).toEqual([undefined, next]);
        open = index;
        next += 1;
      } else expect(index).toBe(open);
      if (type === 'content_block_stop') open = undefined;
    }
    expect([open, next]).toEqual([undefined, 4]);
    expect(callsOf(said)).toEqual(TWO_CALLS);
  });

  test('D04 whole and streamed answers contain the same calls, and no call is announced without being sent', async () => {
    const lane = await stage.fakeLane('anthropic');
    const wish = { text: 'Use one and two', tools: ['one', 'two'] };
    const whole = heard('chat', await stage.ask('chat', lane, wish));
    const streamed = await stage.ask('chat', lane, { ...wish, stream: true });
    expect(callsOf(whole)).toHaveLength(2);
    expect(callsOf(heard('chat', streamed, true))).toEqual(callsOf(whole));
    expect([whole.stop, heard('chat', streamed, true).stop]).toEqual(['tool_calls', 'tool_calls']);
    const promised = wireOfFrames(
      'anthropic',
      { type: 'message_start', message: { usage: { input_tokens: 1 } } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    );
    expect((await hears('chat', 'anthropic', promised)).answer.text).toContain('"stop"');
  });

  test('D13 a tool call may start after the role and after text', async () => {
    const lane = await stage.rawLane('chat');
    const sent = [ROLE, saidChunk('Let me look. '), ...UNNUMBERED.slice(1)];
    stage.raw.answer = streamed(...sent, '[DONE]');
    expect((await lane.call(STREAM)).text).toBe(streamText(...sent, '[DONE]'));
    const { said } = await hears('anthropic', 'chat', streamText(...sent, '[DONE]'));
    expect(wordsOf(said, 'text')).toBe('Let me look. ');
    expect(callsOf(said)).toEqual(TWO_CALLS);
  });
});

describe('usage in streams', () => {
  test('D05 a generated usage chunk has no choices and the identity of its stream', async () => {
    const lane = await stage.rawLane('chat');
    const words = 'made of five short words';
    stage.raw.answer = streamed(ROLE, saidChunk(words), FINISH, '[DONE]');
    expect(chunksIn((await lane.call(WITH_USAGE)).text).at(-1)).toMatchObject({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1763700001,
      choices: [],
      usage: { completion_tokens: textCount(words) },
    });
  });

  test.each([
    ['an empty list', USAGE_CHUNK],
    ['no list at all', JSON.stringify({ ...JSON.parse(USAGE_CHUNK), choices: undefined })],
    ['null', JSON.stringify({ ...JSON.parse(USAGE_CHUNK), choices: null })],
  ])('D06 usage is read even without choices (%s)', async (_what, usageChunk) => {
    const lane = await stage.rawLane('chat');
    stage.raw.answer = streamed(saidChunk('hi'), FINISH, usageChunk, '[DONE]');
    const answer = await lane.call(STREAM);
    expect(answer.text).toBe(streamText(saidChunk('hi'), FINISH, '[DONE]'));
    expect(await lane.bill()).toEqual(
      lane.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
    );
  });

  test.each([
    ['an empty usage', { usage: {} }],
    ['a usage of zeros', { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
    ['none', {}],
  ])('D07 usage before the last chunk is not overwritten by %s after it', async (_what, last) => {
    const lane = await stage.rawLane('chat');
    const lastChunk = JSON.stringify({ ...JSON.parse(USAGE_CHUNK), usage: undefined, ...last });
    stage.raw.answer = streamed(saidChunk('hi'), FINISH, USAGE_CHUNK, lastChunk, '[DONE]');
    const answer = await lane.call(WITH_USAGE);
    const telling = chunksIn(answer.text).filter(({ usage }) => usage);
    expect(telling).toEqual([JSON.parse(USAGE_CHUNK)]);
    expect(await lane.bill()).toEqual(
      lane.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
    );
  });

  test.each(NAMES)(
    'D08 a stream that contains only usage ends normally for a %s client',
    async (client) => {
      const { lane, answer, said, frames } = await hears(
        client,
        'chat',
        streamText(USAGE_CHUNK, '[DONE]'),
      );
      expect([said.stop, said.usage?.output]).toEqual(['end', 9]);
      if (client === 'anthropic')
        expect(frames.map(({ type }) => type)).toEqual([
          'message_start',
          'ping',
          'message_delta',
          'message_stop',
        ]);
      expect(await lane.bill()).toEqual(
        lane.charged(answer.requestId, unitsOf(tokensOfUsage(USAGE), PRICE)),
      );
    },
  );
});

describe('odd chunks', () => {
  test('D09 no empty chunk with choices follows the finish reason', async () => {
    const lane = await stage.rawLane('chat');
    stage.raw.answer = streamed(ROLE, saidChunk('hi'), FINISH, ROLE, USAGE_CHUNK, '[DONE]');
    const { text } = await lane.call(WITH_USAGE);
    expect(text).toBe(streamText(ROLE, saidChunk('hi'), FINISH, USAGE_CHUNK, '[DONE]'));
  });

  test.each(['{"content":""}', '{}', '{"content":null,"tool_calls":null}'])(
    'D10 the last delta %s is forwarded unchanged',
    async (delta) => {
      const lane = await stage.rawLane('chat');
      const last = `{"id":"x", "choices":[ {"index":0,"delta":${delta},"finish_reason":"stop"} ]}`;
      stage.raw.answer = streamed(saidChunk('hi'), last, '[DONE]');
      expect((await lane.call(STREAM)).text).toBe(streamText(saidChunk('hi'), last, '[DONE]'));
    },
  );

  test.each(NAMES)(
    'D11 Azure’s first content filter report becomes no chunk for a %s client',
    async (client) => {
      const lane = await stage.fakeLane('chat', { channel: { type: 3, other: '2024-10-21' } });
      const answer = await stage.ask(client, lane, { text: TEXT, stream: true });
      expect(stage.site.upstream.requests.at(-1)?.path).toContain(
        `/openai/deployments/${lane.model}/`,
      );
      expect(answer.text).not.toContain('prompt_filter_results');
      const said = heard(client, answer, true);
      expect([wordsOf(said, 'text'), said.model]).toEqual([`You said: ${TEXT}`, lane.model]);
    },
  );

  test.each(NAMES)('D12 Azure’s late content filter results break no %s client', async (client) => {
    const lane = await stage.fakeLane('chat', { channel: { type: 3, other: '2024-10-21' } });
    lane.script('async-filter');
    const answer = await stage.ask(client, lane, { text: TEXT, stream: true });
    expect(wordsOf(heard(client, answer, true), 'text')).toBe(`You said: ${TEXT}`);
    if (client !== 'chat') return;
    const choices = chunksIn(answer.text).flatMap((one) => one.choices);
    expect(choices.every(({ delta }) => typeof delta === 'object')).toBe(true);
  });
});

/** Of a turn with text, thoughts and calls. */
const EVENTS: ReadonlySet<string> = new Set([
  ...['created', 'in_progress', 'completed'],
  ...['output_item', 'content_part', 'reasoning_summary_part'].flatMap((part) => [
    `${part}.added`,
    `${part}.done`,
  ]),
  ...['output_text', 'reasoning_summary_text', 'function_call_arguments'].flatMap((part) => [
    `${part}.delta`,
    `${part}.done`,
  ]),
]);

/** Ways in which a wire is untidy, and what is said on it all the same. */
async function hearsAll(...plans: readonly string[]): Promise<void> {
  for (const [client, upstream] of PAIRS) {
    const lane = await stage.fakeLane(upstream);
    for (const plan of plans) {
      lane.script(plan);
      const answer = await stage.ask(client, lane, { text: TEXT, stream: true });
      const said = heard(client, answer, true);
      expect([client, upstream, plan, wordsOf(said, 'text')]).toEqual([
        client,
        upstream,
        plan,
        `You said: ${TEXT}`,
      ]);
    }
  }
}

describe('bytes', () => {
  test('D14 characters split between two packets are joined', async () => {
    await hearsAll('split:1', 'split:3');
    for (const [client, upstream] of PAIRS) {
      const lane = await stage.fakeLane(upstream);
      lane.script('split-multibyte');
      const answer = await stage.ask(client, lane, { text: TEXT, stream: true });
      const said = wordsOf(heard(client, answer, true), 'text');
      expect(said).toMatch(/^Grüße 世界 🌍 こんにちは .* done$/u);
      expect(said).not.toContain('\uFFFD');
    }
  });

  test('D15 lines may be split anywhere and end with any line break, and the last one may lack it', () =>
    hearsAll('crlf+split:7', 'cr+split:5', 'no-tail+split:9'));

  test('D16 comments are not data, and they reach clients of the same dialect', async () => {
    await hearsAll('comments+split:6');
    const lane = await stage.rawLane('chat');
    const wire = `${streamText(saidChunk('a'))}: PROCESSING\n\n${streamText(FINISH, '[DONE]')}`;
    stage.raw.answer = (response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(wire);
    expect((await lane.call(STREAM)).text).toBe(wire);
  });

  test('D17 events without a space, with several lines, other fields or a byte order mark are read', () =>
    hearsAll('no-space', 'multiline', 'event-fields', 'bom'));
});

describe('ends', () => {
  test.each(NAMES)(
    'D18 only a stream with a finish reason counts as complete for a %s client',
    async (client) => {
      const lane = await stage.rawLane('chat');
      stage.raw.answer = streamed(saidChunk('hi'), FINISH);
      const good = await stage.ask(client, lane, { text: 'Hi', stream: true });
      expect(wordsOf(heard(client, good, true), 'text')).toBe('hi');
      expect(good.text).not.toContain('"error":{');
      stage.raw.answer = streamed(saidChunk('hi'));
      const broken = await stage.ask(client, lane, { text: 'Hi', stream: true });
      expect(broken.text).toContain('hi');
      expect(broken.text).toContain('"error":{');
      expect(broken.text).not.toMatch(
        /message_stop|"STOP"|"finish_reason":"stop"|response\.completed/,
      );
      expect(await stage.site.logOf(broken.requestId)).toMatchObject({ usage_source: 'estimated' });
    },
  );

  test.each([
    ['chat', ': PING\n\n'],
    ['anthropic', 'event: ping\ndata: {"type":"ping"}\n\n'],
  ] as const)('D19 a silent stream of a %s client receives pings', async (client, ping) => {
    await stage.site.option('general_setting.ping_interval_seconds', 1);
    await stage.site.option('general_setting.ping_interval_enabled', true);
    const lane = await stage.fakeLane('gemini');
    lane.script({ events: 4, hold: 2 });
    const { body, leave } = await stage.site.start(
      callOf(client, lane, { text: 'Hi', stream: true }),
    );
    let text = '';
    for await (const bytes of body.iterator({ destroyOnReturn: false })) {
      text += String(bytes);
      if (text.split('w1 ').at(-1)?.includes(ping)) break;
    }
    await leave();
    await stage.site.option('general_setting.ping_interval_enabled', false);
    expect(text.split('w1 ').at(-1)).toContain(ping);
  });

  test('D20 Gemini’s thoughts are not part of the answer', async () => {
    const wire = stored('gemini', 'gemini/thinking-parallel-tools');
    for (const client of NAMES) {
      const { said } = await hears(client, 'gemini', wire);
      expect([wordsOf(said, 'thinking'), wordsOf(said, 'text')]).toEqual(['**Plan** both.', '']);
    }
  });

  test.each(NAMES)(
    'D21 events for Responses clients have the names and numbers of OpenAI’s (over %s)',
    async (upstream) => {
      const lane = await stage.fakeLane(upstream);
      const wish = { text: 'Use f and g', stream: true, tools: ['f', 'g'] };
      const { text } = await stage.ask('responses', lane, wish);
      const frames = text.split('\n\n').filter((frame) => frame !== '');
      const told = frames.map((frame) => {
        const [, event, data] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
        const json = JSON.parse(data ?? '');
        expect(json.type).toBe(event);
        return json as Json;
      });
      expect(told.map(({ sequence_number }) => sequence_number)).toEqual([...told.keys()]);
      const kinds = new Set(told.map(({ type }) => type.replace('response.', '')));
      expect([...kinds].filter((kind) => !EVENTS.has(kind))).toEqual([]);
      expect(kinds).toContain('function_call_arguments.done');
      expect(told.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { status: 'completed' },
      });
    },
  );

  test.each(NAMES)(
    'D22 every frame for Anthropic clients has an event name (over %s)',
    async (upstream) => {
      const lane = await stage.fakeLane(upstream);
      const { text } = await stage.ask('anthropic', lane, { text: TEXT, stream: true });
      const frames = text.split('\n\n').filter((frame) => frame !== '');
      expect(frames.length).toBeGreaterThan(5);
      for (const frame of frames) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
        expect(JSON.parse(data ?? '').type).toBe(event);
      }
    },
  );
});

test('D23 a refusal instead of the first frame is returned with its own status', async () => {
  const errors = {
    chat: { error: { message: 'slow down', type: 'requests', code: 429 } },
    anthropic: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
    gemini: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow down' } },
    responses: { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null },
  } as const;
  for (const [client, upstream] of PAIRS) {
    const lane = await stage.rawLane(upstream);
    stage.raw.answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(wireOfFrames(upstream, errors[upstream]));
    const answer = await stage.ask(client, lane, { text: 'Hi', stream: true });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      429,
      'application/json; charset=utf-8',
    ]);
    await lane.expectNothing(answer.requestId);
  }
});

test('D79 an event stream has its content type, and headers forbid caching, buffering and compression', async () => {
  for (const [client, upstream] of PAIRS) {
    const lane = await stage.fakeLane(upstream);
    const { headers } = await stage.ask(client, lane, { text: 'Hi', stream: true });
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
    });
    expect(headers['content-encoding']).toBe(undefined);
  }
});

test('D80 the format of the answer is detected, even if another one was requested', async () => {
  for (const [client, upstream] of PAIRS) {
    const lane = await stage.fakeLane(upstream);
    for (const [plan, stream] of [
      ['json-ignored', false],
      ['stream-ignored', true],
    ] as const) {
      lane.script(plan);
      const answer = await stage.ask(client, lane, { text: TEXT, stream });
      expect(wordsOf(heard(client, answer, stream), 'text')).toBe(`You said: ${TEXT}`);
    }
  }
});

test('D81 every frame of an answer contains the model name that the client requested', async () => {
  for (const [client, upstream] of PAIRS) {
    const lane = await stage.fakeLane(upstream);
    const model_mapping = JSON.stringify({ [lane.model]: `upstream-name${lane.model}` });
    await stage.site.as({ kind: 'operator' }).channel.edit({ id: lane.channel.id, model_mapping });
    for (const stream of [false, true]) {
      const answer = await stage.ask(client, lane, { text: 'Hi', stream });
      expect(answer.text).toContain(lane.model);
      expect(answer.text).not.toContain('upstream-name');
    }
  }
});

test('D85 unusual ids, times and missing fields pass unchanged, and are completed if the format is forced', async () => {
  const odd = [
    '{"id":7,"created":"1763700001.5","choices":[{"delta":{"content":"hi"}}]}',
    '{"created":1763700001.5,"choices":[{"delta":{},"finish_reason":"eos"}]}',
  ];
  stage.raw.answer = streamed(...odd, '[DONE]');
  const free = await stage.rawLane('chat');
  expect((await free.call(STREAM)).text).toBe(streamText(...odd, '[DONE]'));
  const forced = await stage.rawLane('chat', { channel: { setting: '{"force_format":true}' } });
  const chunks = chunksIn((await forced.call(STREAM)).text);
  expect(chunks).toHaveLength(2);
  for (const one of chunks) {
    expect(one).toMatchObject({ object: 'chat.completion.chunk', choices: [{ index: 0 }] });
    expect(Number.isInteger(one.created)).toBe(true);
    expect(typeof one.id).toBe('string');
  }
  expect(chunks[1]?.choices[0]?.finish_reason).toBe('stop');
});

test('D82 two calls with the same id receive different ids, and no id is too long to be sent back', async () => {
  const id = 'i'.repeat(100);
  const frames = [0, 1].map((index) =>
    toolChunk({ index, id, type: 'function', function: { name: `f${index}`, arguments: '{}' } }),
  );
  const end = chunk({ delta: {}, finish_reason: 'tool_calls' });
  for (const client of ['anthropic', 'gemini'] as const) {
    const { said } = await hears(client, 'chat', streamText(...frames, end, '[DONE]'));
    const ids = said.blocks.flatMap((block) => (block.kind === 'tool_call' ? [block.id] : []));
    expect(new Set(ids).size).toBe(2);
  }
  const calls = [0, 1].map((place) => ({
    id: id + place,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }));
  const results = calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: 'x' }));
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: calls },
  ];
  const sent = await stage.sent('chat', 'anthropic', { messages: [...messages, ...results] });
  const uses = sent.messages[1].content.map((block: Json) => block.id);
  expect(uses.every((use: string) => use.length <= 64)).toBe(true);
  expect(sent.messages[2].content.map((block: Json) => block.tool_use_id)).toEqual(uses);
  expect(new Set(uses).size).toBe(2);
});
