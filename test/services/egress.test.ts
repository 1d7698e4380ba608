import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import {
  type EgressOptions,
  guardedFetch,
  requirePublicUrl,
} from '../../src/services/network/egress.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { CA_FILE } from '../support/tls.ts';
import { aWebhookReceiver } from '../support/webhook-receiver.ts';

/** Counts connections too: a refused request must not even connect. */
interface Listening {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  connections: number;
}

const open: Listening[] = [];

async function listening(onRequest: RequestListener): Promise<Listening> {
  const server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's
  const one = { url: `http://127.0.0.1:${port}`, port, server, connections: 0 };
  server.on('connection', () => {
    one.connections += 1;
  });
  open.push(one);
  return one;
}

afterEach(async () => {
  for (const { server } of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const guarded = (egressAllow = '') => ({ config: loadConfig({ egressAllow }, {}) });
const LOCAL = guarded('127.0.0.1');
const answering = (...addresses: string[]): EgressOptions => ({ resolve: async () => addresses });
const hello: RequestListener = (_request, response) => response.end('hello');

describe('an outgoing request', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://[::1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://localhost:PORT/',
    'http://2130706433:PORT/',
  ])('to %s is refused without a connection', async (pattern) => {
    const target = await listening(hello);
    const url = pattern.replace('PORT', String(target.port));
    await expectRefusal(guardedFetch(guarded(), url), 'fetch_refused');
    expect(target.connections).toBe(0);
  });

  it('over http is refused if https is required', async () => {
    const target = await listening(hello);
    await expectRefusal(guardedFetch(LOCAL, target.url, {}, { https: true }), 'fetch_refused');
    expect(target.connections).toBe(0);
  });

  it('to a server with an untrusted certificate is refused', async () => {
    const secure = await aWebhookReceiver();
    const strangers = { config: loadConfig({ egressAllow: '127.0.0.1,::1' }, {}) };
    await expectRefusal(guardedFetch(strangers, secure.url), 'fetch_failed');
    expect(secure.hooks).toHaveLength(0);
    await secure.close();
  });

  it('to a name that resolves to a private address is refused, even beside a public one', async () => {
    const target = await listening(hello);
    const url = `http://hooks.example:${target.port}/`;
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['10.0.0.8'], []])
      await expectRefusal(
        guardedFetch(guarded(), url, {}, answering(...addresses)),
        'fetch_refused',
      );
    expect(target.connections).toBe(0);
  });

  it('to a private address that the operator allows succeeds, others stay refused', async () => {
    const target = await listening(hello);
    const answer = await guardedFetch(guarded('10.0.0.0/8, 127.0.0.0/8'), target.url);
    expect([answer.status, answer.text()]).toEqual([200, 'hello']);
    await expectRefusal(
      guardedFetch(guarded('127.0.0.1'), `http://127.0.0.2:${target.port}/`),
      'fetch_refused',
    );
  });

  it('resolves a name once and connects to the checked address', async () => {
    const target = await listening((request, response) => response.end(request.headers.host));
    const answers = [['127.0.0.1'], ['127.0.0.99']];
    const resolve = async () => answers.shift() ?? [];
    // The system's resolver does not know this name.
    const url = `http://rebinding.example:${target.port}/`;
    const answer = await guardedFetch(LOCAL, url, {}, { resolve });
    expect(answer.text()).toBe(`rebinding.example:${target.port}`);
    expect(answers).toHaveLength(1);
  });
});

