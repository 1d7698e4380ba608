/** Shutdown of a serving process: running calls finish, no new ones start, the ledger settles. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aSite, eventually } from '../../support/site.ts';
import { CHAT, eventsIn, readUntil, STREAM } from '../../upstream/wire.ts';
import { createServers, type Servers, send } from './servers.ts';

const DEFAULT_DRAIN_MS = 30_000;

describe('a process that gets SIGTERM', () => {
  let servers: Servers;
  beforeEach(async () => {
    servers = await createServers('sqlite');
  });
  afterEach(() => servers.close());

  const serve = (env: Readonly<Record<string, string>> = {}) =>
    servers.serve([], { GATEWAY_STRICT_HOLDS: 'false', ...env });

  async function expectLedgerAgrees(charges: number): Promise<void> {
    await servers.expectLedgerAgrees();
    expect(await servers.charges()).toBe(charges);
    expect(await servers.inSite(({ reads }) => reads('nodes').select('id'))).toEqual([]);
  }

  test('lets its streams and calls end, accepts no new ones, and exits cleanly with a settled ledger', async () => {
    const { url, printed, signal, process } = await serve();
    const { upstream, key } = servers;
    upstream.script('hold:3', 'hold');
    const stream = await send(url, key, { stream: true });
    const plain = send(url, key);
    const idle = connect(Number(new URL(url).port), '127.0.0.1');
    await once(idle, 'connect');
    const idleEnds = once(idle, 'close');
    await upstream.until((stats) => stats.openCalls === 2);

    signal('SIGTERM');
    await eventually('it says so', () => printed().includes('draining'));
    await eventually('the port is closed', () => isRefused(url));
    upstream.release();

    const text = await stream.body.text();
    expect(eventsIn(text).at(-1)).toBe('[DONE]');
    expect(text).not.toContain('"error"');
    const answered = await plain;
    expect([answered.statusCode, JSON.parse(await answered.body.text()).object]).toEqual([
      200,
      'chat.completion',
    ]);
    await idleEnds;
    expect((await process).exitCode).toBe(0);
    await expectLedgerAgrees(2);
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s: waits no longer than configured for an endless stream, and still exits cleanly',
    async (name) => {
      const { url, signal, process } = await serve({
        GATEWAY_DRAIN_TIMEOUT: '0.2',
        GATEWAY_CLIENT_GRACE: '0.2',
      });
      const { upstream, key } = servers;
      upstream.script('hang-stream:3');
      const stream = await send(url, key, { stream: true });
      const reading = stream.body.text().catch((error: Error) => error);
      await upstream.until((stats) => stats.openStreams === 1);
      const startedAtMs = Date.now();
      signal(name);
      expect((await process).exitCode).toBe(0);
      expect(Date.now() - startedAtMs).toBeLessThan(DEFAULT_DRAIN_MS);
      expect(await reading).toBeInstanceOf(Error);
      await expectLedgerAgrees(1);
    },
  );
});

function isRefused(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });
}

describe('a stopping server', () => {
  test('refuses new requests on an open connection, in the usual form', async () => {
    const site = await aSite();
    site.upstream.script('hold:2');
    const socket = await opened(site.url);
    socket.write(requestText(site.token.key, STREAM));
    await readUntil(socket, (text) => text.includes('"delta"'));
    const stopping = site.serving.stop();
    await eventually('the port is closed', () => isRefused(site.url));
    socket.write(requestText(site.token.key, CHAT));
    await site.upstream.until((stats) => stats.openCalls === 1);
    site.upstream.release();
    let rest = '';
    for await (const bytes of socket) rest += String(bytes);
    const [, refused = ''] = rest.split(/(?=HTTP\/1\.1 503)/);
    expect(rest).toContain('data: [DONE]');
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/\r\nconnection: close\r\n/i);
    expect(refused).toMatch(/\r\nx-request-id: \w+\r\n/i);
    expect(refused).toMatch(/\r\nretry-after: 1\r\n/i);
    expect(refused).toContain('"code":"shutting_down"');
    await stopping;
    expect(site.upstream.stats.calls).toBe(1);
    await site.close();
  });

  test('with a lead time, reports not ready and serves more calls, each on its last connection', async () => {
    const site = await aSite({ config: { drainLeadMs: 2 } });
    const kept = await opened(site.url);
    const idle = await opened(site.url);
    const stopping = site.serving.stop();
    const ready = await site.call({ path: '/health/ready', key: '' });
    expect([ready.status, JSON.parse(ready.text)]).toEqual([503, { status: 'draining' }]);
    const late = await site.call({ body: CHAT });
    expect([late.status, late.headers.connection]).toEqual([200, 'close']);

    // The listener is closed, and running calls continue.
    await eventually('the port is closed', () => isRefused(site.url));
    kept.write(requestText(site.token.key, CHAT));
    let answer = '';
    for await (const bytes of kept) answer += String(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(idle.destroyed).toBe(false);
    await Promise.all([stopping, once(idle, 'close')]);
    await site.close();
  });

  test('that was replaced stops listening immediately, and finishes running calls', async () => {
    const site = await aSite();
    const kept = await opened(site.url);
    const stopping = site.serving.stop({ isReplaced: true });
    await eventually('the port is closed', () => isRefused(site.url));
    kept.write(requestText(site.token.key, CHAT));
    let answer = '';
    for await (const bytes of kept) answer += String(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    await stopping;
    await site.close();
  });

  test('may be stopped twice', async () => {
    const site = await aSite();
    await site.call({ body: CHAT });
    await Promise.all([site.serving.stop(), site.serving.stop()]);
    await site.serving.stop();
    await site.close();
  });

  test('does not wait for idle connections', async () => {
    // Longer than a test may take.
    const site = await aSite({ config: { drainTimeoutMs: 600 } });
    const quiet = await opened(site.url);
    const half = await opened(site.url);
    half.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n');
    await site.call({ body: CHAT });
    await site.serving.stop();
    for (const socket of [quiet, half]) socket.destroy();
    await site.close();
  });
});

async function opened(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function requestText(key: string, body: unknown): string {
  const text = JSON.stringify(body);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
