/** What every answer of the server has in common, whoever asked for what. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorText } from '../../src/locales/text.ts';
import { createLogger, type Logger } from '../../src/log.ts';
import { ClientLeft } from '../../src/relay/failures/failed-attempt.ts';
import { openAiErrorOf } from '../../src/relay/translate/error-response.ts';
import { aSite, type Site, type SiteCall } from '../site.ts';
import { bodyIn, CHAT, STREAM } from '../upstream/wire.ts';

let site: Site;
beforeAll(async () => {
  site = await aSite();
});
beforeEach(() => site.upstream.reset());
afterAll(() => site.close());

const EVERY_KIND: readonly (readonly [what: string, call: SiteCall, status: number])[] = [
  ['a plain answer', { body: CHAT }, 200],
  ['a stream', { body: STREAM }, 200],
  ['a list', { path: '/v1/models' }, 200],
  ['a refused key', { body: CHAT, key: 'sk-x' }, 401],
  ['a faulty body', { rawBody: '{' }, 400],
  ['an unknown model', { body: { ...CHAT, model: 'x' } }, 404],
  ['an unknown path', { path: '/v1/nope' }, 404],
  ['a wrong method', { path: '/v1/chat/completions', method: 'DELETE' }, 405],
  ['a management call', { path: '/api/status' }, 200],
  ['an unknown management call', { path: '/api/nope' }, 404],
  ['the health', { path: '/health/live' }, 200],
  [
    'a preflight',
    {
      path: '/v1/chat/completions',
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
      },
    },
    204,
  ],
];

describe('the request id', () => {
  test.each(EVERY_KIND)('stands on %s', async (_what, call, status) => {
    const answer = await site.call(call);
    expect(answer.status).toBe(status);
    expect(answer.requestId).toMatch(/^20\d{12}\d{9}[0-9A-Za-z]{8}$/);
  });

  test('is new for every request, and later ones sort behind', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1)
      ids.push((await site.call({ path: '/health/live' })).requestId);
    expect(new Set(ids).size).toBe(20);
    expect([...ids].sort()).toEqual(ids);
  });

  test('is ours, whatever a client or a proxy proposes', async () => {
    const headers = { 'x-request-id': 'chosen-by-client', 'request-id': 'chosen-by-client' };
    const answer = await site.call({ body: CHAT, headers });
    expect(answer.requestId).not.toContain('chosen');
    expect(await site.ledgerOf(answer.requestId)).toHaveLength(1);
  });

  test('names the call in its error, its log row and its ledger row', async () => {
    const refused = await site.call({ body: { ...CHAT, n: 0 } });
    expect(bodyIn(refused.text).error?.message).toContain(`(request id: ${refused.requestId})`);
    const good = await site.call({ body: CHAT });
    expect((await site.logOf(good.requestId))?.request_id).toBe(good.requestId);
    expect((await site.ledgerOf(good.requestId))[0]?.key).toBe(`call:${good.requestId}`);
  });
});

describe('other origins', () => {
  const ORIGIN = { origin: 'https://app.example' };

  test.each([
    ['an answer', { body: CHAT }],
    ['a stream', { body: STREAM }],
    ['an error', { body: CHAT, key: 'sk-x' }],
    ['the list of models', { path: '/v1/models' }],
  ] satisfies [string, SiteCall][])('may read %s of the model API', async (_what, call) => {
    const { headers } = await site.call({ ...call, headers: ORIGIN });
    expect(headers['access-control-allow-origin']).toBe('*');
    // Without credentials that is every header (fetch.spec.whatwg.org, "CORS-exposed header-name list").
    expect(headers['access-control-expose-headers']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('may ask before with any header', async () => {
    const { status, headers } = await site.call({
      path: '/v1/chat/completions',
      method: 'OPTIONS',
      key: '',
      headers: {
        ...ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-methods']).toMatch(/POST/);
    expect(headers['access-control-allow-headers']).toBe(
      'authorization,content-type,x-stainless-lang',
    );
  });

  test.each(['/api/status', '/api/nope', '/health/live', '/'])(
    'may neither read %s nor ask for it before',
    async (path) => {
      const read = await site.call({ path, headers: ORIGIN });
      const asked = await site.call({
        path,
        method: 'OPTIONS',
        headers: { ...ORIGIN, 'access-control-request-method': 'PUT' },
      });
      for (const { headers } of [read, asked])
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual(
          [],
        );
      expect(asked.status).toBeGreaterThanOrEqual(404);
    },
  );

  test('of browser extensions are refused where the operator wants it, before the key is looked at', async () => {
    const headers = { origin: 'chrome-extension://abcdef' };
    expect((await site.call({ body: CHAT, headers })).status).toBe(200);
    await site.option('global.block_browser_extension_enabled', true);
    for (const [path, body] of [
      ['/v1/chat/completions', CHAT],
      ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'x' }],
    ] as const) {
      const refused = await site.call({ path, body, headers, key: '' });
      expect([refused.status, bodyIn(refused.text).error?.code]).toEqual([
        403,
        'browser_extension_blocked',
      ]);
    }
    expect((await site.call({ body: CHAT, headers: ORIGIN })).status).toBe(200);
    await site.option('global.block_browser_extension_enabled', false);
  });
});

describe('the health', () => {
  test('is told without a key: alive, and ready while the database answers', async () => {
    for (const path of ['/health/live', '/health/ready', '/health/ready/'])
      expect(JSON.parse((await site.call({ path, key: '' })).text)).toEqual({ status: 'ok' });
  });

  test('is not ready when the database is gone, and still alive', async () => {
    const other = await aSite({ config: { drainTimeoutMs: 1, clientGraceMs: 0 } });
    await other.ctx.db.destroy();
    // A write of the second before is proof enough.
    await pause(1_100);
    const ready = await other.call({ path: '/health/ready', key: '' });
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      503,
      { status: 'database unreachable' },
    ]);
    expect((await other.call({ path: '/health/live', key: '' })).status).toBe(200);
    await other.close();
  });
});

describe('/api/status', () => {
  test('is in the envelope, for everyone, with the options as they stand', async () => {
    await site.option('SystemName', 'My Gateway');
    for (const path of ['/api/status', '/api/status/']) {
      const { text, headers } = await site.call({ path, key: '' });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      const { data, ...envelope } = JSON.parse(text);
      expect(envelope).toEqual({ success: true, message: '' });
      expect(data).toMatchObject({
        system_name: 'My Gateway',
        quota_per_unit: 500_000,
        setup: false,
        version: site.ctx.version,
        chats: expect.any(Array),
      });
    }
  });

  test('tells no secret', async () => {
    await site.option('GitHubClientSecret', 'very-secret-value');
    expect((await site.call({ path: '/api/status' })).text).not.toContain('very-secret-value');
  });
});

describe('the log of the server', () => {
  /** A real logger and what it wrote. */
  function keptLogger(): { log: Logger; levels: string[] } {
    const levels: string[] = [];
    const log = createLogger('silent');
    log.level = 'trace';
    log.error = (() => levels.push('error')) as Logger['error']; // counted instead of written
    return { log, levels };
  }

  test('does not call a client that left a failure of ours', () => {
    const { log, levels } = keptLogger();
    const reader = { requestId: 'r', language: undefined, log };
    openAiErrorOf(new ClientLeft(), reader);
    expect(levels).toEqual([]);
    openAiErrorOf(new Error('unexpected'), reader);
    expect(levels).toEqual(['error']);
  });

  test('keeps what broke to itself: the client learns nothing of it', () => {
    const { log } = keptLogger();
    const { body, status } = openAiErrorOf(new Error('secret detail /etc/passwd'), {
      requestId: 'r',
      language: undefined,
      log,
    });
    expect([status, body.error]).toEqual([
      500,
      {
        message: 'Something went wrong inside the gateway. (request id: r)',
        type: 'gateway_error',
        param: null,
        code: 'internal_error',
      },
    ]);
    expect(errorText).toBeTypeOf('function');
  });
});
