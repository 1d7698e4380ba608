import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/ports.ts';
import { expectedUsage } from './content/usage.ts';
import { type FakeUpstream, startFakeUpstream } from './server.ts';
import { CHAT, open, readUntil, STREAM, see } from './wire.ts';

let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
beforeEach(() => upstream.reset());
afterAll(() => upstream.close());

const usage = expectedUsage(CHAT);
const ONCE = { answers: 1, ...usage };

function send(plan: string, body: unknown = CHAT, headers: Record<string, string> = {}) {
  return see(upstream.url, { body, headers: { ...headers, 'x-fake-plan': plan } });
}

async function leaveAfter(plan: string, isEnough: (text: string) => boolean): Promise<void> {
  const socket = await open(upstream.url, { body: STREAM, headers: { 'x-fake-plan': plan } });
  await readUntil(socket, isEnough);
  socket.destroy();
}

/** The four ways a call can end, plus open calls. */
function endings() {
  const { calls, openCalls, servedInFull, refused, brokenByPlan, aborted } = upstream.stats;
  return { calls, openCalls, servedInFull, refused, brokenByPlan, aborted };
}

describe('call statistics', () => {
  test.each([
    ['ok', 'servedInFull'],
    ['no-usage', 'servedInFull'],
    ['status:500', 'refused'],
    ['ok-with-error-body', 'refused'],
    ['reset-before-headers', 'brokenByPlan'],
    ['reset-stream', 'brokenByPlan'],
    ['drop-stream', 'brokenByPlan'],
    ['end-stream-early', 'brokenByPlan'],
    ['error-mid-stream', 'brokenByPlan'],
    ['truncated-json', 'brokenByPlan'],
  ])('%s counts as %s', async (plan, ending) => {
    await send(plan, STREAM);
    await upstream.until((stats) => stats.openCalls === 0);
    const none = { servedInFull: 0, refused: 0, brokenByPlan: 0, aborted: 0 };
    expect(endings()).toEqual({ calls: 1, openCalls: 0, ...none, [ending]: 1 });
    expect(upstream.stats.reported.answers).toBe(plan === 'ok' ? 1 : 0);
  });

  test('count calls by endpoint', async () => {
    await send('ok');
    await see(upstream.url, { path: '/v1/models' });
    await see(upstream.url, { path: '/v1/models/gpt-4o' });
    await see(upstream.url, { path: '/nowhere' });
    expect(upstream.stats.byEndpoint).toMatchObject({ chat: 1, models: 1, model: 1, unknown: 1 });
  });

  test('sum the reported usage per request id of the client', async () => {
    await send('ok', CHAT, { 'x-request-id': 'one' });
    await send('ok', STREAM, { 'x-client-request-id': 'one' });
    await send('ok', { ...CHAT, stream: true }, { 'x-request-id': 'two' });
    await send('status:500', CHAT, { 'x-request-id': 'three' });
    await upstream.until((stats) => stats.openCalls === 0);
    expect([...upstream.stats.reportedByRequest.keys()]).toEqual(['one']);
    expect(upstream.stats.reportedByRequest.get('one')).toEqual({
      answers: 2,
      prompt_tokens: usage.prompt_tokens * 2,
      completion_tokens: (usage.completion_tokens ?? 0) * 2,
      total_tokens: usage.total_tokens * 2,
    });
    expect(upstream.stats.reported).toEqual(upstream.stats.reportedByRequest.get('one'));
  });

  test('report no usage for a client that leaves a stream', async () => {
    await leaveAfter('hang-stream:3', (text) => text.split('data: {').length === 4);
    await leaveAfter('hold:4', (text) => text.split('data: {').length === 5);
    await upstream.until((stats) => stats.openCalls === 0);
    upstream.release();
    expect(endings()).toMatchObject({ calls: 2, aborted: 2, servedInFull: 0 });
    expect(upstream.stats.reported.answers).toBe(0);
  });

  test('count a client that stops reading a large response and leaves as aborted', async () => {
    const socket = await open(upstream.url, {
      body: CHAT,
      headers: { 'x-fake-plan': 'huge-body:64' },
    });
    socket.pause();
    await upstream.until((stats) => stats.openCalls === 1);
    socket.destroy();
    await upstream.until((stats) => stats.openCalls === 0);
    expect(endings()).toMatchObject({ aborted: 1, servedInFull: 0 });
  });

  test('are consistent for clients that leave at any moment', async () => {
    const leave = async (turn: number) => {
      const plan = { 'x-fake-plan': 'paced:5:2', 'x-request-id': `call-${turn}` };
      const socket = await open(upstream.url, { body: STREAM, headers: plan });
      const isDone = (text: string) => text.includes('[DONE]') || text.length > 1000 + turn * 60;
      const text = await readUntil(socket, isDone);
      socket.destroy();
      return text.includes('[DONE]');
    };
    const wasDone = await Promise.all(Array.from({ length: 40 }, (_, turn) => leave(turn)));
    await upstream.until((stats) => stats.openCalls === 0);
    const { servedInFull, aborted, reported, reportedByRequest } = upstream.stats;
    expect(servedInFull + aborted).toBe(40);
    // A client that saw [DONE] may have left before the five bytes of the final chunk that follow
    // it.
    const readers = wasDone.filter(Boolean).length;
    expect(readers).toBeGreaterThan(0);
    expect(aborted).toBeGreaterThan(0);
    expect(servedInFull).toBeGreaterThanOrEqual(readers);
    expect(reported.answers).toBe(servedInFull);
    expect(reportedByRequest.size).toBe(servedInFull);
    const each = expectedUsage(STREAM, 'paced:5:2');
    expect(reported.total_tokens).toBe(servedInFull * each.total_tokens);
  });

  test('restart after a reset and exclude earlier calls', async () => {
    const socket = await open(upstream.url, { body: STREAM, headers: { 'x-fake-plan': 'hold' } });
    await upstream.until((stats) => stats.openCalls === 1);
    upstream.reset();
    upstream.release();
    await readUntil(socket, (text) => text.includes('[DONE]'));
    await send('ok');
    expect(endings()).toEqual({
      calls: 1,
      openCalls: 0,
      servedInFull: 1,
      refused: 0,
      brokenByPlan: 0,
      aborted: 0,
    });
    expect(upstream.stats.reported).toEqual(ONCE);
    socket.destroy();
  });

  test('count open calls, streams and connections, and the highest concurrency', async () => {
    const plan = { 'x-fake-plan': 'hold' };
    const sockets = await Promise.all(
      [CHAT, STREAM, STREAM].map((body) => open(upstream.url, { body, headers: plan })),
    );
    await upstream.until((stats) => stats.openCalls === 3);
    expect(upstream.stats).toMatchObject({
      openStreams: 2,
      openConnections: 3,
      highestConcurrency: 3,
    });
    for (const socket of sockets) socket.destroy();
    await upstream.until((stats) => stats.openConnections === 0);
    expect(upstream.stats).toMatchObject({ openCalls: 0, openStreams: 0, highestConcurrency: 3 });
  });
});

