/** What clients of each dialect receive when a call cannot be answered, or reports no usage. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hubAnswerOf, CLIENTS as ROWS, wordsOf } from '../../system/matrix/clients.ts';
import { setPrice } from '../tenant.ts';
import { aDialectSite, PRICE, REQUESTS, UPSTREAMS } from './dialect-site.ts';

const site = await aDialectSite();

const NON_ANSWERS = ['empty-object', 'html-answer', 'error-words', 'empty-answer'] as const;
const TEXT_UPSTREAMS = ['chat', 'anthropic', 'gemini', 'responses'] as const;

describe('status 200 without an answer', () => {
  /** The first channel of each upstream; a second one is tried after it. */
  const first = new Map<string, number>();
  let pinnedKey: (upstream: string) => string;
  beforeAll(async () => {
    const { key } = await site.addToken({ owner: await site.addUser({ role: 10 }) });
    pinnedKey = (upstream) => `${key}-${first.get(upstream)}`;
    for (const name of TEXT_UPSTREAMS) {
      const { model, type } = UPSTREAMS[name];
      const models = `odd-${name}`;
      await setPrice(site, models, PRICE);
      const channel = {
        type,
        models,
        model_mapping: JSON.stringify({ [models]: model }),
        setting: JSON.stringify({ chat_only: name === 'chat' }),
      };
      first.set(name, (await site.addChannel({ ...channel, priority: 1 })).id);
      await site.addChannel(channel);
    }
    await site.option('RetryTimes', 1);
  });
  afterAll(() => site.option('RetryTimes', 0));

  const FORMS = [false, true].map((stream) => ({ stream, how: stream ? 'streamed' : 'whole' }));
  describe.each(FORMS)('$how', ({ stream }) => {
    describe.each(TEXT_UPSTREAMS)('from a %s upstream', (upstream) => {
      test.each(ROWS)('is a failed attempt ($label)', async ({ name, request, errorType }) => {
        const call = request(`odd-${upstream}`, { text: 'Hi', stream });
        const key = pinnedKey(upstream);
        site.upstream.script('empty-answer');
        const answer = await site.call(call);
        expect(wordsOf(hubAnswerOf(name, answer, stream), 'text')).toBe('You said: Hi');
        expect(await site.ledgerOf(answer.requestId)).toHaveLength(1);
        for (const plan of NON_ANSWERS) {
          site.upstream.script(plan);
          const refused = await site.call({ ...call, key });
          expect(refused.status, plan).toBe(502);
          expect(errorType(JSON.parse(refused.text)), plan).toMatch(
            /^(upstream_error|api_error|UNAVAILABLE)$/,
          );
          expect(await site.ledgerOf(refused.requestId), plan).toEqual([]);
          // A channel that fails repeatedly would open its circuit breaker.
          expect((await site.call({ ...call, key })).status).toBe(200);
        }
        await site.settled();
        expect(await site.openHolds()).toBe(0);
      });
    });
  });

  test.each(TEXT_UPSTREAMS.flatMap((upstream) => FORMS.map((form) => ({ upstream, ...form }))))(
    'is an answer if $upstream reports usage, $how',
    async ({ upstream, stream }) => {
      for (const { name, request } of ROWS) {
        site.upstream.script({ text: '' });
        const answer = await site.call(request(`odd-${upstream}`, { text: 'Hi', stream }));
        expect(wordsOf(hubAnswerOf(name, answer, stream), 'text')).toBe('');
        await site.settled();
        const log = await site.logOf(answer.requestId);
        expect(log, name).toMatchObject({ usage_source: 'upstream', completion_tokens: 0 });
        const [charge] = await site.ledgerOf(answer.requestId);
        expect(charge?.user_units, name).toBe(-(log?.prompt_tokens ?? 0));
      }
    },
  );

  test.each(FORMS)('is a failed legacy completion, $how', async ({ stream }) => {
    const body = { model: 'odd-chat', prompt: 'Hi', stream };
    const key = pinnedKey('chat');
    for (const plan of NON_ANSWERS) {
      site.upstream.script(plan);
      const refused = await site.call({ path: '/v1/completions', body, key });
      const { type } = JSON.parse(refused.text).error;
      expect([refused.status, type], plan).toEqual([502, 'upstream_error']);
      expect((await site.call({ path: '/v1/completions', body, key })).status).toBe(200);
    }
  });
});

describe('usage that the upstream does not report', () => {
  const FORMS = [false, true].map((stream) => ({ stream, how: stream ? 'streamed' : 'whole' }));
  describe.each(FORMS)('$how', ({ stream }) => {
    test('is estimated in a whole answer built from a stream, and in a stream built from a whole answer', async () => {
      for (const { name, request } of ROWS) {
        site.upstream.script(stream ? 'stream-ignored+no-usage' : 'json-ignored+no-usage');
        const answer = await site.call(request('via-chat', { text: 'Count me', stream }));
        await site.settled();
        const log = await site.logOf(answer.requestId);
        const { usage } = hubAnswerOf(name, answer, stream);
        expect([usage?.input, usage?.output], name).toEqual([
          log?.prompt_tokens,
          log?.completion_tokens,
        ]);
      }
    });
  });

  test('is estimated in a whole legacy completion', async () => {
    site.upstream.script('no-usage');
    const body = { model: 'via-chat', prompt: 'Count me' };
    const answer = await site.call({ path: '/v1/completions', body });
    await site.settled();
    const log = await site.logOf(answer.requestId);
    expect(JSON.parse(answer.text).usage).toMatchObject({
      prompt_tokens: log?.prompt_tokens,
      completion_tokens: log?.completion_tokens,
    });
  });
});

describe('refusals before any upstream', () => {
  test.each([
    ['anthropic', '/v1/messages', { model: 'm' }, 400, 'invalid_request_error'],
    ['gemini', '/v1beta/models/m:generateContent', {}, 400, 'INVALID_ARGUMENT'],
  ] as const)('%s names the missing field', async (_client, path, body, status, type) => {
    const answer = await site.call({ path, body });
    const { error } = JSON.parse(answer.text);
    expect(answer.status).toBe(status);
    expect(error.type ?? error.status).toBe(type);
    expect(error.message).toMatch(/messages|contents/);
  });

  test("a wrong key is reported in the client's dialect, whichever header carries it", async () => {
    const request = REQUESTS.anthropic('via-chat', { text: 'Hi' });
    const wrong = await site.call({ ...request, key: '', headers: { 'x-api-key': 'sk-wrong' } });
    expect([wrong.status, JSON.parse(wrong.text).error.type]).toEqual([
      401,
      'authentication_error',
    ]);
    const right = await site.call({
      ...request,
      key: 'sk-wrong',
      headers: { 'x-api-key': site.token.key },
    });
    expect(right.status).toBe(200);
    const google = REQUESTS.gemini('via-chat', { text: 'Hi' });
    const refused = await site.call({
      ...google,
      key: '',
      headers: { 'x-goog-api-key': 'sk-wrong' },
    });
    expect(JSON.parse(refused.text).error.status).toBe('UNAUTHENTICATED');
    const path = `${google.path}?key=${site.token.key}`;
    expect((await site.call({ ...google, key: '', path })).status).toBe(200);
  });

  test.each([
    ['/v1beta/models/m:predict', 501],
    ['/v1beta/models/m:dance', 404],
    ['/v1beta/models/m', 404],
  ])('%s answers %i', async (path, status) => {
    expect((await site.call({ path, body: {} })).status).toBe(status);
  });
});
