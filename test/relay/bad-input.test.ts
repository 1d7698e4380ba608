/** Invalid requests: each gets one clear error, costs nothing and is not sent upstream. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { aSite, type Site, type SiteCall } from '../support/site.ts';
import { bodyIn, CHAT, eventsIn, STREAM } from '../upstream/wire.ts';
import { type Refusal, refusalIn, withoutCost } from './refusal.ts';

const MAX_BODY_MB = 1;

let site: Site;
beforeAll(async () => {
  site = await aSite({ config: { maxBodyMb: MAX_BODY_MB } });
});
beforeEach(() => site.upstream.reset());
afterAll(async () => {
  expect((await site.verify()).ok).toBe(true);
  await site.close();
});

async function refused(call: SiteCall): Promise<Refusal> {
  return refusalIn(await withoutCost(site, () => site.call(call)));
}

const EMBED = { model: 'text-embedding-3-small', input: 'hello' };
const LEGACY = { model: 'gpt-3.5-turbo-instruct', prompt: 'hello' };

describe('a body that is not a JSON object', () => {
  test.each([
    ['empty', '', 'invalid_request', 'The request has no body.'],
    ['blank', ' \n\t ', 'invalid_request', 'The request has no body.'],
    ['cut short', '{"model":"gpt-4o-mini","mess', 'invalid_json', /^The body is not valid JSON/],
    ['with a comma too many', '{"model":"gpt-4o-mini",}', 'invalid_json', /near position 23/],
    ['in single quotes', "{'model':'gpt-4o-mini'}", 'invalid_json', /near position 1\)/],
    ['a form', 'model=gpt-4o-mini&messages=hi', 'invalid_json', /^The body is not valid JSON/],
    ['two objects', '{}{}', 'invalid_json', /near position 2/],
    ['a list', '[]', 'invalid_json', 'The body must be a JSON object.'],
    ['a text', '"hello"', 'invalid_json', 'The body must be a JSON object.'],
    ['a number', '42', 'invalid_json', 'The body must be a JSON object.'],
    ['null', 'null', 'invalid_json', 'The body must be a JSON object.'],
    ['not a number', 'NaN', 'invalid_json', /^The body is not valid JSON/],
  ])('(%s) is refused', async (_case, rawBody, code, message) => {
    const refusal = await refused({ method: 'POST', rawBody });
    expect(refusal).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: null,
      code,
    });
    expect(refusal.message).toMatch(message);
  });

  test('is refused without repeating its content', async () => {
    const { message } = await refused({ rawBody: '{"model": sk-very-secret-text}' });
    expect(message).not.toContain('secret');
  });

  test.each([
    ['a byte that begins no character', Buffer.from([0xff])],
    ['half a character', Buffer.from([0xe4, 0xb8])],
    ['an overlong character', Buffer.from([0xc0, 0xaf])],
    ['a lone surrogate', Buffer.from([0xed, 0xa0, 0x80])],
  ])('with %s in its text is refused', async (_case, bytes) => {
    const text = JSON.stringify({ ...CHAT, messages: [{ role: 'user', content: '@' }] });
    const [before = '', after = ''] = text.split('@');
    const rawBody = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
    expect(await refused({ rawBody })).toMatchObject({
      status: 400,
      code: 'invalid_content_encoding',
      message: 'The body is not valid UTF-8 data.',
    });
  });
});

describe('the model', () => {
  test.each([
    ['missing', undefined, 'missing_required_parameter', 'The field model is missing.'],
    ['null', null, 'missing_required_parameter', 'The field model is missing.'],
    ['empty', '', 'missing_required_parameter', 'The field model is missing.'],
    ['blank', ' \t', 'missing_required_parameter', 'The field model is missing.'],
    ['a number', 4, 'invalid_value', 'The field model is not valid: it must be a text.'],
    ['a list', ['gpt-4o'], 'invalid_value', 'The field model is not valid: it must be a text.'],
    ['an object', {}, 'invalid_value', 'The field model is not valid: it must be a text.'],
    ['true', true, 'invalid_value', 'The field model is not valid: it must be a text.'],
  ])('that is %s is refused', async (_case, model, code, message) => {
    for (const [path, body] of [
      ['/v1/chat/completions', CHAT],
      ['/v1/completions', LEGACY],
      ['/v1/embeddings', EMBED],
    ] as const)
      expect(await refused({ path, body: { ...body, model } })).toEqual({
        status: 400,
        type: 'invalid_request_error',
        param: 'model',
        code,
        message,
      });
  });

  test.each([
    'gpt-4o-mini ',
    'GPT-4O-MINI',
    '../gpt-4o-mini',
    'gpt-4o-mini\u0000',
    '__proto__',
    'constructor',
    'x'.repeat(100_000),
    '\ud800',
  ])('%j is refused when no channel serves it', async (model) => {
    expect(await refused({ body: { ...CHAT, model } })).toMatchObject({
      status: 404,
      param: 'model',
      code: 'model_not_found',
    });
  });
});

const NOT_BOOLEAN = ['true', 1, [], {}] as const;
const NOT_NUMBER = ['1', true, [], {}] as const;
const NOT_COUNT = ['16', 1.5, -1, true, 2 ** 31, 1e300] as const;
const NOT_OBJECT = ['on', 7, true, []] as const;

const WRONG: readonly (readonly [
  path: string,
  body: object,
  field: string,
  values: readonly unknown[],
])[] = [
  ['/v1/chat/completions', CHAT, 'stream', NOT_BOOLEAN],
  ['/v1/chat/completions', CHAT, 'stream_options', NOT_OBJECT],
  ['/v1/chat/completions', CHAT, 'max_tokens', NOT_COUNT],
  ['/v1/chat/completions', CHAT, 'max_completion_tokens', NOT_COUNT],
  ['/v1/chat/completions', CHAT, 'n', ['2', 0, -1, 1.5, true]],
  ['/v1/chat/completions', CHAT, 'temperature', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'top_p', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'presence_penalty', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'frequency_penalty', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'messages', ['hello', 7, {}, []]],
  ['/v1/completions', LEGACY, 'stream', NOT_BOOLEAN],
  ['/v1/completions', LEGACY, 'max_tokens', NOT_COUNT],
  ['/v1/completions', LEGACY, 'n', ['2', 0]],
  ['/v1/completions', LEGACY, 'temperature', NOT_NUMBER],
];

describe('a field of the wrong type', () => {
  test.each(WRONG)('%s %j: %s', async (path, body, field, values) => {
    for (const value of values) {
      const refusal = await refused({ path, body: { ...body, [field]: value } });
      expect(refusal).toMatchObject({ status: 400, param: field, code: 'invalid_value' });
      expect(refusal.message).toMatch(new RegExp(`^The field ${field} is not valid: it must be `));
    }
  });

  test.each([
    ['/v1/chat/completions', CHAT, 'messages'],
    ['/v1/completions', LEGACY, 'prompt'],
    ['/v1/embeddings', EMBED, 'input'],
    ['/v1/moderations', { input: 'hello' }, 'input'],
  ])('%s names the missing field', async (path, body, field) => {
    for (const value of [undefined, null])
      expect(await refused({ path, body: { ...body, [field]: value } })).toMatchObject({
        status: 400,
        param: field,
        code: 'missing_required_parameter',
        message: `The field ${field} is missing.`,
      });
  });

  test.each([
    [[CHAT.messages[0], 'hello'], 'messages.1', 'invalid_value'],
    [[CHAT.messages[0], null], 'messages.1', 'invalid_value'],
    [[{ content: 'hello' }], 'messages.0.role', 'missing_required_parameter'],
    [[{ role: 7, content: 'hello' }], 'messages.0.role', 'invalid_value'],
    [[{ role: ' ', content: 'hello' }], 'messages.0.role', 'missing_required_parameter'],
  ])('in message list %j is named by its path %s', async (messages, param, code) => {
    expect(await refused({ body: { ...CHAT, messages } })).toMatchObject({
      status: 400,
      param,
      code,
    });
  });

  test("is reported in the caller's language", async () => {
    const headers = { 'accept-language': 'zh-CN,zh;q=0.9' };
    const { message } = await refused({ body: { ...CHAT, model: undefined }, headers });
    expect(message).toBe('缺少字段 model');
  });

  test('is accepted as absent when it is null', async () => {
    const nulls = {
      stream: null,
      stream_options: null,
      max_tokens: null,
      n: null,
      temperature: null,
    };
    const answer = await site.call({ body: { ...CHAT, ...nulls } });
    expect(answer.status).toBe(200);
  });
});

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

  test.each(['zstd', 'compress', 'gzip, br', 'gzip;q=1', '__proto__', 'constructor'])(
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
    const answer = await raw(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${url.host}\r\nconnection: close\r\nauthorization: Bearer ${site.token.key}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

/** The server's complete reply to these bytes, which must request that it closes. */
async function raw(bytes: string): Promise<string> {
  const url = new URL(site.url);
  const socket = connect(Number(url.port), url.hostname);
  socket.setEncoding('utf8').write(bytes);
  let text = '';
  for await (const piece of socket) text += piece;
  return text;
}

