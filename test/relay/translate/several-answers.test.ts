/** Several answers to one request, between the two dialects that support them. */
import { expect, test } from 'vitest';
import type { Json } from '../../system/pitfalls/pitfall-site.ts';
import { rawSite } from '../raw-site.ts';
import { type RawUpstream, streamed, whole } from '../raw-upstream.ts';
import { addTenant, NOTHING, type Tenant } from '../tenant.ts';

const { site, raw } = await rawSite();

const PRICE = { ratio: '1', completion: '1' } as const;
const tenant = (type: number) =>
  addTenant(site, { price: PRICE, channel: { type, base_url: raw.url } });
const sent = (): Json => JSON.parse(raw.requests.at(-1)?.body ?? '');
const framesOf = (text: string): Json[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));

async function costs(one: Tenant, requestId: string, units: number): Promise<void> {
  expect(await one.bill()).toEqual(one.charged(requestId, units));
}

const candidate = (index: number, text: string, finishReason?: string) => ({
  index,
  content: { role: 'model', parts: [{ text }] },
  ...(finishReason === undefined ? {} : { finishReason }),
});
const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 8, totalTokenCount: 13 };

test.each([false, true])('n of a chat client works over Gemini (stream: %s)', async (stream) => {
  const one = await tenant(24);
  const call = { functionCall: { name: 'f', args: { x: 1 } } };
  const called = { ...candidate(1, ''), content: { parts: [call] }, finishReason: 'STOP' };
  raw.answer = stream
    ? streamed(
        { candidates: [candidate(0, 'first '), called] },
        { candidates: [candidate(0, 'answer', 'MAX_TOKENS')], usageMetadata },
      )
    : whole({ candidates: [candidate(0, 'first answer', 'MAX_TOKENS'), called], usageMetadata });
  const { text, requestId } = await one.call({ n: 2, stream });
  expect(sent().generationConfig).toMatchObject({ candidateCount: 2 });
  const choices: Json[] = stream
    ? framesOf(text).flatMap((frame) => frame.choices)
    : JSON.parse(text).choices;
  const of = (index: number) => choices.filter((choice) => choice.index === index);
  const textAt = (index: number) =>
    of(index)
      .map(({ delta, message }) => (delta ?? message).content ?? '')
      .join('');
  const callsIn = (index: number) =>
    of(index).flatMap(({ delta, message }) => (delta ?? message).tool_calls ?? []);
  expect([textAt(0), textAt(1)]).toEqual(['first answer', '']);
  expect([callsIn(0).length, callsIn(1)[0].function.name]).toEqual([0, 'f']);
  const endings = choices.filter(({ finish_reason }) => finish_reason !== null);
  expect(endings.map(({ index, finish_reason }) => [index, finish_reason]).sort()).toEqual([
    [0, 'length'],
    [1, 'tool_calls'],
  ]);
  if (stream) expect(text.match(/\[DONE\]/g)).toHaveLength(1);
  await costs(one, requestId, 13);
});

test.each([
  ['whole', false, ''],
  ['as events', true, '?alt=sse'],
  ['as a list', true, ''],
])('candidateCount of a Gemini client works over chat, %s', async (_how, stream, query) => {
  const one = await tenant(1);
  const usage = { prompt_tokens: 5, completion_tokens: 8, total_tokens: 13 };
  const chunkOf = (index: number, content: string, finish_reason: string | null = null) => ({
    index,
    ...(stream ? { delta: { content } } : { message: { role: 'assistant', content } }),
    finish_reason,
  });
  raw.answer = stream
    ? streamed(
        { choices: [chunkOf(1, 'second')] },
        { choices: [chunkOf(0, 'first')] },
        { choices: [chunkOf(0, '', 'stop')] },
        { choices: [chunkOf(1, '', 'length')] },
        { choices: [], usage },
        '[DONE]',
      )
    : whole({ choices: [chunkOf(0, 'first', 'stop'), chunkOf(1, 'second', 'length')], usage });
  const action = stream ? 'streamGenerateContent' : 'generateContent';
  const { text, requestId } = await site.call({
    path: `/v1beta/models/${one.model}:${action}${query}`,
    key: one.token.key,
    body: { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { candidateCount: 2 } },
  });
  expect(sent().n).toBe(2);
  const parsed = query === '' ? JSON.parse(text) : framesOf(text);
  const frames: Json[] = [parsed].flat();
  const candidates = frames.flatMap((frame) => frame.candidates);
  const textOf = (index: number) =>
    candidates
      .filter((one) => one.index === index)
      .flatMap(({ content }) => content.parts.map((part: Json) => part.text))
      .join('');
  expect([textOf(0), textOf(1)]).toEqual(['first', 'second']);
  const endings = candidates.filter(({ finishReason }) => finishReason !== undefined);
  expect(endings.map(({ index, finishReason }) => [index, finishReason]).sort()).toEqual([
    [0, 'STOP'],
    [1, 'MAX_TOKENS'],
  ]);
  expect(frames.at(-1).usageMetadata).toMatchObject({ totalTokenCount: 13 });
  await costs(one, requestId, 13);
});

