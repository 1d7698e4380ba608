/**
 * What answers while the server itself waits for its database: the process lives, and takes no calls.
 * So a supervisor does not end it, and a load balancer does not send it anything.
 */
import { createServer } from 'node:http';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';

/** Answers until the function that it resolves with is called. A port that is taken answers nothing. */
export async function openWaitingRoom(
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
      // Told again, as an error, when the server itself wants the port.
      log.warn({ err: error }, 'nothing answers while the database is waited for');
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
