/**
 * Requests that are too large, too deep or too slow: they are refused, and the gateway keeps
 * serving.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createRelay } from '../../../src/relay/create-relay.ts';
import { createServer } from '../../../src/server/app.ts';
import { rawUpstream } from '../../relay/raw-upstream.ts';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite } from '../../support/site.ts';
import { fieldsOf, requestTo, ways } from './ways.ts';

const LIMITS = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };
const JSON_TYPE = { 'content-type': 'application/json' };
const MB = 1024 * 1024;
const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'hi' }] });
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const site = await sharedSite({ config: { ...LIMITS, maxBodyMb: 6, requestTimeoutMs: 1 } });
const root = await signedIn(site, await site.addUser({ role: 100 }));
afterEach(async () => {
  expect((await site.call({ body: chat('gpt-4o') })).status).toBe(200);
});

interface RawAnswer {
  /** Everything received until the server closed the connection or the wait timed out. */
  readonly text: string;
  readonly isClosed: boolean;
}

const HUNG_UP_WITHIN_MS = 60_000;

/** Sends the pieces unchanged and waits until the server closes the connection. */
async function raw(pieces: readonly string[], gapMs = 0): Promise<RawAnswer> {
  const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(() => true);
  for (const piece of pieces) {
    socket.write(piece);
    if (gapMs > 0) await Promise.race([pause(gapMs), closed]);
  }
  const isClosed = await Promise.race([closed, pause(HUNG_UP_WITHIN_MS).then(() => false)]);
  socket.destroy();
  return { text, isClosed };
}

/** Sends a request, keeps the connection open and returns the head of the first response. */
async function answerTo(sent: string): Promise<string> {
  const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
  socket.write(sent);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes('\r\n\r\n')) break;
  }
  return text;
}

/** Every path outside the management API that accepts a body, with its parameters filled in. */
async function modelPaths(): Promise<string[]> {
  const handle = await createRelay(site.ctx);
  const ending = { isDraining: false, takesCalls: true };
  const app = await createServer({
    ctx: site.ctx,
    relay: handle.relay,
    webRoot: undefined,
    ending,
    canWrite: async () => undefined,
  });
  await app.ready();
  const open: string[] = [];
  const paths = app
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', piece = '', methods = ''] =
        /^([│├└─ ]*)(.*?)(?: \(([A-Z, -]+)\))?$/.exec(line) ?? [];
      open.splice(indent.length / 4 - 1, Number.POSITIVE_INFINITY, piece);
      return methods.includes('POST') ? [open.join('')] : [];
    });
  await app.close();
  await handle.close(0);
  return paths
    .filter((path) => !path.startsWith('/api/') && !path.includes('/notify/'))
    .map((path) => path.replaceAll(/:\w+|\*/g, 'x'));
}

const head = (path: string, lines: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', ...lines, '', ''].join('\r\n');

describe('oversized body', () => {
  it('is refused by the management API above 4 MB, with or without a declared length', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(5 * MB) });
    const reply = await root.send('POST', '/api/token/', { rawBody: body, headers: JSON_TYPE });
    expect(reply).toMatchObject({ status: 413, body: { code: 'input_too_large' } });
    const chunk = `${(5 * MB).toString(16)}\r\n${'x'.repeat(5 * MB)}\r\n0\r\n\r\n`;
    const lines = ['content-type: application/json', 'transfer-encoding: chunked'];
    const text = await answerTo(head('/api/user/login', lines) + chunk);
    expect(text).toMatch(/^HTTP\/1.1 413 /);
  });

  it('is neither read nor parsed on unknown paths', async () => {
    for (const path of ['/nothing', '/api/nothing', '/v1/nothing', '/api/status']) {
      const lines = ['content-type: application/json', `content-length: ${5 * MB}`];
      const text = await answerTo(`${head(path, lines)}{bad`);
      expect(text, path).toMatch(/^HTTP\/1.1 40[45] /);
      const reply = await apiClient(site).send('POST', path, {
        rawBody: '{bad',
        headers: JSON_TYPE,
      });
      expect(reply.status, path).toBeLessThan(500);
    }
  });

  it('is not awaited by any model API path without a valid key', async () => {
    const paths = await modelPaths();
    expect(paths.length).toBeGreaterThan(40);
    const lines = ['content-type: application/json', `content-length: ${5 * MB}`];
    const answers = await Promise.all(
      paths.map(async (path) => [path, await answerTo(`${head(path, lines)}{`)]),
    );
    // A request whose body was awaited ends with 408.
    const answered = /^HTTP\/1\.1 (?!408)(4\d\d|501) /;
    expect(answers.filter(([, text]) => !answered.test(text ?? ''))).toEqual([]);
  });
});

