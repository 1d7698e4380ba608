/** Words of a vendor that other dialects have no field for: sources, refusals, commentary. */
import { describe, expect, test } from 'vitest';
import { DIALECTS, UPSTREAM_DIALECTS } from '../../src/dialects/all.ts';
import type { HubAnswer } from '../../src/dialects/hub/answer/answer.ts';
import type { DialectName, UpstreamDialectName } from '../../src/dialects/hub/dialect.ts';
import { type JsonObject, objectIn, objectsIn } from '../../src/json/read-json.ts';
import { translated, user } from './hub/requests.ts';
import { CONTEXT, collected, encoded, eventsIn, framesIn } from './hub/streams.ts';

const CLIENTS = Object.keys(DIALECTS) as DialectName[]; // the keys of a constant table

function sse(...frames: readonly object[]): string {
  return frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
}

/** Everything a client of each dialect receives of a stream, as text. */
function everywhere(
  from: UpstreamDialectName,
  wire: string,
): readonly (readonly [string, string])[] {
  return CLIENTS.filter((to) => to !== from).map((to) => [to, encoded(to, [eventsIn(from, wire)])]);
}

function whole(from: UpstreamDialectName, json: JsonObject, to: DialectName): string {
  const answer: HubAnswer = UPSTREAM_DIALECTS[from].readAnswer(json, CONTEXT);
  return JSON.stringify(DIALECTS[to].writeAnswer(answer, CONTEXT));
}

describe('sources', () => {
  test('that Gemini repeats in later frames are cited once', () => {
    const web = (at: number) => ({ web: { uri: `https://e.org/${at}`, title: `T${at}` } });
    const frame = (text: string, ...groundingChunks: object[]) => ({
      candidates: [{ content: { parts: [{ text }] }, groundingMetadata: { groundingChunks } }],
    });
    const stop = {
      candidates: [{ finishReason: 'STOP', groundingMetadata: { groundingChunks: [web(1)] } }],
    };
    const wire = sse(frame('A', web(1), web(2)), frame('B', web(1), web(2), web(3)), stop);
    const [text] = collected(eventsIn('gemini', wire)).blocks;
    expect(text).toMatchObject({
      text: 'AB',
      citations: [{ title: 'T1' }, { title: 'T2' }, { title: 'T3' }],
    });
  });

  test('that Claude cites before its text are kept', () => {
    const citation = { type: 'web_search_result_location', url: 'https://e.org/1', title: 'T1' };
    const block = (type: string, fields: object) => ({
      type: `content_block_${type}`,
      index: 0,
      ...fields,
    });
    const wire = sse(
      block('start', { content_block: { type: 'text', text: '' } }),
      block('delta', { delta: { type: 'citations_delta', citation } }),
      block('delta', { delta: { type: 'text_delta', text: 'Alpha' } }),
      block('stop', {}),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    );
    for (const [to, received] of everywhere('anthropic', wire))
      expect(received, to).toContain('https://e.org/1');
    const last = framesIn(encoded('responses', [eventsIn('anthropic', wire)])).at(-1) ?? {};
    const [message] = objectsIn(objectIn(last, 'response'), 'output');
    expect(message?.content).toMatchObject([
      { text: 'Alpha', annotations: [{ url: 'https://e.org/1', end_index: 5 }] },
    ]);
  });

  test('before any text reach a Messages client with the text', () => {
    const citation = { kind: 'citation', citation: { url: 'https://e.org/1' } } as const;
    const frames = encoded('anthropic', [[citation, { kind: 'text', text: 'Alpha' }]]);
    expect(frames).toContain('https://e.org/1');
  });
});

