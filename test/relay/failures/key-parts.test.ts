/** An upstream that repeats a part of its key: it must not reach the client in any way. */
import { afterAll, describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { startFakeUpstream } from '../../upstream/server.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';

const KEY = 'sk-proj-9fJ2kLqPz8Xw3VbN7mTt5RyUeH4gAaZx1';
const PART = KEY.slice(8, 33);
const MODEL = 'gpt-4.1-mini';

/** A stream whose second event repeats a part of the key, and its third another part. */
const EVENTS = [
  { delta: { role: 'assistant', content: 'it' } },
  { delta: { content: `is ${PART}` } },
  { delta: { content: ` or ${KEY.slice(12, 24)}, yes` } },
  { delta: {}, finish_reason: 'stop' },
].map((choice) => JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] }));

const upstream = await startFakeUpstream({ keys: [KEY] });
const site = await sharedSite({ options: { LogChatContentEnabled: true } });
await site.addChannel({ upstream, key: KEY, models: MODEL });
afterAll(() => upstream.close());

/** No eleven consecutive characters of the key may be sent, even split in two. */
function expectHidden(text: string): void {
  for (let at = 0; at + 12 <= PART.length; at++)
    expect(text).not.toContain(PART.slice(at, at + 12));
}

async function everythingStored(): Promise<string> {
  const tables = ['logs', 'failed_calls', 'channels', 'channel_outcomes', 'channel_keys'];
  const rows = await Promise.all(
    tables.map((table) =>
      site.ctx
        .reads(table)
        .select('*')
        .catch(() => []),
    ),
  );
  return JSON.stringify(rows);
}

describe('a fragment of the upstream key', () => {
  test('is removed from a refusal', async () => {
    for (const body of [CHAT, STREAM]) {
      upstream.script({
        refuse: {
          status: 400,
          message: `bad key ${PART}...`,
          code: PART,
          type: `t-${PART}`,
          param: PART,
        },
      });
      const { status, text, headers } = await site.call({ body: { ...body, model: MODEL } });
      expect([status, text]).toEqual([400, expect.stringContaining('bad key ***...')]);
      expectHidden(text + JSON.stringify(headers));
    }
  });

  test.each(['plain', 'split:5', 'gzip'])('is removed from an answer, %s', async (preset) => {
    upstream.script({ text: `it is ${PART} yes`, ...(preset === 'split:5' && { split: 5 }) });
    const { status, text } = await site.call({ body: { ...CHAT, model: MODEL } });
    expect([status, text]).toEqual([200, expect.stringContaining('it is *** yes')]);
    expectHidden(text);
  });

  test.each([
    ['/v1/chat/completions', { ...STREAM, model: MODEL }],
    ['/v1/messages', { ...CHAT, model: MODEL, max_tokens: 99, stream: true }],
  ])('is removed from a stream of %s, wherever it is split', async (path, body) => {
    for (const split of [1, 7, 64]) {
      upstream.script({ replay: [...EVENTS, '[DONE]'], split });
      const { status, text } = await site.call({ path, body });
      expect(status).toBe(200);
      expect(text).toContain('***');
      expectHidden(text);
    }
  });

  test('is removed from an error inside a stream', async () => {
    const error = { message: `lost ${PART}`, type: 'server_error' };
    upstream.script({ replay: [...EVENTS.slice(0, 1), JSON.stringify({ error })] });
    const { text } = await site.call({ body: { ...STREAM, model: MODEL } });
    expect(text).toContain('lost ***');
    expectHidden(text);
  });

  test('is not stored anywhere', async () => {
    upstream.script({ refuse: { status: 500, message: `bad key ${PART}` } });
    await site.call({ body: { ...CHAT, model: MODEL } });
    await eventually('the failed call is kept', async () =>
      (await everythingStored()).includes('bad key ***'),
    );
    expectHidden(await everythingStored());
    expect(await site.as(OPERATOR).channel.list({})).toBeDefined();
  });
});