describe('compressed body', () => {
  it('is refused in other encodings, and in every encoding by the management API', async () => {
    const rawBody = gzipSync(JSON.stringify(chat('gpt-4o')));
    for (const encoding of ['gzip, gzip', 'lzma', 'compress', 'gzip;q=1'])
      expect((await site.call({ rawBody, headers: { 'content-encoding': encoding } })).status).toBe(
        415,
      );
    for (const way of ways.filter(({ method }) => method === 'POST' || method === 'PUT')) {
      const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
      const reply = await root.send(way.method, requestTo(way, {}).path, { rawBody, headers });
      expect([way.title, reply.status]).toEqual([way.title, 415]);
    }
  });
});

describe('deep JSON nesting', () => {
  const takers = ways.filter(({ method }) => method === 'POST' || method === 'PUT');

  it.each(takers)('causes no internal error in $title', async (way) => {
    const names = [...Object.keys(fieldsOf(way.call)), 'unknown'];
    const fields = names.map((name) => `${JSON.stringify(name)}:${nested(30_000)}`);
    const reply = await root.send(way.method, requestTo(way, {}).path, {
      rawBody: `{${fields.slice(-8).join(',')}}`,
      headers: JSON_TYPE,
    });
    expect([reply.status < 500, reply.body?.code]).not.toEqual([true, undefined]);
    expect(reply.body.code).not.toBe('internal');
  });

  it.each(['param_override', 'setting', 'model_mapping', 'status_code_mapping'])(
    'is refused in the JSON text of %s',
    async (field) => {
      for (const value of [`{"a":${nested(50_000)}}`, JSON.parse(`{"a":${nested(1_000)}}`)]) {
        const body = { name: 'deep', key: 'sk-x', models: 'm', [field]: value };
        const reply = await root.send('POST', '/api/channel/', { body });
        expect(reply.body).toMatchObject({ success: false, param: field });
      }
    },
  );

  it('is refused in options and tolerated in query parameters', async () => {
    for (const key of ['GroupRatio', 'ModelRatio', 'Chats']) {
      const body = { key, value: nested(100_000) };
      expect((await root.send('PUT', '/api/option/', { body })).body.success).toBe(false);
    }
    const query = { tag_mode: nested(1_500), keyword: nested(1_500) };
    expect((await root.send('GET', '/api/channel/', { query })).status).toBeLessThan(500);
  });
});

describe('id list', () => {
  it.each([
    ['POST', '/api/token/batch', 'ids', 101],
    ['POST', '/api/channel/batch', 'ids', 1_001],
    ['POST', '/api/channel/batch/tag', 'ids', 1_001],
    ['POST', '/api/channel/batch/edit', 'ids', 1_001],
    ['PUT', '/api/redemption/batch-disable', 'ids', 1_001],
    ['POST', '/api/admin/messages', 'user_ids', 100_001],
  ])('of %s %s has a maximum length', async (method, path, field, count) => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const body = { [field]: ids, tag: 'x', title: 'x', content: 'x' };
    const reply = await root.send(method, path, { body });
    expect(reply.body).toMatchObject({ success: false, code: 'input_invalid', param: field });
  });

  it('refuses invalid numbers without a server error', async () => {
    for (const id of [
      1e308,
      -1,
      0,
      1.5,
      '1e9999',
      'NaN',
      '9007199254740993',
      true,
      '0x10',
      null,
      [[1]],
      {},
    ]) {
      const reply = await root.send('POST', '/api/token/batch', { body: { ids: [id] } });
      expect([id, reply.status, reply.body.success]).toEqual([id, 200, false]);
      const one = await root.send('GET', '/api/token/', {
        query: { p: String(id), page_size: '1e9' },
      });
      expect([id, one.status]).toEqual([id, 200]);
    }
  });
});

