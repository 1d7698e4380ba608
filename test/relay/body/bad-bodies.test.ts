/** Bodies that cannot be read: each gets one clear error, costs nothing and is not sent upstream. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteCall } from '../../support/site.ts';
import { bodyIn, CHAT } from '../../upstream/wire.ts';
import { rawReply } from '../raw-reply.ts';
import { type Refusal, refusalIn, withoutCost } from '../refusal.ts';

const MAX_BODY_MB = 1;

const site = await sharedSite({ config: { maxBodyMb: MAX_BODY_MB } });

async function refused(call: SiteCall): Promise<Refusal> {
  return refusalIn(await withoutCost(site, () => site.call(call)));
}

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

describe('a body with an encoding', () => {
  const text = Buffer.from(JSON.stringify(CHAT));

  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['identity', text],
    [' ', text],
  ])('(%s) is decoded and forwarded byte for byte', async (encoding, rawBody) => {
    const answer = await site.call({ rawBody, headers: { 'content-encoding': encoding } });
    expect(answer.status).toBe(200);
    expect(site.upstream.requests[0]?.body).toBe(text.toString());
    expect(site.upstream.requests[0]?.headers['content-encoding']).toBeUndefined();
  });

  test.each([
    ['gzip', text],
    ['gzip', gzipSync(text).subarray(0, -9)],
    ['gzip', Buffer.alloc(0)],
    ['br', Buffer.from('no brotli')],
    ['deflate', gzipSync(text)],
  ])('(%s) is refused when it is corrupt', async (encoding, rawBody) => {
    const refusal = await refused({ rawBody, headers: { 'content-encoding': encoding } });
    expect(refusal).toMatchObject({ status: 400, type: 'invalid_request_error', param: null });
    expect(['invalid_content_encoding', 'invalid_request']).toContain(refusal.code);
  });

  test.each(['lzma', 'compress', 'gzip, br', 'gzip;q=1', '__proto__', 'constructor'])(
    '(%s) is refused with 415 when it is unknown',
    async (encoding) => {
      expect(
        await refused({ rawBody: text, headers: { 'content-encoding': encoding } }),
      ).toMatchObject({ status: 415, code: 'unsupported_content_encoding', param: null });
    },
  );

  test.each([
    ['gzip', gzipSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, FAST)],
    ['deflate', deflateSync],
  ])(
    '(%s) is refused before decompression when it would exceed the limit',
    async (encoding, pack) => {
      const rawBody = pack(Buffer.alloc(64 * 1024 * 1024));
      const before = process.memoryUsage().arrayBuffers;
      expect(await refused({ rawBody, headers: { 'content-encoding': encoding } })).toMatchObject({
        status: 413,
        code: 'request_too_large',
      });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
    },
  );
});

describe('a body of the wrong size or kind', () => {
  const LIMIT = MAX_BODY_MB * 1024 * 1024;

  function ofSize(bytes: number): string {
    const frame = JSON.stringify({ ...CHAT, messages: [{ role: 'user', content: '' }] });
    return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
  }

  test('is accepted at exactly the limit', async () => {
    expect((await site.call({ rawBody: ofSize(LIMIT) })).status).toBe(200);
  });

  test('is refused with 413 one byte beyond', async () => {
    expect(await refused({ rawBody: ofSize(LIMIT + 1) })).toEqual({
      status: 413,
      type: 'invalid_request_error',
      param: null,
      code: 'request_too_large',
      message: `The body is larger than ${LIMIT} bytes.`,
    });
  });

  test('is refused during upload when no length is announced', async () => {
    const url = new URL(site.url);
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${site.token.key}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const piece = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const feed = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', feed);
    feed();
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test.each([
    ['text/plain', 200],
    ['application/json; charset=utf-8', 200],
    ['application/x-www-form-urlencoded', 200],
    ['multipart/form-data; boundary=x', 200],
    ['nonsense', 200],
    ['/', 200],
    ['application/json, application/json', 200],
  ])('is accepted with content type (%s)', async (contentType, status) => {
    const answer = await site.call({ body: CHAT, headers: { 'content-type': contentType } });
    expect(answer.status).toBe(status);
  });

  test('is accepted without a content type', async () => {
    const url = new URL(site.url);
    const text = JSON.stringify(CHAT);
    const answer = await rawReply(
      site,
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${url.host}\r\nconnection: close\r\nauthorization: Bearer ${site.token.key}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a malicious body', () => {
  test.each([
    '{"__proto__":{"isAdmin":true},"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}',
    '{"constructor":{"prototype":{"isAdmin":true}},"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}',
    '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi","__proto__":{"isAdmin":true}}]}',
    '{"hasOwnProperty":1,"toString":2,"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}',
  ])('changes no prototype and is forwarded unchanged: %s', async (rawBody) => {
    const answer = await site.call({ rawBody });
    expect(answer.status).toBe(200);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(site.upstream.requests[0]?.body).toBe(rawBody);
  });

  test('cannot supply checked fields through its prototype', async () => {
    const rawBody = '{"__proto__":{"model":"gpt-4o-mini","messages":[{"role":"user"}]}}';
    expect((await refused({ rawBody })).param).toBe('model');
  });

  test('cannot read inherited names from a channel map', async () => {
    const channel = await site.addChannel({
      models: 'toString,constructor,__proto__',
      model_mapping: '{"a":"b"}',
    });
    await site.option('ModelRatio', { toString: 1, constructor: 1 });
    for (const model of ['toString', 'constructor']) {
      const answer = await site.call({ body: { ...CHAT, model } });
      expect([model, answer.status]).toEqual([model, 200]);
      expect(bodyIn(site.upstream.requests.at(-1)?.body ?? '').model).toBe(model);
    }
    await site.option('ModelRatio', {});
    expect(channel.id).toBeGreaterThan(0);
  });

  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  const NESTING: readonly (readonly [field: string, around: (deep: string) => string])[] = [
    ['x', (deep) => `{"x":${deep},${JSON.stringify(CHAT).slice(1)}`],
    ['messages', (deep) => `{"model":"gpt-4o-mini","messages":[{"role":"user","x":${deep}}]}`],
    ['tools', (deep) => `{"tools":[{"x":${deep}}],${JSON.stringify(CHAT).slice(1)}`],
  ];

  test.each(NESTING)('with excessive nesting in %s is refused', async (field, around) => {
    for (const depth of [501, 100_000, 500_000])
      expect(await refused({ rawBody: around(nested(depth)) })).toMatchObject({
        status: 400,
        param: field,
        message: `The field ${field} is not valid: it must not be nested deeper than 500.`,
      });
  });

  test('with the maximum allowed nesting is answered, charged and logged', async () => {
    await site.option('LogChatContentEnabled', true);
    await site.addChannel({ models: 'gpt-4o', system_prompt: 'Be brief.', priority: 9 });
    for (const plan of ['ok', 'no-usage']) {
      site.upstream.script(plan);
      const content = `{"role":"user","content":"hi","x":${nested(498)}}`;
      const rawBody = `{"model":"gpt-4o","y":${nested(500)},"messages":[${content},${content}]}`;
      const answer = await site.call({ rawBody });
      expect([plan, answer.status]).toEqual([plan, 200]);
      const log = await site.logOf(answer.requestId);
      expect([log?.quota, log?.other.includes('[[[[[[')]).toEqual([expect.any(Number), true]);
      expect(site.upstream.requests.at(-1)?.body).toContain(nested(500));
    }
    await site.option('LogChatContentEnabled', false);
  });

  test.each([
    [
      'model',
      '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"model":"gpt-4o-mini"}',
    ],
    [
      'model',
      '{"mod\\u0065l":"gpt-4o","messages":[{"role":"user","content":"hi"}],"model":"gpt-4o-mini"}',
    ],
    ['n', '{"n":9,"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}],"n":1}'],
  ])(
    'with a duplicate %s is refused, because an upstream might read the other value',
    async (param, rawBody) => {
      expect(await refused({ rawBody })).toMatchObject({
        status: 400,
        param,
        message: `The field ${param} is not valid: it must appear only once.`,
      });
    },
  );
});
