/**
 * Closes the connections of a server that is shutting down. A proxy keeps idle connections and may
 * reuse one at any moment; closing it at that moment would fail the call. So idle connections stay
 * open longer than the proxy keeps them, and only those without requests are closed.
 */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

export interface OpenConnections {
  /** Resolves when no response is in progress, regardless of open connections. */
  responsesEnded(): Promise<void>;
  /**
   * Closes each connection that is idle for `idleMs` from now on; resolves when none is left, at
   * the latest at `endsAtMs`. WebSocket connections are left alone.
   */
  connectionsClosed(idleMs: number, endsAtMs: number): Promise<void>;
}

interface ConnectionUse {
  /** Responses in progress. */
  answers: number;
  idleSinceMs: number;
}

const CHECK_EVERY_MS = 50;

export function watchConnections(server: Server): OpenConnections {
  const uses = new Map<Duplex, ConnectionUse>();
  let openResponses = 0;
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
    openResponses += 1;
    response.once('close', () => {
      if (use !== undefined) {
        use.answers -= 1;
        use.idleSinceMs = Date.now();
      }
      openResponses -= 1;
      if (openResponses === 0) onLast();
    });
  });
  return {
    responsesEnded: () =>
      new Promise((resolve) => {
        onLast = resolve;
        if (openResponses === 0) resolve();
      }),
    async connectionsClosed(idleMs, endsAtMs) {
      const startedAtMs = Date.now();
      while (uses.size > 0 && Date.now() < endsAtMs) {
        for (const [socket, { answers, idleSinceMs }] of uses)
          if (answers === 0 && Date.now() - Math.max(idleSinceMs, startedAtMs) >= idleMs)
            socket.destroy();
        await pause(CHECK_EVERY_MS);
      }
    },
  };
}

/**
 * Stops accepting connections but keeps the open ones (`close` of an HTTP server closes the idle
 * ones). Connections still in the accept queue when the socket closes are lost; right after the
 * event loop has polled for connections there are hardly any.
 */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      NetServer.prototype.close.call(server);
      resolve();
    });
  });
}
