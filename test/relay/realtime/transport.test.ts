/** Transport of a session's messages: through proxies, with backpressure, from the SDK. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { sharedSite } from '../../support/shared-site.ts';
import { SERVER_TLS } from '../../support/tls.ts';
import { aProxy, aSocksProxy } from '../http/proxies.ts';
import { standsStill } from '../raw-upstream.ts';
import { addTenant } from '../tenant.ts';
import { openSession } from './client-session.ts';

const site = await sharedSite();

test("a realtime session uses the channel's proxy of any kind", async () => {
  const { host } = new URL(site.upstream.url);
  const http = await aProxy();
  const socks = await aSocksProxy();
  for (const [proxy, requests] of [
    [http.url.replace('//', '//user:p%40ss@'), http.tunnels],
    [socks.url, socks.targets],
  ] as const) {
    const tenant = await addTenant(site, { channel: { setting: JSON.stringify({ proxy }) } });
    const session = await openSession(site, { model: tenant.model, key: tenant.token.key });
    await session.exchange('Hello');
    expect(requests).toEqual([host]);
    session.socket.close();
    await site.settled(tenant.user.id);
  }
  expect(http.credentials).toEqual([`Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
  await http.close();
  socks.close();
});

const FRAME_BYTES = 256 * 1024;
const FRAMES = 256;

test('reading from the upstream pauses while the client does not read', async () => {
  const text = JSON.stringify({ type: 'rate_limits.updated', pad: 'x'.repeat(FRAME_BYTES) });
  let sent = 0;
  const upstream = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(upstream, 'listening');
  upstream.on('connection', async (socket) => {
    while (sent < FRAMES && socket.readyState === socket.OPEN) {
      await new Promise((resolve) => socket.send(text, resolve));
      sent += 1;
    }
  });
  const address = upstream.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const tenant = await addTenant(site, { channel: { base_url: `http://127.0.0.1:${port}` } });
  const session = await openSession(site, { model: tenant.model, key: tenant.token.key });
  session.socket.pause();
  const stood = await standsStill(() => sent);
  // The buffers of three local sockets hold far less than all of it.
  expect(stood).toBeLessThan(FRAMES / 2);
  session.socket.resume();
  for (let frame = 0; frame < FRAMES; frame += 1) await session.next('rate_limits.updated');
  session.socket.close();
  await site.settled(tenant.user.id);
  upstream.close();
});

test('the SDK behaves through the gateway as it does directly', async () => {
  const tenant = await addTenant(site);
  const { port } = new URL(site.url);
  // The SDK requires TLS, which a proxy would terminate here.
  const front = createTlsServer(SERVER_TLS, (near) => {
    const far = connect(Number(port), '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const side of [near, far]) side.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  const at = typeof address === 'object' ? address?.port : 0;
  const client = new OpenAI({ apiKey: tenant.token.key, baseURL: `https://127.0.0.1:${at}/v1` });
  const rt = new OpenAIRealtimeWS(
    { model: tenant.model, options: { rejectUnauthorized: false } },
    client,
  );
  const transcript: string[] = [];
  rt.on('response.output_audio_transcript.delta', ({ delta }) => transcript.push(delta));
  await rt.emitted('session.created');
  const content = [{ type: 'input_text' as const, text: 'Hello' }];
  rt.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  rt.send({ type: 'response.create' });
  const { response } = await rt.emitted('response.done');
  expect(transcript.join('')).toBe('You said: Hello');
  expect(response.usage?.output_tokens).toBeGreaterThan(0);
  rt.close();
  await site.settled(tenant.user.id);
  expect((await tenant.bill()).charges).toHaveLength(1);
  front.close();
});
