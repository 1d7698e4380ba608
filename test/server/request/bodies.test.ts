/** When a body is read, how much is buffered in total, and the refusals. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, type SiteToken } from '../../support/site.ts';

const MB = 1024 * 1024;
const METRICS_TOKEN = 'a-token-for-the-metrics';
const chat = (more: object = {}) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});
const large = (megabytes: number) => JSON.stringify(chat({ user: 'x'.repeat(megabytes * MB) }));

const limits = { maxBodyMb: 50, bodyBudgetMb: 80, clientGraceMs: 1 };
const site = await sharedSite({ config: { ...limits, metricsToken: METRICS_TOKEN } });
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually('all bodies are given back', async () => (await bytesHeld()) === 0);
});

async function bytesHeld(): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const { text } = await site.call({ path: '/metrics', key: '', headers });
  return Number(/^gateway_body_bytes (\d+)/m.exec(text)?.[1]);
}

/** An account without balance. */
async function drainedToken(): Promise<SiteToken> {
  return site.addToken({ owner: await site.addUser({ quota: 0 }) });
}
async function ownToken(fields: object = {}): Promise<SiteToken> {
  return site.addToken({ owner: await site.addUser(), ...fields });
}

interface RequestOptions {
  readonly key: string;
  readonly path?: string;
  /** `content-length: …` or `transfer-encoding: chunked`. */
  readonly length: string;
  readonly version?: string;
  readonly headers?: readonly string[];
}

