/** Several answers to one request, between the two dialects that know them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../pitfalls/stage.ts';
import { aSite, type Site } from '../site.ts';
import { aLane, type Lane } from './lane.ts';
import { type RawUpstream, rawUpstream, streamed, whole } from './raw-upstream.ts';

let site: Site;
let raw: RawUpstream;
beforeAll(async () => {
  site = await aSite();
  raw = await rawUpstream();
});
afterAll(async () => {
  await site.close();
  await raw.close();
});

const PRICE = { ratio: '1', completion: '1' } as const;
const lane = (type: number) => aLane(site, { price: PRICE, channel: { type, base_url: raw.url } });
const sent = (): Json => JSON.parse(raw.requests.at(-1)?.body ?? '');
const framesOf = (text: string): Json[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));

async function costs(one: Lane, requestId: string, units: number): Promise<void> {
  expect(await one.bill()).toEqual(one.charged(requestId, units));
}

const candidate = (index: number, text: string, finishReason?: string) => ({
  index,
  content: { role: 'model', parts: [{ text }] },
  ...(finishReason === undefined ? {} : { finishReason }),
});
const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 8, totalTokenCount: 13 };

test.each([false, true])('n of a chat client over Gemini (stream: %s)', async (stream) => {
  const one = await lane(24);
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
  const saidIn = (index: number) =>
    of(index)
      .map(({ delta, message }) => (delta ?? message).content ?? '')
      .join('');
  const callsIn = (index: number) =>
    of(index).flatMap(({ delta, message }) => (delta ?? message).tool_calls ?? []);
  expect([saidIn(0), saidIn(1)]).toEqual(['first answer', '']);
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
])('candidateCount of a Gemini client over chat, %s', async (_how, stream, query) => {
  const one = await lane(1);
  const usage = { prompt_tokens: 5, completion_tokens: 8, total_tokens: 13 };
  const said = (index: number, content: string, finish_reason: string | null = null) => ({
    index,
    ...(stream ? { delta: { content } } : { message: { role: 'assistant', content } }),
    finish_reason,
  });
  raw.answer = stream
    ? streamed(
        { choices: [said(1, 'second')] },
        { choices: [said(0, 'first')] },
        { choices: [said(0, '', 'stop')] },
        { choices: [said(1, '', 'length')] },
        { choices: [], usage },
        '[DONE]',
      )
    : whole({ choices: [said(0, 'first', 'stop'), said(1, 'second', 'length')], usage });
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