describe('call recording', () => {
  test('keeps the last thousand calls with headers and body', async () => {
    await see(upstream.url, {
      body: CHAT,
      path: '/v1/chat/completions?x=1',
      headers: { 'x-mark': 'here' },
    });
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions?x=1',
      headers: { 'x-mark': 'here' },
      body: JSON.stringify(CHAT),
    });
    const burst = Array.from(
      { length: 1005 },
      (_, turn) => `GET /v1/models/m${turn} HTTP/1.1\r\nhost: x\r\n\r\n`,
    );
    const socket = await open(upstream.url, { path: '/v1/models' });
    socket.write(burst.join(''));
    socket.resume();
    await upstream.until((stats) => stats.calls === 1007);
    socket.destroy();
    expect(upstream.requests).toHaveLength(1000);
    expect(upstream.requests.at(-1)?.path).toBe('/v1/models/m1004');
  });
});

describe('server under load', () => {
  test('buffers little for a client that stops reading', async () => {
    const socket = await open(upstream.url, {
      body: STREAM,
      headers: { 'x-fake-plan': 'events:20000:1000', connection: 'close' },
    });
    socket.pause();
    await upstream.until((stats) => stats.openCalls === 1);
    // Kernel buffers hold a few megabytes, so a response of about 25 MB cannot be written yet.
    expect(upstream.stats.servedInFull).toBe(0);
    const text = await textOf(socket);
    expect(text.split('data: {').length - 1).toBe(20_003);
    await upstream.until((stats) => stats.servedInFull === 1);
  });

  test('keeps a thousand idle streams open at once', async () => {
    const headers = { 'x-fake-plan': 'hang-stream:1' };
    const opened = Array.from({ length: 1000 }, () =>
      open(upstream.url, { body: STREAM, headers }),
    );
    const sockets = await Promise.all(opened);
    await upstream.until((stats) => stats.openStreams === 1000);
    expect(upstream.stats.highestConcurrency).toBe(1000);
    for (const socket of sockets) socket.destroy();
    await upstream.until((stats) => stats.openCalls === 0);
    expect(upstream.stats.aborted).toBe(1000);
  });

  test('serves its control paths, which do not count as calls', async () => {
    await send('ok');
    const seen = await see(upstream.url, { path: '/_fake/stats' });
    expect(JSON.parse(seen.text)).toMatchObject({ calls: 1, servedInFull: 1, reported: ONCE });
    await see(upstream.url, { path: '/_fake/reset', method: 'POST' });
    expect(upstream.stats.calls).toBe(0);
    expect(JSON.parse((await see(upstream.url, { path: '/_fake/plans' })).text)).toHaveProperty(
      'hang-stream',
    );
  });

  test('closes open connections on shutdown and frees its port', async () => {
    const other = await startFakeUpstream({ port: await freePort() });
    const socket = await open(other.url, {
      body: CHAT,
      headers: { 'x-fake-plan': 'hang-headers' },
    });
    await other.until((stats) => stats.openCalls === 1);
    const closed = once(socket.resume(), 'close');
    await other.close();
    await closed;
    const again = await startFakeUpstream({ port: Number(new URL(other.url).port) });
    expect(again.url).toBe(other.url);
    await expect(startFakeUpstream({ port: Number(new URL(again.url).port) })).rejects.toThrow(
      'EADDRINUSE',
    );
    await again.close();
  });
});