/** Sends a request's head; the caller sends the body. */
function opened({
  key,
  path = '/v1/chat/completions',
  length,
  version = '1.1',
  headers = [],
}: RequestOptions) {
  const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const lines = [`POST ${path} HTTP/${version}`, 'host: x', `authorization: Bearer ${key}`, length];
  socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`);
  return socket;
}

/** An error in any dialect. */
interface Body {
  readonly error: Readonly<Record<string, unknown>>;
}

/** All data received until the response was complete or the connection closed. */
async function answerOn(socket: Socket): Promise<{ status: number; head: string; body: Body }> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    // One character per byte: the length is in bytes.
    text += chunk.toString('latin1');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (body.length >= length)
      return { status: Number(head.slice(9, 12)), head, body: JSON.parse(body) };
  }
  throw new Error(`no whole answer: ${text}`);
}

const answerTo = (options: RequestOptions) => answerOn(opened(options));

const PATHS = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1beta/models/gpt-4o-mini:generateContent',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/images/edits',
  '/v1/audio/transcriptions',
  '/v1/realtime/client_secrets',
  '/suno/submit/music',
  '/mj/submit/imagine',
];
const LENGTHS = [`content-length: ${49 * MB}`, 'transfer-encoding: chunked'];

/** Midjourney clients do not handle a 402, and Codex repeats it. */
function shortOf(path: string): number {
  return path.startsWith('/mj/') || path.startsWith('/v1/responses') ? 400 : 402;
}

describe('before a large body is read', () => {
  it.each(PATHS)('%s refuses an unknown key and an account without balance', async (path) => {
    const { key } = await drainedToken();
    for (const length of LENGTHS) {
      expect((await answerTo({ key: 'sk-unknown', path, length })).status).toBe(401);
      const { status, body } = await answerTo({ key, path, length });
      expect(status).toBe(shortOf(path));
      expect(JSON.stringify(body)).toContain('quota');
    }
  });

  it('a call over a rate limit is refused, and each call is counted once', async () => {
    const rate = { rate_limit_enabled: true, rate_limit_period: 600, rate_limit_count: 2 };
    const { key } = await ownToken(rate);
    for (const _ of [1, 2]) expect((await site.call({ key, rawBody: large(1) })).status).toBe(200);
    for (const length of LENGTHS) {
      const { status, head, body } = await answerTo({ key, length });
      expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded']);
      expect(head).toMatch(/^retry-after: \d+/im);
    }
  });

  it('a body being uploaded counts as a running call', async () => {
    const { key } = await ownToken({ max_concurrency: 1 });
    const first = opened({ key, length: `content-length: ${MB}` });
    await eventually('the first is being read', async () => (await bytesHeld()) > 0);
    expect((await answerTo({ key, length: `content-length: ${MB}` })).status).toBe(429);
    first.destroy();
    const after = async () => (await site.call({ key, rawBody: large(1) })).status === 200;
    await eventually('the call permit is free again', after);
  });

  it("addresses outside the key's allow list are refused", async () => {
    const { key } = await ownToken({ allow_ips: '203.0.113.9' });
    expect((await answerTo({ key, length: `content-length: ${49 * MB}` })).status).toBe(403);
  });

  it('a body with a declared length over the limit is refused, in each dialect', async () => {
    const length = `content-length: ${51 * MB}`;
    const { key } = site.token;
    expect((await answerTo({ key, length })).body.error.code).toBe('request_too_large');
    const anthropic = await answerTo({ key, length, path: '/v1/messages' });
    expect([anthropic.status, anthropic.body.error.type]).toEqual([413, 'request_too_large']);
  });

  it('an account without balance is read only where a model is free for it', async () => {
    const drained = await drainedToken();
    const small = opened({ key: drained.key, length: 'content-length: 100' });
    expect((await answerOn(small)).status).toBe(402);
    await site.addChannel({ models: 'free-model' });
    await site.option('ModelPrice', { 'free-model': 0 });
    const { key } = await drainedToken();
    const body = { ...JSON.parse(large(1)), model: 'free-model' };
    expect((await site.call({ key, body })).status).toBe(200);
    expect((await site.call({ key, body: chat() })).status).toBe(402);
    await site.option('ModelPrice', {});
  });
});

describe('concurrent bodies', () => {
  const hold = async (token: SiteToken, megabytes: number) => {
    const before = await bytesHeld();
    const socket = opened({ key: token.key, length: `content-length: ${megabytes * MB}` });
    const isThere = async () => (await bytesHeld()) === before + megabytes * MB;
    await eventually('the memory is taken', isThere);
    return socket;
  };

  it('have a limit per account, reported in each dialect', async () => {
    const token = await ownToken();
    await hold(token, 40);
    const { key } = token;
    const length = `content-length: ${20 * MB}`;
    const openAi = await answerTo({ key, length });
    expect(openAi.status).toBe(429);
    expect(openAi.head).toMatch(/^retry-after: 2\r?$/im);
    expect(openAi.body.error).toMatchObject({ code: 'body_share_full' });
    const anthropic = await answerTo({ key, length, path: '/v1/messages' });
    expect(anthropic.body).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    const gemini = await answerTo({ key, length, path: PATHS[3] ?? '' });
    expect(gemini.body.error).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' });
    expect((await site.call({ key: site.token.key, rawBody: large(20) })).status).toBe(200);
  });

  it('have a total limit, which does not block small ones', async () => {
    const held = [await hold(await ownToken(), 40), await hold(await ownToken(), 40)];
    const { key } = site.token;
    const length = `content-length: ${MB}`;
    const openAi = await answerTo({ key, length });
    expect(openAi.status).toBe(503);
    expect(openAi.head).toMatch(/^retry-after: 2\r?$/im);
    expect(openAi.body.error).toMatchObject({ code: 'body_budget_full' });
    const anthropic = await answerTo({ key, length, path: '/v1/messages' });
    expect(anthropic.body.error.type).toBe('overloaded_error');
    const gemini = await answerTo({ key, length, path: PATHS[3] ?? '' });
    expect(gemini.body.error).toMatchObject({ code: 503, status: 'UNAVAILABLE' });
    expect((await site.call({ body: chat() })).status).toBe(200);
    held[0]?.destroy();
    const isServed = async () => (await site.call({ rawBody: large(1) })).status === 200;
    await eventually('there is room again', isServed);
  });

  it('are counted on arrival when no length is announced', async () => {
    const { key } = await ownToken();
    const socket = opened({ key, length: 'transfer-encoding: chunked' });
    socket.write(`${(3 * MB).toString(16)}\r\n${'x'.repeat(3 * MB)}\r\n`);
    await eventually('they count', async () => (await bytesHeld()) >= 3 * MB);
  });

  it('release their memory after an answer, a stream, a failure and a refusal', async () => {
    expect((await site.call({ rawBody: large(1) })).status).toBe(200);
    const stream = { ...JSON.parse(large(1)), stream: true };
    expect((await site.call({ body: stream })).text).toContain('[DONE]');
    site.upstream.script('status:400');
    expect((await site.call({ rawBody: large(1) })).status).toBe(400);
    expect((await site.call({ rawBody: `${large(1)}}` })).status).toBe(400);
    const counted = { path: '/v1/messages/count_tokens', rawBody: large(1) };
    expect((await site.call(counted)).status).toBe(200);
    const unknown = { ...JSON.parse(large(1)), model: 'no-such-model' };
    expect((await site.call({ body: unknown })).status).toBe(404);
  });

  it('release their memory when the client leaves, during upload or answer', async () => {
    const socket = opened({ key: site.token.key, length: `content-length: ${10 * MB}` });
    socket.write('x'.repeat(5 * MB));
    await eventually('it is being read', async () => (await bytesHeld()) > 0);
    socket.destroy();
    site.upstream.script('hang-stream:1');
    const answer = await site.start({ body: { ...JSON.parse(large(1)), stream: true } });
    expect(await bytesHeld()).toBeGreaterThan(MB);
    await answer.leave();
  });
});

describe('a compressed body', () => {
  it('is not decompressed for an account without balance, however small it is', async () => {
    const { key } = await drainedToken();
    const headers = { 'content-encoding': 'gzip' };
    expect((await site.call({ key, rawBody: 'no gzip', headers })).status).toBe(402);
  });

  it('counts by its decompressed size, and concurrent bombs share one limit', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MB));
    const headers = { 'content-encoding': 'gzip' };
    const calls = Array.from({ length: 8 }, () => site.call({ rawBody: bomb, headers }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 413 && status !== 429)).toEqual([]);
    // The buffer grows to the size of the largest body, and the values need as much again.
    const rawBody = gzipSync(large(30));
    expect((await site.call({ rawBody, headers })).status).toBe(200);
  });
});

describe('the memory of a body beyond its bytes', () => {
  it('is counted: many empty objects in a small body', async () => {
    const x = Array.from({ length: 20_000 }, () => ({}));
    site.upstream.script('hang-stream:1');
    const answer = await site.start({ body: chat({ stream: true, metadata: { x } }) });
    expect(await bytesHeld()).toBeGreaterThan(12 * JSON.stringify(x).length);
    await answer.leave();
  });

  it('has a limit per account of its own, however much memory the machine has', async () => {
    const [one, other] = [await ownToken(), await ownToken()];
    const x = Array.from({ length: 90_000 }, () => ({}));
    const body = chat({ stream: true, metadata: { x } });
    const start = ({ key }: SiteToken) => site.start({ key, body });
    site.upstream.script(...Array.from({ length: 7 }, () => 'hang-stream:1'));
    const answers = [];
    for (let sent = 0; sent < 6; sent += 1) answers.push(await start(one));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect((await site.call({ key: one.key, body })).status).toBe(429);
    answers.push(await start(other));
    expect(answers.at(-1)?.status).toBe(200);
    expect((await site.call({ key: one.key, body: chat() })).status).toBe(200);
    for (const answer of answers) await answer.leave();
  });

  it('is refused for good if the body could not be read even alone', async () => {
    const messages = Array.from({ length: 1_500_000 }, () => ({}));
    const { status, text } = await site.call({ body: chat({ messages }) });
    expect([status, JSON.parse(text).error.code]).toEqual([413, 'request_too_large']);
  });

  it('is bounded: windows of brotli decoders', async () => {
    const packed = brotliCompressSync(large(1));
    const send = async () => {
      const { key } = await ownToken();
      const length = `content-length: ${packed.length}`;
      const socket = opened({ key, length, headers: ['content-encoding: br'] });
      socket.write(packed.subarray(0, packed.length - 1));
      return socket;
    };
    const held = await Promise.all([send(), send(), send(), send()]);
    await eventually('all four are being read', async () => (await bytesHeld()) > 4 * MB);
    const refused = await answerOn(await send());
    expect([refused.status, refused.head]).toEqual([503, expect.stringMatching(/retry-after: 2/i)]);
    for (const socket of held) socket.write(packed.subarray(packed.length - 1));
    for (const socket of held) expect((await answerOn(socket)).status).toBe(200);
    const after = await send();
    after.write(packed.subarray(packed.length - 1));
    expect((await answerOn(after)).status).toBe(200);
  });
});

describe('a refusal during an upload', () => {
  it.each(['1.1', '1.0'])(
    'reaches a client of HTTP/%s that sends everything before it reads',
    async (version) => {
      const { key } = await drainedToken();
      const headers = ['connection: close'];
      const socket = opened({ key, length: `content-length: ${20 * MB}`, version, headers });
      socket.pause();
      for (let sent = 0; sent < 20; sent += 1)
        if (!socket.write('x'.repeat(MB))) await once(socket, 'drain');
      expect((await answerOn(socket)).status).toBe(402);
      await once(socket, 'close');
    },
  );

  it('reaches undici and the OpenAI SDK', async () => {
    const { key } = await drainedToken();
    expect((await site.call({ key, rawBody: large(30) })).status).toBe(402);
    const client = new OpenAI({ apiKey: key, baseURL: `${site.url}/v1`, maxRetries: 0 });
    const messages = [{ role: 'user', content: 'x'.repeat(30 * MB) }] as const;
    const calling = client.chat.completions.create({
      model: 'gpt-4o-mini',
      messages: [...messages],
    });
    await expect(calling).rejects.toMatchObject({ status: 402 });
  });

  it('keeps the connection for the next call if the rest is short', async () => {
    const { key } = await drainedToken();
    const socket = opened({ key, length: `content-length: ${MB}` });
    expect((await answerOn(socket)).status).toBe(402);
    socket.write('x'.repeat(MB));
    socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    expect((await answerOn(socket)).status).toBe(401);
  });

  it('closes a connection whose body never ends', async () => {
    const socket = opened({ key: 'sk-unknown', length: 'transfer-encoding: chunked' });
    expect((await answerOn(socket)).status).toBe(401);
    const piece = `${MB.toString(16)}\r\n${'x'.repeat(MB)}\r\n`;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const feed = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', feed);
    feed();
    await closed;
  });
});

it('a body that arrives too slowly is refused', async () => {
  const socket = opened({ key: site.token.key, length: `content-length: ${10 * MB}` });
  const drops = setInterval(() => socket.write('x'.repeat(100)), 200);
  const { status, body } = await answerOn(socket);
  clearInterval(drops);
  expect([status, body.error.code]).toEqual([408, 'request_timeout']);
}, 60_000);
