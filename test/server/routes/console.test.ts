/** The web console's files beside the APIs. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aSite, type Site } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { CHAT } from '../../upstream/wire.ts';

const PAGE = '<!doctype html><title>console</title>';
const SCRIPT = 'export const hello = 1;';

const folder = tempFolder();
let site: Site;
beforeAll(async () => {
  await mkdir(path.join(folder, 'assets'));
  await writeFile(path.join(folder, 'index.html'), PAGE);
  await writeFile(path.join(folder, 'favicon.svg'), '<svg/>');
  await writeFile(path.join(folder, 'assets', 'app-a1b2c3.js'), SCRIPT);
  await writeFile(path.join(folder, 'assets', 'app-a1b2c3.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(path.join(folder, 'assets', 'app-a1b2c3.js.gz'), gzipSync(SCRIPT));
  await writeFile(path.join(folder, '..', 'gateway-outside.txt'), 'not for you');
  site = await aSite({ config: { web: true, webRoot: folder } });
});
afterAll(async () => {
  await site.close();
  await rm(path.join(folder, '..', 'gateway-outside.txt'));
});

const get = (path: string, headers = {}) => site.call({ path, key: '', headers });

describe('the console', () => {
  test.each(['/', '/index.html', '/login', '/app/tokens?page=2', '/app/', '/v1x', '/apiary'])(
    'answers %s with its page, which is never cached',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.text]).toEqual([200, PAGE]);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(answer.requestId).not.toBe('');
    },
  );

  test.each(['/metrics', '/.env', '/.git/config', '/app/.env', '/%2eenv'])(
    'has no page for %s',
    async (path) => {
      const { status, text } = await get(path);
      expect([status, text.includes('"error"')]).toEqual([404, true]);
    },
  );

  test('serves hashed files as immutable, and revalidates others', async () => {
    const script = await get('/assets/app-a1b2c3.js');
    expect([script.status, script.text]).toEqual([200, SCRIPT]);
    expect(script.headers['content-type']).toMatch(/^(text|application)\/javascript/);
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const icon = await get('/favicon.svg');
    expect([icon.text, icon.headers['cache-control']]).toEqual(['<svg/>', 'no-cache']);
    const etag = String(icon.headers.etag);
    expect((await get('/favicon.svg', { 'if-none-match': etag })).status).toBe(304);
  });

  test('revalidates the page, whose kept copy keeps the policy with its nonce', async () => {
    const page = await get('/login');
    const etag = String(page.headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const kept = await get('/login', { 'if-none-match': known });
      expect([kept.status, kept.text, kept.headers.etag]).toEqual([304, '', etag]);
      expect(kept.headers['content-security-policy']).toBeUndefined();
    }
    await site.option('global_css', 'body { color: red }');
    expect((await get('/login', { 'if-none-match': etag })).status).toBe(200);
    await site.option('global_css', '');
  });

  test.each([
    ['/custom/global.css', 'text/css'],
    ['/custom/global.js', 'text/javascript'],
  ])('serves %s with its type, empty as it is', async (path, type) => {
    const empty = await get(path);
    expect([empty.status, empty.text]).toEqual([200, '']);
    expect(empty.headers['content-type']).toBe(`${type}; charset=utf-8`);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ])(
    'sends compressed files in an encoding the browser accepts: %s',
    async (accepted, encoding, open) => {
      const path = { path: '/assets/app-a1b2c3.js', key: '' };
      const accept = { 'accept-encoding': accepted };
      const script = await site.call({ ...path, headers: accept });
      expect([script.status, open(script.bytes).toString()]).toEqual([200, SCRIPT]);
      const expected = {
        'content-type': expect.stringMatching(/^(text|application)\/javascript/),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(encoding !== undefined && { 'content-encoding': encoding }),
      };
      expect(script.headers).toMatchObject(expected);
      expect(script.headers['content-encoding']).toBe(encoding);

      const head = await site.call({ ...path, method: 'HEAD', headers: accept });
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      expect(head.headers).toMatchObject({
        ...expected,
        'content-length': `${script.bytes.length}`,
      });
      const known = { ...accept, 'if-none-match': String(script.headers.etag) };
      const again = await site.call({ ...path, headers: known });
      expect([again.status, again.bytes.length, again.headers.vary]).toEqual([
        304,
        0,
        expected.vary,
      ]);
    },
  );

  test('sends uncompressed files unchanged', async () => {
    const icon = await get('/favicon.svg', { 'accept-encoding': 'br, gzip' });
    expect([icon.text, icon.headers['content-encoding']]).toEqual(['<svg/>', undefined]);
  });

  test('does not serve compressed copies by their own address', async () => {
    expect((await get('/assets/app-a1b2c3.js.br')).status).toBe(404);
  });

  test('answers HEAD like GET, without the body', async () => {
    const answer = await site.call({ path: '/favicon.svg', method: 'HEAD', key: '' });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  test.each([
    '/v1',
    '/v1/nope',
    '/hf/v1/nope',
    '/assets/app-gone.js',
    '/mj-nope/nothing',
    '/health/nope',
  ])('is distinct from the API: %s answers 404 as JSON', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        message: `Invalid URL (GET ${path})`,
        type: 'invalid_request_error',
        param: '',
        code: '',
      },
    });
  });

  test.each([
    ['GET', '/models', '/v1/models'],
    ['POST', '/openai/deployments/mine/chat/completions', '/v1/chat/completions'],
  ] as const)('suggests the intended path to a program: %s %s', async (method, path, meant) => {
    const headers = { accept: 'application/json' };
    const answer = await site.call({ path, method, headers });
    expect(answer.status).toBe(404);
    const { message } = JSON.parse(answer.text).error;
    expect(message).toContain(`Invalid URL (${method} ${path}). The correct path is ${meant}. `);
  });

  test.each([
    ['POST', '/api/chat', 'Ollama', '/v1/chat/completions'],
    ['GET', '/api/tags', 'Ollama', '/v1/models'],
    ['POST', '/v2/chat', 'Cohere', '/v1/chat/completions'],
    ['POST', '/v2/embed', 'Cohere', '/v1/embeddings'],
  ] as const)(
    'names the interface that is not served: %s %s',
    async (method, path, vendor, same) => {
      const answer = await site.call({ path, method });
      expect(answer.status).toBe(404);
      const { message, type } = JSON.parse(answer.text).error;
      expect(type).toBe('invalid_request_error');
      expect(message).toContain(`interface of ${vendor}`);
      expect(message).toContain(same);
    },
  );

  test('answers a browser at such a path with its page', async () => {
    const answer = await get('/models', { accept: 'text/html,*/*;q=0.8' });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
  });

  test.each([
    ['/v1/messages/nope/x', {}, { type: 'error', error: { type: 'not_found_error' } }],
    [
      '/v1/nope',
      { 'anthropic-version': '2023-06-01' },
      { type: 'error', error: { type: 'not_found_error' } },
    ],
    ['/v1beta/nope', {}, { error: { code: 404, status: 'NOT_FOUND' } }],
    ['/v1/nope', { 'x-goog-api-key': 'k' }, { error: { code: 404, status: 'NOT_FOUND' } }],
  ])("answers an unknown path in the caller's dialect: %s", async (path, headers, form) => {
    const answer = await get(path, headers);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject(form);
  });

  test.each(['POST', 'PUT', 'DELETE'] as const)(
    'is read-only: %s answers as JSON',
    async (method) => {
      for (const path of ['/', '/login', '/favicon.svg']) {
        const answer = await site.call({ path, method, key: '' });
        expect(answer.status).toBeGreaterThanOrEqual(404);
        expect(JSON.parse(answer.text).error.type).toBe('invalid_request_error');
      }
    },
  );

  test.each([
    '/../gateway-outside.txt',
    '/..%2fgateway-outside.txt',
    '/assets/..%2f..%2fgateway-outside.txt',
    '/%2e%2e/gateway-outside.txt',
    '/assets/%00',
  ])('serves no file outside its folder: %s', async (path) => {
    expect((await get(path)).text).not.toContain('not for you');
  });

  test('leaves the model API unchanged', async () => {
    expect((await site.call({ body: CHAT })).status).toBe(200);
    expect((await site.call({ path: '/v1/models' })).status).toBe(200);
    expect(JSON.parse((await get('/api/status')).text).success).toBe(true);
  });
});

