/**
 * A TCP proxy in front of a database that breaks a connection when a COMMIT has been executed but
 * its reply has not been received.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface SeveringProxy {
  /** The URL of the same database through the proxy. */
  readonly dsn: string;
  /** The next `count` commits get no reply; resolves when the last connection was broken. */
  severCommits(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function severingProxy(dsn: string): Promise<SeveringProxy> {
  const target = new URL(dsn);
  const sockets = new Set<Socket>();
  let left = 0;
  let severed = (): void => undefined;
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const both = [client, database];
    let isSilenced = false;
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', () => undefined); // broken on purpose; the other end notices by itself
      socket.on('close', () => {
        sockets.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (left > 0 && /\bcommit\b/i.test(bytes.toString('latin1'))) isSilenced = true;
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      if (!isSilenced) {
        client.write(bytes);
        return;
      }
      for (const socket of both) socket.destroy();
      left -= 1;
      if (left === 0) severed();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const through = new URL(dsn);
  through.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return {
    dsn: through.href,
    severCommits: (count) =>
      new Promise((resolve) => {
        left = count;
        severed = resolve;
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