describe('an unknown address', () => {
  test.each([
    ['GET', '/v1/nope'],
    ['POST', '/v1/nope'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['POST', '/v1/chat'],
    ['POST', '/v1/chat/completions/more'],
    ['GET', '/hf/v1/nope'],
    ['GET', '/api/nope'],
    ['GET', '/assets/nope.js'],
  ] as const)('%s %s answers 404 with the address', async (method, path) => {
    const answer = await site.call({ method, path, key: '' });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        message: `Invalid URL (${method} ${path})`,
        type: 'invalid_request_error',
        param: '',
        code: '',
      },
    });
    expect(answer.requestId).not.toBe('');
  });

  test('is reported without its query, which may contain a key', async () => {
    const answer = await site.call({ path: '/v1/nope?key=sk-secret', key: '' });
    expect(bodyIn(answer.text).error?.message).toBe('Invalid URL (GET /v1/nope)');
  });

  test.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/v1/chat/completions', 'POST'],
    ['DELETE', '/v1/embeddings', 'POST'],
    ['PATCH', '/v1/completions/', 'POST'],
    ['GET', '/v1/engines/ada/embeddings', 'POST'],
    ['POST', '/v1/models', 'GET'],
    ['DELETE', '/v1/models/gpt-4o-mini', 'GET, POST'],
    ['GET', '/hf/v1/moderations', 'POST'],
    ['DELETE', '/api/status', 'GET'],
    ['POST', '/health/live', 'GET'],
  ] as const)(
    'with a wrong method, %s %s, answers 405 with the allowed method',
    async (method, path, allow) => {
      const answer = await site.call({ method, path });
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      expect(bodyIn(answer.text).error).toMatchObject({ code: 'method_not_allowed' });
    },
  );

  test('is reported in the usual form for invalid HTTP and oversized headers', async () => {
    const long = `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`;
    for (const [bytes, status] of [
      ['HELO gateway\r\n\r\n', 400],
      [long, 431],
    ] as const) {
      const [head = '', body = ''] = (await raw(bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toMatch(/\r\nx-request-id: \w{30,}\r\n/);
      expect(bodyIn(body).error).toMatchObject({ type: 'invalid_request_error' });
    }
  });

  test.each([
    '/v1/models/%E0%A4%A',
    '/v1/models/%',
    '/v1/engines/%ff/embeddings',
    `/v1/engines/${'x'.repeat(600)}/embeddings`,
    '//v1/chat/completions',
    '/v1/../v1/nope',
  ])('%s is refused in the same form', async (path) => {
    const answer = await raw(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(head.toLowerCase()).toContain('\r\nx-request-id: ');
    expect(bodyIn(body).error).toMatchObject({ type: 'invalid_request_error' });
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

describe.each(databases)('texts that databases reject, on $kind', ({ kind }) => {
  let here: Site;
  beforeAll(async () => {
    here = await aSite({
      database: kind,
      options: { LogChatContentEnabled: true, LogErrorEnabled: true },
    });
  });
  afterAll(() => here.close());

  test.each([
    ['a null character', 'before\u0000after'],
    ['half a surrogate pair', 'before\ud83dafter'],
    ['characters beyond the basic plane', '𝒜🌍👩‍🚀'],
    ['quotes and backslashes', `'"\\\`;--%_{}$1?`],
  ])('(%s) are answered, charged and logged', async (_case, text) => {
    const model = `odd ${text}`;
    await here.addChannel({
      name: `c ${text.replaceAll(/[^\w ]/gu, '')}`,
      models: 'gpt-4o-mini',
    });
    const body = {
      ...CHAT,
      user: text,
      reasoning_effort: text,
      messages: [{ role: 'user', content: text }],
    };
    for (const asked of [body, { ...body, stream: true }]) {
      const answer = await here.call({ body: asked });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      expect((await here.logOf(answer.requestId))?.quota).toBeGreaterThan(0);
      expect(await here.ledgerOf(answer.requestId)).toHaveLength(1);
    }
    here.upstream.script({ refuse: { status: 400, message: text, code: text, type: text } });
    const failed = await here.call({ body });
    expect(failed.status).toBe(400);
    expect(await here.logsOf(failed.requestId)).toHaveLength(1);
    const unknown = await here.call({ body: { ...body, model } });
    expect(unknown.status).toBe(404);
    expect((await here.verify()).ok).toBe(true);
  });

  test('ten megabytes of messages are answered and charged', async () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `${at} ${'word '.repeat(200)}`,
    }));
    const answer = await here.call({ body: { ...STREAM, messages } });
    expect(answer.status).toBe(200);
    expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
    expect((await here.logOf(answer.requestId))?.prompt_tokens).toBeGreaterThan(2_000_000);
    expect((await here.verify()).ok).toBe(true);
  });
});
