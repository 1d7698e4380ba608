/** Answers without content whose stop reason is a failure: the next channel is tried. */
import { beforeAll, describe, expect, test } from 'vitest';
import { CLIENTS, hubAnswerOf, wordsOf } from '../../system/matrix/clients.ts';
import { rawSite } from '../raw-site.ts';
import { streamed, whole } from '../raw-upstream.ts';
import { setPrice } from '../tenant.ts';

const { site, raw } = await rawSite();
beforeAll(() => site.option('RetryTimes', 1));

const COUNTS = { promptTokenCount: 10, totalTokenCount: 10 };
const USAGE = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 };
const THOUGHT = { text: 'Hm.', thought: true };

function gemini(finishReason: string, ...parts: readonly object[]): object {
  const content = parts.length === 0 ? {} : { content: { role: 'model', parts } };
  return { candidates: [{ ...content, finishReason, index: 0 }], usageMetadata: COUNTS };
}

function chat(finish_reason: string, content: string | null, stream: boolean): object {
  const message = { role: 'assistant', content };
  const body = stream ? { delta: message } : { message };
  return { id: 'c', choices: [{ index: 0, ...body, finish_reason }], usage: USAGE };
}

const UPSTREAMS = [
  { name: 'gemini', type: 24, reason: 'MALFORMED_RESPONSE' },
  { name: 'chat', type: 1, reason: 'function_call_filter: MALFORMED_FUNCTION_CALL' },
] as const;
const CASES = UPSTREAMS.flatMap((upstream) =>
  CLIENTS.flatMap((client) => [false, true].map((stream) => ({ upstream, client, stream }))),
);
const titled = CASES.map((one) => ({ ...one, label: one.client.label, from: one.upstream.name }));

/** A model on two channels, so that no failure opens the circuit breaker of another test. */
async function twoChannels(type: number, model: string): Promise<void> {
  await setPrice(site, model, { ratio: '1', completion: '1' });
  const channel = { type, models: model, base_url: raw.url, setting: '{"chat_only":true}' };
  await site.addChannel({ ...channel, priority: 1 });
  await site.addChannel(channel);
}

describe.each(titled)('$label over $from, streamed: $stream', ({ upstream, client, stream }) => {
  const { name, type, reason } = upstream;
  const failed = name === 'gemini' ? gemini(reason) : chat(reason, null, stream);
  const good = name === 'gemini' ? gemini('STOP', { text: 'Fine' }) : chat('stop', 'Fine', stream);
  const send = (...answers: readonly object[]) => {
    let at = 0;
    raw.requests.length = 0;
    raw.answer = (response, request) => {
      const answer = answers[Math.min(at, answers.length - 1)] ?? {};
      at += 1;
      (stream ? streamed(answer) : whole(answer))(response, request);
    };
  };

  test('is a failed attempt', async () => {
    const model = `${name}-${client.name}-${stream}`;
    await twoChannels(type, model);
    const request = client.request(model, { text: 'Hi', stream });
    send(failed, good);
    const answer = await site.call(request);
    expect(wordsOf(hubAnswerOf(client.name, answer, stream), 'text')).toBe('Fine');
    expect(raw.requests).toHaveLength(2);
    send(failed);
    const refused = await site.call(request);
    expect(refused.status).toBe(502);
    expect(await site.ledgerOf(refused.requestId)).toEqual([]);
  });
});

test.each([false, true])(
  'a whole call beside a failed one is an answer, streamed: %s',
  async (stream) => {
    const model = `call-${stream}`;
    await twoChannels(24, model);
    const answer = gemini('MALFORMED_FUNCTION_CALL', { functionCall: { name: 'f', args: {} } });
    raw.answer = stream ? streamed(answer) : whole(answer);
    for (const { name, request } of CLIENTS) {
      const answer = await site.call(request(model, { text: 'Hi', stream, tools: ['f'] }));
      expect(hubAnswerOf(name, answer, stream).blocks).toMatchObject([{ kind: 'tool_call' }]);
    }
  },
);

test('reasoning alone is no answer: another channel when whole, an error within a stream', async () => {
  await twoChannels(24, 'thinks');
  const answer = gemini('MALFORMED_RESPONSE', THOUGHT);
  const request = { model: 'thinks', messages: [{ role: 'user', content: 'Hi' }] };
  raw.answer = whole(answer);
  expect((await site.call({ body: request })).status).toBe(502);
  raw.answer = streamed(answer);
  const { status, text } = await site.call({ body: { ...request, stream: true } });
  expect(status).toBe(200);
  expect(text).toContain('MALFORMED_RESPONSE');
});
