/** Two kinds of proxies to an upstream, which record their requests. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';

/** A proxy that tunnels (RFC 9110 9.3.6) and forwards absolute URLs, and records both. */
export interface TunnelProxy {
  readonly url: string;
  readonly tunnels: string[];
  readonly forwarded: string[];
  readonly credentials: (string | undefined)[];
  close(): Promise<void>;
}

export async function aProxy(): Promise<TunnelProxy> {
  const tunnels: string[] = [];
  const forwarded: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((incoming, outgoing) => {
    forwarded.push(incoming.url ?? '');
    credentials.push(incoming.headers['proxy-authorization']);
    const onward = httpRequest(
      incoming.url ?? '',
      { method: incoming.method ?? 'GET', headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, near: Socket) => {
    tunnels.push(incoming.url ?? '');
    credentials.push(incoming.headers['proxy-authorization']);
    const [host = '', port = ''] = (incoming.url ?? '').split(':');
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    tunnels,
    forwarded,
    credentials,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A SOCKS5 server (RFC 1928) without authentication; records the requested addresses. */
export async function aSocksProxy(): Promise<{ url: string; targets: string[]; close(): void }> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    sockets.add(near);
    near.on('error', () => undefined);
    near.once('data', () => {
      near.write(Buffer.from([5, 0]));
      near.once('data', (bytes: Buffer) => {
        const isName = bytes[3] === 3;
        const end = isName ? 5 + (bytes[4] ?? 0) : 8;
        const host = isName
          ? bytes.toString('latin1', 5, end)
          : [...bytes.subarray(4, 8)].join('.');
        const port = bytes.readUInt16BE(end);
        targets.push(`${host}:${port}`);
        const far = connect(port, host, () => {
          near.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          near.pipe(far).pipe(near);
        });
        far.on('error', () => near.destroy());
        sockets.add(far);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `socks5://127.0.0.1:${port}`,
    targets,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