const LIMIT = 100;
const MESSAGE = [{ role: 'user', content: 'Hi' }];
const responsesAnswer = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
    },
  ],
};
const chatAnswer = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' } }] };
const textAnswer = { choices: [{ index: 0, text: 'Hello.', finish_reason: 'stop' }] };
const geminiAnswer = { candidates: [candidate(0, 'Hello.', 'STOP')] };
const claudeAnswer = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi' }],
};

interface Request {
  readonly endpoint: string;
  readonly path: (model: string) => string;
  readonly body: object;
  readonly answer: object;
  /** The output limit of one answer, in tokens. */
  readonly each?: number;
  readonly type?: number;
}

const chat = (extra: object): Request => ({
  endpoint: 'chat',
  path: () => '/v1/chat/completions',
  body: { messages: MESSAGE, max_tokens: LIMIT, ...extra },
  answer: chatAnswer,
});
const completions = (extra: object): Request => ({
  endpoint: 'completions',
  path: () => '/v1/completions',
  body: { prompt: 'Hi', max_tokens: LIMIT, ...extra },
  answer: textAnswer,
});
const gemini = (config: object): Request => ({
  endpoint: 'chat',
  path: (model) => `/v1beta/models/${model}:generateContent`,
  body: {
    contents: [{ parts: [{ text: 'Hi' }] }],
    generationConfig: { maxOutputTokens: LIMIT, ...config },
  },
  answer: chatAnswer,
});
const pictures = (n: number): Request => ({
  endpoint: 'images',
  path: () => '/v1/images/generations',
  body: { prompt: 'Hi', n },
  answer: { created: 1, data: [{ url: 'https://a.example/1' }] },
  each: 6240,
});

const REQUESTS: readonly (readonly [string, Request, number])[] = [
  ['chat with one answer', chat({}), 1],
  ['chat with n', chat({ n: 3 }), 3],
  ['chat with best_of above n', chat({ n: 2, best_of: 5 }), 5],
  ['chat with n over Gemini', { ...chat({ n: 3 }), type: 24, answer: geminiAnswer }, 3],
  ['completions with n', completions({ n: 3 }), 3],
  ['completions with best_of', completions({ best_of: 4 }), 4],
  ['completions with a list of prompts', completions({ prompt: ['a', 'b', 'c'] }), 3],
  ['completions with a prompt of tokens', completions({ prompt: [11, 12, 13] }), 1],
  ['completions with prompts of tokens', completions({ prompt: [[11, 12], [13]] }), 2],
  ['completions with prompts and best_of', completions({ prompt: ['a', 'b'], best_of: 3 }), 6],
  ['Gemini with candidateCount', gemini({ candidateCount: 4 }), 4],
  ['Gemini with candidate_count', gemini({ candidate_count: 4 }), 4],
  [
    'Gemini with candidateCount over Gemini',
    { ...gemini({ candidateCount: 4 }), type: 24, answer: geminiAnswer },
    4,
  ],
  [
    'Anthropic messages, which have one answer',
    {
      endpoint: 'chat',
      path: () => '/v1/messages',
      body: { messages: MESSAGE, max_tokens: LIMIT },
      answer: claudeAnswer,
      type: 14,
    },
    1,
  ],
  [
    'Responses, which have one answer',
    {
      endpoint: 'chat',
      path: () => '/v1/responses',
      body: { input: 'Hi', max_output_tokens: LIMIT },
      answer: responsesAnswer,
    },
    1,
  ],
  ['images with n', pictures(3), 3],
];

