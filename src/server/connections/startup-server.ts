/**
 * A minimal server that runs while the real one waits for its database: it reports the process as
 * alive but not ready. So a supervisor does not kill it and a load balancer sends it no calls.
 */
import { createServer } from 'node:http';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';

/** Serves until the returned function is called. If the port is taken, it serves nothing. */
export async function openStartupServer(
  { host, port }: Pick<Config, 'host' | 'port'>,
  log: Logger,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const isLive = request.url?.split('?', 1)[0] === '/health/live';
    const status = isLive ? 'ok' : 'database unreachable';
    response.writeHead(isLive ? 200 : 503, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
      ...(!isLive && { 'retry-after': '1' }),
    });
    response.end(JSON.stringify({ status }));
  });
  await new Promise<void>((resolve) => {
    server.once('error', (error) => {
      // The real server reports this again, as an error, when it binds the port.
      log.warn({ err: error }, 'the port cannot be opened during the wait for the database');
      resolve();
    });
    server.listen({ host, port }, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
