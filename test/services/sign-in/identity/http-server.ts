/** A small HTTP server on a free port of this machine. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `listener` receives the server's own URL, which some responses must contain. */
export async function httpServer(listener: (url: string) => RequestListener): Promise<HttpServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const url = `http://127.0.0.1:${port}`;
  server.on('request', listener(url));
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