describe('request headers', () => {
  it('are refused if too long or too many', async () => {
    const long = await raw([head('/api/user/login', [`x-long: ${'x'.repeat(40_000)}`])]);
    expect(long.text).toMatch(/^HTTP\/1.1 431 /);
    expect(long.isClosed).toBe(true);
    const many = Array.from({ length: 3_000 }, (_, index) => `x-${index}: 1`);
    expect((await raw([head('/api/user/login', many)])).text).toMatch(/^HTTP\/1.1 4\d\d /);
  });

  it('are refused with conflicting lengths, which prevents request smuggling', async () => {
    for (const lines of [
      ['content-length: 5', 'transfer-encoding: chunked'],
      ['content-length: 5', 'content-length: 6'],
      ['transfer-encoding: chunked, identity'],
      ['content-length: +5'],
    ]) {
      const hidden = 'GET /api/status HTTP/1.1\r\nhost: x\r\n\r\n';
      const answer = await raw([`${head('/api/user/login', lines)}0\r\n\r\n${hidden}`]);
      expect([lines, answer.text.slice(0, 13)]).toEqual([lines, 'HTTP/1.1 400 ']);
      expect(answer.text.match(/HTTP\/1.1/g)).toHaveLength(1);
    }
  });
});

describe('slow client', () => {
  it('is disconnected if its headers or body arrive too slowly or not at all', async () => {
    const lines = ['content-type: application/json', 'content-length: 100'];
    const answers = await Promise.all([
      raw(['POST /api/user/login HTTP/1.1\r\n', 'host: x\r\n', 'x-a: 1\r\n', 'x-b: 1\r\n'], 700),
      raw([head('/api/user/login', lines), '{', '"', 'a', '"', ':', '1'], 500),
      raw([head('/v1/chat/completions', [`authorization: ${site.token.key}`, ...lines]), '{'], 500),
      raw([]),
    ]);
    for (const answer of answers) expect(answer.isClosed).toBe(true);
    expect(answers[0]?.text).toMatch(/^HTTP\/1.1 408 /);
  });

  it('can receive a stream that lasts longer than the request timeout', async () => {
    const upstream = await rawUpstream();
    upstream.answer = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let n = 0; n < 8; n += 1) {
        const delta = { choices: [{ index: 0, delta: { content: `${n}` } }] };
        response.write(`data: ${JSON.stringify(delta)}\n\n`);
        await pause(400);
      }
      response.end('data: [DONE]\n\n');
    };
    await site.addChannel({ base_url: upstream.url, models: 'gpt-4.1-mini' });
    const reply = await site.call({ body: { ...chat('gpt-4.1-mini'), stream: true } });
    expect(reply.text).toContain('"7"');
    expect(reply.text).toContain('[DONE]');
    await upstream.close();
  });
});

describe('file upload', () => {
  it('is refused by every route of the management API', async () => {
    const rawBody = `--x\r\nContent-Disposition: form-data; name="f"; filename="../../evil"\r\n\r\nx\r\n--x--`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const way of ways.filter(({ method }) => method === 'POST' || method === 'PUT')) {
      const reply = await root.send(way.method, requestTo(way, {}).path, { rawBody, headers });
      expect([way.title, reply.status]).toEqual([way.title, 415]);
    }
  });

  it('path traversal does not reach files outside the console folder', async () => {
    const folder = new URL('../../fixtures', import.meta.url).pathname;
    const served = await aSite({ config: { ...LIMITS, web: false, webRoot: folder } });
    for (const address of ['/..%2f..%2fpackage.json', '/%2e%2e/package.json'])
      expect((await apiClient(served).send('GET', address)).text).not.toMatch(
        /"dependencies"|root:/,
      );
    await served.close();
  });
});
