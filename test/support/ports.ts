/** Ports for servers that cannot choose one themselves, or that return to the same one. */
import { createServer } from 'node:net';

/** A node of a Redis Cluster also listens on the port so far above its own. */
const CLUSTER_BUS = 10_000;

/**
 * A free port of 127.0.0.1. It is below the range that the system uses for `listen(0)` and for connections, so
 * that nothing takes it before its server starts, or while its server is stopped.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + CLUSTER_BUS))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
