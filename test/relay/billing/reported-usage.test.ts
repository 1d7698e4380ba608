/**
 * An upstream that reports no usage, or only zeros: every client gets the charged usage, marked as
 * an estimate. Usage is read from the fields the official SDKs read.
 */
import { expect, test } from 'vitest';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import { CLIENTS } from '../../system/matrix/clients.ts';
import { rawSite } from '../raw-site.ts';
import { streamed, whole } from '../raw-upstream.ts';
import { setPrice } from '../tenant.ts';

const TEXT = 'Hello there';
/** One unit per token, so that the charge is the number of tokens. */
const PRICE = { ratio: '1', completion: '1' };

interface UpstreamForm {
  readonly type: number;
  readonly model?: string;
  readonly zeros: object;
  /** `usage` is undefined if none is reported. */
  readonly whole: (usage?: object) => object;
  readonly frames: (usage?: object) => readonly object[];
}

const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const part = { role: 'model', parts: [{ text: TEXT }] };
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_sequence: null,
};
const item = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: TEXT, annotations: [] }],
};
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [item] };
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };

const UPSTREAMS: Readonly<Record<DialectName, UpstreamForm>> = {
  chat: {
    type: 1,
    zeros: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    whole: (usage) => ({
      ...chunk,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage,
    }),
    frames: (usage) => [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: TEXT } }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ...(usage === undefined ? [] : [{ ...chunk, choices: [], usage }]),
    ],
  },
  anthropic: {
    type: 14,
    zeros: { input_tokens: 0, output_tokens: 0 },
    whole: (usage) => ({
      ...message,
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      usage,
    }),
    frames: (usage) => [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ],
  },
  gemini: {
    type: 24,
    zeros: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    whole: (usageMetadata) => ({
      candidates: [{ index: 0, content: part, finishReason: 'STOP' }],
      usageMetadata,
    }),
    frames: (usageMetadata) => [
      { candidates: [{ index: 0, content: part, finishReason: 'STOP' }] },
      // The usage may come after all content.
      ...(usageMetadata === undefined ? [] : [{ usageMetadata }]),
    ],
  },
  responses: {
    type: 1,
    // Served by this endpoint only, whatever the client's dialect.
    model: 'gpt-5.3-codex',
    zeros: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    whole: (usage) => ({ ...response, status: 'completed', usage }),
    frames: (usage) => [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      },
      { type: 'response.output_text.delta', ...place, delta: TEXT },
      { type: 'response.output_text.done', ...place, text: TEXT },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', usage } },
    ],
  },
};

/** Parsed at the test's boundary: a wrong shape shows as a failing expectation. */
type Reported = Readonly<Record<string, unknown>> | undefined;
interface StreamEvent {
  readonly type?: string;
  readonly usage?: Reported;
  readonly usageMetadata?: Reported;
  readonly response?: { readonly usage?: Reported };
}

/** Where an SDK reads the usage: in the whole answer, or in the frames of a stream. */
const READ: Readonly<
  Record<
    DialectName,
    { names: readonly [string, string]; of: (all: readonly StreamEvent[]) => Reported }
  >
> = {
  chat: { names: ['prompt_tokens', 'completion_tokens'], of: (all) => all.at(-1)?.usage },
  anthropic: {
    names: ['input_tokens', 'output_tokens'],
    of: (all) => (all.find(({ type }) => type === 'message_delta') ?? all[0])?.usage,
  },
  gemini: {
    names: ['promptTokenCount', 'candidatesTokenCount'],
    of: (all) => all.at(-1)?.usageMetadata,
  },
  responses: {
    names: ['input_tokens', 'output_tokens'],
    of: (all) => (all.at(-1)?.response ?? all.at(-1))?.usage,
  },
};

function eventsIn(text: string, stream: boolean): readonly StreamEvent[] {
  if (!stream) return [JSON.parse(text)];
  const data = text.split('\n').filter((line) => line.startsWith('data: {'));
  return data.map((line) => JSON.parse(line.slice('data: '.length)));
}

const { site, raw } = await rawSite();
for (const [name, { type, model = 'm' }] of Object.entries(UPSTREAMS)) {
  const models = `via-${name}`;
  await setPrice(site, models, PRICE);
  await site.addChannel({
    type,
    models,
    base_url: raw.url,
    model_mapping: JSON.stringify({ [models]: model }),
    setting: JSON.stringify({ chat_only: name === 'chat' }),
  });
}

const CELLS = CLIENTS.flatMap((client) =>
  (Object.keys(UPSTREAMS) as DialectName[]).flatMap((upstream) =>
    [false, true].flatMap((stream) =>
      (['nothing', 'zeros'] as const).map((reported) => ({ client, upstream, stream, reported })),
    ),
  ),
);

test.each(CELLS)(
  '$client.label over $upstream that reports $reported (streamed: $stream)',
  async ({ client, upstream, stream, reported }) => {
    const form = UPSTREAMS[upstream];
    const usage = reported === 'zeros' ? form.zeros : undefined;
    const end = upstream === 'chat' ? ['[DONE]'] : [];
    raw.answer = stream ? streamed(...form.frames(usage), ...end) : whole(form.whole(usage));
    const answer = await site.call(client.request(`via-${upstream}`, { text: 'Count me', stream }));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(TEXT)]);

    const { names, of } = READ[client.name];
    const received = of(eventsIn(answer.text, stream));
    const [input, output] = names.map((name) => Number(received?.[name]));
    await site.settled();
    expect(await site.logOf(answer.requestId)).toMatchObject({
      usage_source: 'estimated',
      prompt_tokens: input,
      completion_tokens: output,
    });
    expect(output).toBeGreaterThan(0);
    const ledger = await site.ledgerOf(answer.requestId);
    expect(ledger.map((row) => row.user_units)).toEqual([-(Number(input) + Number(output))]);
    // Google's SDKs may refuse an unknown field.
    expect(received?.estimated).toBe(client.name === 'gemini' ? undefined : true);
    expect(answer.headers['x-gateway-usage']).toBe(stream ? undefined : 'estimated');
  },
);

test.each(CLIENTS)('usage that is reported is not marked ($label)', async ({ name, request }) => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  for (const stream of [false, true]) {
    raw.answer = stream
      ? streamed(...UPSTREAMS.chat.frames(usage), '[DONE]')
      : whole(UPSTREAMS.chat.whole(usage));
    const answer = await site.call(request('via-chat', { text: 'Count me', stream }));
    const received = READ[name].of(eventsIn(answer.text, stream));
    expect(READ[name].names.map((field) => received?.[field])).toEqual([7, 3]);
    expect(answer.text).not.toContain('estimated');
    expect(answer.headers).not.toHaveProperty('x-gateway-usage');
  }
});

test('a chat client that did not request usage gets none in its stream', async () => {
  raw.answer = streamed(...UPSTREAMS.chat.frames(), '[DONE]');
  const body = { model: 'via-chat', messages: [{ role: 'user', content: 'Hi' }], stream: true };
  const answer = await site.call({ body });
  expect(eventsIn(answer.text, true).some((frame) => 'usage' in frame)).toBe(false);
});

test('estimated usage in a stream built from a whole answer is marked in both', async () => {
  raw.answer = whole(UPSTREAMS.chat.whole());
  const [chat] = CLIENTS;
  const answer = await site.call(
    chat?.request('via-chat', { text: 'Count me', stream: true }) ?? {},
  );
  expect(eventsIn(answer.text, true).at(-1)?.usage?.estimated).toBe(true);
  expect(answer.headers['x-gateway-usage']).toBe('estimated');
});
