/**
 * Every client dialect over every upstream dialect, through the whole server. The fake upstreams of
 * Anthropic and Google refuse unknown fields, so an untranslated body fails.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventsIn } from '../../dialects/hub/streams.ts';
import { eventually, type Site } from '../../support/site.ts';
import { callsOf, hubAnswerOf, wordsOf } from '../../system/matrix/clients.ts';
import { aDialectSite, CLIENTS, REQUESTS, UPSTREAMS } from './dialect-site.ts';

let site: Site;
beforeAll(async () => {
  site = await aDialectSite();
});
beforeEach(() => site.upstream.reset());
afterAll(() => site.close());

type UpstreamName = keyof typeof UPSTREAMS;

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
      const answer = await site.call(REQUESTS[client](model, { text: 'Grüße 🙂 an alle', stream }));
      const content = hubAnswerOf(client, answer, stream);
      expect(wordsOf(content, 'text')).toContain('Grüße 🙂 an alle');
      expect(content.stop).toBe('end');
      expect(content.model ?? model).toBe(model);
      await site.settled();
      const log = await site.logOf(answer.requestId);
      const reported = content.usage;
      expect(log).toMatchObject({ usage_source: 'upstream', model_name: model });
      expect(log?.completion_tokens).toBe(reported?.output);
      expect(log?.quota).toBe((log?.prompt_tokens ?? 0) + (log?.completion_tokens ?? 0));
      expect(log?.prompt_tokens).toBe((reported?.input ?? 0) + (reported?.cacheRead ?? 0));
    });

    test('receives parallel tool calls', async () => {
      const request = {
        text: 'Use get_weather and get_time',
        stream,
        tools: ['get_weather', 'get_time'],
      };
      const content = hubAnswerOf(
        client,
        await site.call(REQUESTS[client](model, request)),
        stream,
      );
      expect(callsOf(content)).toEqual([
        ['get_weather', { city: expect.any(String) }],
        ['get_time', { city: expect.any(String) }],
      ]);
      expect(content.stop).toBe('tool_calls');
    });

    test('receives the reasoning', async () => {
      const request = { text: 'Think about it', stream };
      const content = hubAnswerOf(
        client,
        await site.call(REQUESTS[client](`thinks-${upstream}`, request)),
        stream,
      );
      expect(wordsOf(content, 'thinking')).toContain('The user wants an answer');
      expect(wordsOf(content, 'text')).toContain('Think about it');
    });

    test('receives the length finish reason', async () => {
      const request = { text: 'one two three '.repeat(20), stream, maxTokens: 16 };
      const content = hubAnswerOf(
        client,
        await site.call(REQUESTS[client](model, request)),
        stream,
      );
      expect(content.stop).toBe('max_tokens');
    });

    test('receives a refusal in its own dialect and pays nothing', async () => {
      site.upstream.script({ refuse: { status: 422, message: 'too odd' } });
      const answer = await site.call(REQUESTS[client](model, { text: 'Hi', stream }));
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
    const request = REQUESTS[client](`via-${upstream}`, { text: 'Hello there, you', stream: true });

    // Several consecutive breaks would open the channel's circuit breaker.
    beforeEach(async () => {
      expect((await site.call(request)).status).toBe(200);
    });

    test('ends with an error and no end mark', async () => {
      site.upstream.script({ events: 6, fault: { ending: 'error', after: 5 } });
      const { status, text } = await site.call(request);
      expect(status).toBe(200);
      const events = eventsIn(client, text);
      expect(events.at(-1)).toMatchObject({ kind: 'error' });
      expect(events.some(({ kind }) => kind === 'finish')).toBe(false);
      expect(text).not.toContain('message_stop');
      expect(text).not.toContain('response.completed');
    });

    test('costs the prompt and the delivered content', async () => {
      site.upstream.script({ events: 40, fault: { ending: 'reset', after: 30 } });
      const answer = await site.call(request);
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
      const answer = await site.call(
        REQUESTS[client](`via-${upstream}`, { text: 'Whole, please' }),
      );
      expect(wordsOf(hubAnswerOf(client, answer, false), 'text')).toContain('Whole, please');
    });

    test('streams a whole answer that came instead of a stream', async () => {
      site.upstream.script({ answerAs: 'json' });
      const request = { text: 'In pieces, please', stream: true };
      const content = hubAnswerOf(
        client,
        await site.call(REQUESTS[client](`via-${upstream}`, request)),
        true,
      );
      expect(wordsOf(content, 'text')).toContain('In pieces, please');
      expect(content.usage?.output).toBeGreaterThan(0);
    });
  },
);