test('a page beyond the rate limit is refused in a text for its reader; files are not counted', async () => {
  const strict = await aSite({ config: { web: true, webRoot: folder, webRateLimit: 2 } });
  const send = (path: string, headers = {}) => strict.call({ path, key: '', headers });
  for (const path of ['/favicon.svg', '/assets/app-a1b2c3.js', '/', '/login'])
    expect((await send(path)).status).toBe(200);
  for (const [language, words] of [
    ['zh-CN,zh;q=0.9', /^请求过于频繁，请在 \d+ 秒后重试$/],
    ['en', /^Too many requests/],
  ] as const)
    for (const path of ['/', '/login']) {
      const answer = await send(path, { accept: 'text/html', 'accept-language': language });
      expect([answer.status, answer.text]).toEqual([429, expect.stringMatching(words)]);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  await strict.close();
});

describe('without the console', () => {
  test('every path outside the APIs answers 404 as JSON, and the APIs work', async () => {
    const bare = await aSite({ config: { web: false } });
    for (const path of ['/', '/login', '/assets/app-a1b2c3.js']) {
      const answer = await bare.call({ path, key: '' });
      expect([answer.status, JSON.parse(answer.text).error.message]).toEqual([
        404,
        `Invalid URL (GET ${path})`,
      ]);
    }
    expect((await bare.call({ body: CHAT })).status).toBe(200);
    await bare.close();
  });
});