describe('redirects', () => {
  const redirecting = (location: string, status = 302) =>
    listening((request, response) => {
      if (request.url !== '/') return response.end(`${request.method} ${request.url}`);
      response.writeHead(status, { location }).end();
    });

  it('are followed and checked like the first address', async () => {
    const good = await redirecting('/there');
    expect((await guardedFetch(LOCAL, good.url)).text()).toBe('GET /there');
    const inside = await listening(hello);
    for (const location of [
      `http://127.0.0.2:${inside.port}/`,
      'http://169.254.169.254/latest/meta-data',
      'file:///etc/passwd',
      'http://user@127.0.0.1/',
    ]) {
      const bad = await redirecting(location);
      await expectRefusal(guardedFetch(LOCAL, bad.url), 'fetch_refused');
    }
    expect(inside.connections).toBe(0);
  });

  it('from https to http are refused', async () => {
    const plain = await listening(hello);
    const secure = await aWebhookReceiver();
    const context = { config: loadConfig({ egressAllow: '127.0.0.1,::1', caFile: CA_FILE }, {}) };
    secure.answers.push({ status: 302, location: plain.url });
    await expectRefusal(guardedFetch(context, secure.url), 'fetch_refused', {
      params: { problem: 'must begin with https://' },
    });
    expect((await guardedFetch(context, secure.url)).text()).toBe('seen');
    await secure.close();
    expect(plain.connections).toBe(0);
  });

  it('without end are stopped', async () => {
    const loop = await redirecting('/');
    await expectRefusal(guardedFetch(LOCAL, loop.url), 'fetch_failed');
    expect(loop.connections).toBe(4);
  });

  it('of a POST keep method and body, or are not followed', async () => {
    const kept = await redirecting('/there', 307);
    const post = { method: 'POST', body: 'x' } as const;
    expect((await guardedFetch(LOCAL, kept.url, post)).text()).toBe('POST /there');
    const lost = await redirecting('/there', 302);
    expect((await guardedFetch(LOCAL, lost.url, post)).status).toBe(302);
  });

  it('to another origin carry no credentials', async () => {
    const seen: (string | undefined)[] = [];
    const other = await listening((request, response) => {
      seen.push(request.headers.authorization, request.headers.accept);
      response.end();
    });
    const first = await redirecting(other.url);
    const headers = { Authorization: 'Bearer secret', Accept: 'text/plain' };
    await guardedFetch(LOCAL, first.url, { headers });
    expect(seen).toEqual([undefined, 'text/plain']);
  });
});

describe('a fetched response', () => {
  it('has status, headers and body, whatever the status', async () => {
    const target = await listening((_request, response) => {
      response.writeHead(418, { 'X-Kind': 'teapot' }).end('短');
    });
    const answer = await guardedFetch(LOCAL, target.url);
    expect(answer.status).toBe(418);
    expect(answer.headers['x-kind']).toBe('teapot');
    expect(answer.text()).toBe('短');
    expect(answer.bytes).toHaveLength(3);
  });

  it('that is too large, too slow or broken fails', async () => {
    const large = await listening((_request, response) => response.end('x'.repeat(2_000)));
    const limit = { maxBytes: 1_999 };
    await expectRefusal(guardedFetch(LOCAL, large.url, limit), 'fetch_failed', {
      params: { problem: 'its answer is too large' },
    });
    expect((await guardedFetch(LOCAL, large.url, { maxBytes: 2_000 })).bytes).toHaveLength(2_000);
    const slow = await listening((_request, response) => response.write('x'));
    await expectRefusal(guardedFetch(LOCAL, slow.url, { timeoutMs: 100 }), 'fetch_failed', {
      params: { problem: 'it did not answer in time' },
    });
    const broken = await listening((request) => request.socket.destroy());
    await expectRefusal(guardedFetch(LOCAL, broken.url), 'fetch_failed');
  });

  it('does not wait for a resolver that hangs or fails', async () => {
    const hanging = { resolve: () => new Promise<string[]>(() => undefined) };
    await expectRefusal(
      guardedFetch(LOCAL, 'http://slow.example/', { timeoutMs: 50 }, hanging),
      'fetch_refused',
    );
    const failing = { resolve: () => Promise.reject(new Error('SERVFAIL')) };
    await expectRefusal(guardedFetch(LOCAL, 'http://a.example/', {}, failing), 'fetch_refused');
  });
});

describe('an address to be stored', () => {
  it('is refused by the name of its field', async () => {
    const refused = (url: string, options: EgressOptions = {}) =>
      expect(requirePublicUrl(guarded(), url, 'webhook_url', options)).rejects.toMatchObject({
        code: 'input_invalid',
        param: 'webhook_url',
      });
    await refused('https://10.0.0.1/hook', { https: true });
    await refused('http://example.com/hook', { https: true });
    await refused('https://intern.example/', answering('192.168.1.4'));
    await refused('https://gone.example/', answering());
    await refused('nonsense');
  });

  it('may be public, or in a network the operator allows', async () => {
    await requirePublicUrl(guarded(), 'https://hooks.example/', 'url', answering('1.1.1.1'));
    await requirePublicUrl(guarded('10.0.0.0/8'), 'http://10.1.2.3/', 'url');
    await requirePublicUrl(guarded(), 'http://10.1.2.3/', 'url', { allowPrivate: true });
  });
});
