/**
 * The connections of a server that is to end. A proxy keeps idle ones and may ask on one of them at any
 * moment: closed in that moment, the call on it fails. So they are kept a while longer than the proxy
 * does, and only those on which nothing came are closed.
 */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

export interface Connections {
  /** Resolves when no answer is under way, whatever connections are open. */
  answered(): Promise<void>;
  /**
   * Closes each connection that asks nothing for `idleMs`, counted from now on; resolves when none is
   * left, at the latest at `endsAtMs`. Those that became WebSockets are left alone.
   */
  emptied(idleMs: number, endsAtMs: number): Promise<void>;
}

interface Use {
  /** Answers under way. */
  answers: number;
  idleSinceMs: number;
}

const LOOK_EVERY_MS = 50;

export function watchConnections(server: Server): Connections {
  const uses = new Map<Duplex, Use>();
  const open = new Set<ServerResponse>();
  let onLast = (): void => undefined;
  server.on('connection', (socket) => {
    if (uses.has(socket)) return;
    uses.set(socket, { answers: 0, idleSinceMs: Date.now() });
    socket.once('close', () => uses.delete(socket));
  });
  server.on('upgrade', ({ headers }, socket) => {
    if (headers.upgrade?.toLowerCase() === 'websocket') uses.delete(socket);
  });
  server.on('request', ({ socket }, response) => {
    const use = uses.get(socket);
    if (use !== undefined) use.answers += 1;
    open.add(response);
    response.once('close', () => {
      if (use !== undefined) {
        use.answers -= 1;
        use.idleSinceMs = Date.now();
      }
      open.delete(response);
      if (open.size === 0) onLast();
    });
  });
  return {
    answered: () =>
      new Promise((resolve) => {
        onLast = resolve;
        if (open.size === 0) resolve();
      }),
    async emptied(idleMs, endsAtMs) {
      const startedAtMs = Date.now();
      while (uses.size > 0 && Date.now() < endsAtMs) {
        for (const [socket, { answers, idleSinceMs }] of uses)
          if (answers === 0 && Date.now() - Math.max(idleSinceMs, startedAtMs) >= idleMs)
            socket.destroy();
        await pause(LOOK_EVERY_MS);
      }
    },
  };
}

/**
 * Takes no new connections and leaves the open ones alone (`close` of an HTTP server closes the idle
 * ones). What waits to be accepted when the socket closes is cut off; right after the event loop has
 * looked for such connections there are hardly any.
 */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      NetServer.prototype.close.call(server);
      resolve();
    });
  });
}
