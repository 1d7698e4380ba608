/** Handles the rest of a body that was refused before its end. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const LINGER_MS = 10_000;
const CHECK_EVERY_MS = 250;

/**
 * Many clients send their whole request before they read, and lose the response if the connection
 * is closed early. The rest of the body is therefore read and discarded, for at most `LINGER_MS`
 * and `maxBytes`; then the connection is closed.
 */
export function discardUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): void {
  // Runs before Node's own listener, which would close a non-keep-alive connection immediately.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    socket.destroySoon = () => socket.end();
    const endsAtMs = performance.now() + LINGER_MS;
    const startBytes = socket.bytesRead;
    const timer = setInterval(() => {
      if (performance.now() > endsAtMs || socket.bytesRead - startBytes > maxBytes)
        socket.destroy();
    }, CHECK_EVERY_MS).unref();
    request.once('close', () => {
      clearInterval(timer);
      Reflect.deleteProperty(socket, 'destroySoon');
      if (socket.writableEnded) socket.destroy();
    });
    request.resume();
  });
}
