/**
 * WebSocket upgrades. They pass through the routes like other requests, so that access checks,
 * errors and request ids are the same; a route accepts one with `upgrade`.
 */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../../domain/errors/errors.ts';
import { MAX_FRAME_BYTES } from '../../relay/realtime/realtime-frames.ts';

interface PendingUpgrade {
  readonly socket: Duplex;
  /** Bytes that arrived after the request's header. */
  readonly head: Buffer;
}

export interface Upgrades {
  /** @throws AppError upgrade_required if the request is not a WebSocket upgrade. */
  require(request: FastifyRequest): void;
  /** Completes the handshake; `taken` receives the connection synchronously. */
  upgrade(request: FastifyRequest, reply: FastifyReply, taken: (socket: WebSocket) => void): void;
}

/** The only offered subprotocol that is ever echoed: the others may carry a key. */
const PROTOCOL = 'realtime';

export function acceptUpgrades(app: FastifyInstance): Upgrades {
  const waiting = new WeakMap<IncomingMessage, PendingUpgrade>();
  const ids = new WeakMap<IncomingMessage, string>();
  const unanswered = new Set<Duplex>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  server.on('headers', (lines, request) => lines.push(`x-request-id: ${ids.get(request)}`));
  app.server.on('upgrade', (request, socket, head) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      return returnToHttp(app.server, request, socket, head);
    waiting.set(request, { socket, head });
    unanswered.add(socket);
    socket.once('close', () => unanswered.delete(socket));
    route(app, request, socket);
  });
  // The server would wait for these connections, and they may wait for an upstream. No session has
  // begun on them yet.
  app.addHook('preClose', async () => {
    for (const socket of unanswered) socket.destroy();
  });
  return {
    require({ raw }) {
      if (!waiting.has(raw)) throw new AppError('upgrade_required');
    },
    upgrade(request, reply, taken) {
      const found = waiting.get(request.raw);
      if (found === undefined) throw new AppError('upgrade_required');
      ids.set(request.raw, request.id);
      unanswered.delete(found.socket);
      reply.hijack();
      server.handleUpgrade(request.raw, found.socket, found.head, taken);
    },
  };
}

/** A response that is not a handshake ends the connection. */
function route(app: FastifyInstance, request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as IncomingMessage['socket']); // always a net.Socket
  response.once('finish', () => socket.end());
  app.routing(request, response);
}

/**
 * Clients that offer another protocol (Java's client offers `h2c` with every request) accept plain
 * HTTP as well. Because this server listens for upgrades, Node detaches such a connection from
 * HTTP; it is passed back as a new connection that repeats the request without the Upgrade header.
 */
function returnToHttp(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const { rawHeaders } = request;
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  const begin = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  server.emit('connection', socket);
  socket.unshift(Buffer.concat([begin, head]));
}
