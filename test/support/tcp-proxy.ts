/** A TCP relay in front of a server that can be cut like a cable or stall like a frozen machine. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './ports.ts';

export interface Line {
  /** The URL of the server through the relay. */
  readonly url: string;
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>;
  repair(): Promise<void>;
  /** Accepts connections and data, but forwards nothing. */
  fallSilent(): void;
  /** Resumes forwarding, including the data received meanwhile. */
  speak(): void;
}

/** `port` is used if `target` names none. */
export async function aLineTo(target: string, port: number): Promise<Line> {
  const there = new URL(target);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let server: Server;
  const at = await freePort();
  const listen = async () => {
    server = createServer((near) => {
      const far = connect(Number(there.port || port), there.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on('error', () => undefined).on('data', (bytes) => other.write(bytes));
        one.once('close', () => {
          sockets.delete(one);
          other.destroy();
        });
        if (isSilent) one.pause();
      }
    }).listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  const url = new URL(target);
  url.host = `127.0.0.1:${at}`;
  return {
    url: url.href,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    repair: listen,
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
