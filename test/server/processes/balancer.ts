/**
 * A load balancer in front of several nodes: distributes calls in turn to ready nodes on keep-alive
 * connections, without retries, so that the caller sees every failure of a node.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Pool } from 'undici';

export interface Balancer {
  readonly url: string;
  /** Includes this node from now on, once it is ready. */
  add(url: string): void;
  /** Nodes that were ready at the last check. */
  ready(): number;
  close(): Promise<void>;
}

interface Backend {
  readonly pool: Pool;
  isReady: boolean;
}

const LOOK_EVERY_MS = 100;

export async function startBalancer(): Promise<Balancer> {
  const backends: Backend[] = [];
  let turn = 0;
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const ready = backends.filter(({ isReady }) => isReady);
    const backend = ready[turn++ % ready.length];
    if (backend === undefined) {
      outgoing.writeHead(502).end('no node is ready');
      return;
    }
    try {
      const answer = await backend.pool.request({
        method: 'POST',
        path: incoming.url ?? '/',
        headers: {
          authorization: incoming.headers.authorization ?? '',
          'content-type': 'application/json',
        },
        body: incoming,
      });
      outgoing.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] });
      await pipeline(answer.body, outgoing);
    } catch (error) {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(`the node failed: ${String(error)}`);
    }
  };
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const look = setInterval(() => {
    for (const backend of backends) void lookAt(backend);
  }, LOOK_EVERY_MS);
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    add(url) {
      backends.push({ pool: new Pool(url, { connections: 16 }), isReady: false });
    },
    ready: () => backends.filter(({ isReady }) => isReady).length,
    async close() {
      clearInterval(look);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(backends.map(({ pool }) => pool.destroy()));
    },
  };
}

async function lookAt(backend: Backend): Promise<void> {
  try {
    const { statusCode, body } = await backend.pool.request({
      method: 'GET',
      path: '/health/ready',
    });
    await body.dump();
    backend.isReady = statusCode === 200;
  } catch {
    backend.isReady = false;
  }
}