describe('why a vendor declines', () => {
  const WHY = 'This request was declined because of cyber safeguards.';
  const stop_details = { type: 'refusal', category: 'cyber', explanation: WHY };
  const claudes = { content: [], stop_reason: 'refusal', stop_details };
  const delta = { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } };
  const blocked = { promptFeedback: { blockReason: 'OTHER', blockReasonMessage: WHY } };
  const stopped = { candidates: [{ finishReason: 'SAFETY', finishMessage: WHY }] };

  test.each([
    ['anthropic', claudes, delta],
    ['gemini', blocked, blocked],
    ['gemini', stopped, stopped],
  ] as const)('%s: reaches every client, whole and streamed', (from, json, frame) => {
    for (const [to, received] of everywhere(from, sse(frame))) expect(received, to).toContain(WHY);
    for (const to of CLIENTS) expect(whole(from, json, to), to).toContain(WHY);
  });

  test('is a refusal where the dialect has one; without words, its category', () => {
    const { explanation: _, ...details } = stop_details;
    const bare = { ...claudes, stop_details: details };
    const read = (json: JsonObject) => UPSTREAM_DIALECTS.anthropic.readAnswer(json, CONTEXT);
    const answer = DIALECTS.chat.writeAnswer(read(bare), CONTEXT);
    expect(objectsIn(answer, 'choices')[0]).toMatchObject({
      message: { content: null, refusal: 'cyber' },
      finish_reason: 'content_filter',
    });
    const response = DIALECTS.responses.writeAnswer(read(claudes), CONTEXT);
    expect(response).toMatchObject({
      status: 'incomplete',
      output: [{ content: [{ type: 'refusal', refusal: WHY }] }],
    });
  });
});

describe('commentary of a response', () => {
  const message = (id: string, text: string, phase: string) => ({
    type: 'message',
    id,
    role: 'assistant',
    phase,
    content: [{ type: 'output_text', text, annotations: [] }],
  });
  const ASIDE = message('m1', 'Let me look.', 'commentary');
  const FINAL = message('m2', 'It is 5.', 'final_answer');
  const answerOf = (output: readonly JsonObject[]) =>
    UPSTREAM_DIALECTS.responses.readAnswer({ status: 'completed', output }, CONTEXT);
  const streamOf = (output: readonly JsonObject[]) =>
    collected(
      eventsIn(
        'responses',
        sse(
          ...output.flatMap((item, output_index) => [
            { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
            { type: 'response.output_item.done', output_index, item },
          ]),
          { type: 'response.completed', response: { status: 'completed', output } },
        ),
      ),
    );
  const textOf = ({ blocks }: HubAnswer) =>
    blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join();

  test.each([
    ['whole', answerOf],
    ['streamed', streamOf],
  ])('is reasoning beside an answer, and the answer if it is alone, %s', (_how, read) => {
    expect(read([ASIDE, FINAL]).blocks).toMatchObject([
      { kind: 'thinking', text: 'Let me look.' },
      { kind: 'text', text: 'It is 5.' },
    ]);
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    expect(textOf(read([ASIDE, search]))).toBe('Let me look.');
    const call = { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{}' };
    expect(textOf(read([ASIDE, call]))).toBe('');
  });

  test.each(['chat', 'anthropic', 'gemini'] as const)(
    'keeps its phase through a %s client',
    (client) => {
      const answer = DIALECTS[client].writeAnswer(answerOf([ASIDE, FINAL]), CONTEXT);
      const history = {
        chat: { messages: [user('Hi'), objectIn(objectsIn(answer, 'choices')[0], 'message')] },
        anthropic: { messages: [user('Hi'), { role: 'assistant', content: answer.content }] },
        gemini: {
          contents: [
            { role: 'user', parts: [{ text: 'Hi' }] },
            objectIn(objectsIn(answer, 'candidates')[0], 'content'),
          ],
        },
      }[client];
      const written = translated(client, 'responses', { model: 'm', max_tokens: 9, ...history });
      expect(objectsIn(written, 'input').slice(1)).toMatchObject([
        { role: 'assistant', phase: 'commentary', content: [{ text: 'Let me look.' }] },
        { role: 'assistant', content: [{ text: 'It is 5.' }] },
      ]);
    },
  );
});
