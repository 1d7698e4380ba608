/**
 * What the matrix (`test/system/matrix`) does not show of every client dialect over every upstream
 * dialect: streams that break, answers of the other form and answers that reach their limit.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { eventsIn } from '../../dialects/hub/streams.ts';
import { eventually } from '../../support/site.ts';
import { hubAnswerOf, wordsOf } from '../../system/matrix/clients.ts';
import { aDialectSite, CLIENTS, REQUESTS, UPSTREAMS } from './dialect-site.ts';

const site = await aDialectSite();

type UpstreamName = keyof typeof UPSTREAMS;

const PAIRS = CLIENTS.flatMap((client) =>
  (Object.keys(UPSTREAMS) as UpstreamName[]).map((upstream) => ({ client, upstream })),
);

const LONG = { text: 'one two three '.repeat(20), maxTokens: 16 };

describe.each(PAIRS)(
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

    test('D34 costs the prompt and the delivered content', async () => {
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

describe.each(PAIRS)('$client over $upstream', ({ client, upstream }) => {
  test('combines an unrequested stream into a whole answer', async () => {
    site.upstream.script({ answerAs: 'stream' });
    const answer = await site.call(REQUESTS[client](`via-${upstream}`, LONG));
    const content = hubAnswerOf(client, answer, false);
    expect(wordsOf(content, 'text')).toContain('one two three');
    expect(content.stop).toBe('max_tokens');
  });

  test('D80 streams a whole answer that came instead of a stream', async () => {
    site.upstream.script({ answerAs: 'json' });
    const request = REQUESTS[client](`via-${upstream}`, { ...LONG, stream: true });
    const content = hubAnswerOf(client, await site.call(request), true);
    expect(wordsOf(content, 'text')).toContain('one two three');
    expect(content.stop).toBe('max_tokens');
    expect(content.usage?.output).toBeGreaterThan(0);
  });
});