/** The hold counts a prompt by its body's bytes plus the vendor's overhead, as a cache write. */
const BYTES = 400;
const OPENING = 64;

test.each(REQUESTS)(
  'the hold covers every requested answer: %s',
  async (_what, request, answers) => {
    const completion = 4;
    const price = { ratio: '1', completion: String(completion) } as const;
    const { path, body, answer, type = 1, each = LIMIT } = request;
    const answered = each * answers * completion;
    const held = Math.ceil(1.25 * (BYTES + OPENING)) + answered;
    const send = async (limits: { quota?: number; tokenLimit?: number }) => {
      const one = await addTenant(site, { price, channel: { type, base_url: raw.url }, ...limits });
      raw.requests.length = 0;
      raw.answer = whole(answer);
      const sent = { model: one.model, ...body };
      const { status, requestId } = await site.call({
        path: path(one.model),
        key: one.token.key,
        rawBody: JSON.stringify(sent).padEnd(BYTES),
      });
      return { one, status, requestId };
    };
    expect((await send({ quota: held, tokenLimit: held })).status).toBe(200);
    // Enough that no prompt is counted.
    const ample = await send({ quota: 100 * held, tokenLimit: 100 * held });
    const [entry] = await site.ledgerOf(ample.requestId);
    expect(JSON.parse(entry?.detail ?? '{}').held).toBe(held);
    // A counted prompt takes less than its bytes, and more than nothing.
    for (const limits of [{ quota: answered }, { tokenLimit: answered }]) {
      const { one, status } = await send(limits);
      const refused = path(one.model).endsWith('/responses') ? 400 : 402;
      expect([status, raw.requests.length]).toEqual([refused, 0]);
      expect(await one.bill()).toEqual(NOTHING);
    }
  },
);

const ANSWER_TEXT = 'one two three four five six';
const COUNTED = 6;
const pieces = [0, 1, 2];
const streamedGemini: Request = {
  ...gemini({ candidateCount: 3 }),
  path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
};

test.each<readonly [string, Request, RawUpstream['answer']]>([
  [
    'chat',
    chat({ n: 3 }),
    whole({
      choices: pieces.map((index) => ({
        index,
        message: { role: 'assistant', content: ANSWER_TEXT },
      })),
    }),
  ],
  [
    'chat, streamed',
    chat({ n: 3, stream: true }),
    streamed(
      ...pieces.map((index) => ({ choices: [{ index, delta: { content: ANSWER_TEXT } }] })),
      '[DONE]',
    ),
  ],
  [
    'chat over Gemini',
    { ...chat({ n: 3 }), type: 24 },
    whole({ candidates: pieces.map((index) => candidate(index, ANSWER_TEXT, 'STOP')) }),
  ],
  [
    'Gemini over Gemini',
    { ...gemini({ candidateCount: 3 }), type: 24 },
    whole({ candidates: pieces.map((index) => candidate(index, ANSWER_TEXT, 'STOP')) }),
  ],
  [
    'Gemini over Gemini, streamed',
    { ...streamedGemini, type: 24 },
    streamed({ candidates: pieces.map((index) => candidate(index, ANSWER_TEXT, 'STOP')) }),
  ],
  [
    'completions of several prompts',
    completions({ prompt: ['a', 'b', 'c'] }),
    whole({
      choices: pieces.map((index) => ({ index, text: ANSWER_TEXT, finish_reason: 'stop' })),
    }),
  ],
])(
  'every answer is counted if the upstream reports no usage: %s',
  async (_what, request, answer) => {
    const one = await tenant(request.type ?? 1);
    raw.answer = answer;
    const { status, requestId } = await site.call({
      path: request.path(one.model),
      key: one.token.key,
      body: { model: one.model, ...request.body },
    });
    expect(status).toBe(200);
    await one.bill();
    expect(await site.logOf(requestId)).toMatchObject({
      usage_source: 'estimated',
      completion_tokens: expect.closeTo(pieces.length * COUNTED, -1),
    });
  },
);
