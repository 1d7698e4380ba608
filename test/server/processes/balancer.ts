/**
 * A load balancer in front of several nodes: distributes calls in turn to ready nodes on keep-alive
 * connections, without retries, so that the caller sees every failure of a node.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
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
/** Idle connections are closed before a node that ends closes them. */
const KEEP_ALIVE_MS = 500;

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
  let isClosed = false;
  // One check after the other, so that no late result replaces a newer one.
  const watch = async (backend: Backend) => {
    while (!isClosed) {
      backend.isReady = await looksReady(backend);
      await pause(LOOK_EVERY_MS);
    }
    await backend.pool.destroy();
  };
  const watches: Promise<void>[] = [];
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    add(url) {
      const pool = new Pool(url, { connections: 16, keepAliveTimeout: KEEP_ALIVE_MS });
      const backend = { pool, isReady: false };
      backends.push(backend);
      watches.push(watch(backend));
    },
    ready: () => backends.filter(({ isReady }) => isReady).length,
    async close() {
      isClosed = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(watches);
    },
  };
}

/** On a connection of its own: a kept one would delay the end of the node. */
async function looksReady({ pool }: Backend): Promise<boolean> {
  try {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: '/health/ready',
      reset: true,
    });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
