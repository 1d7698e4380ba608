/** What becomes of a body that was refused before its end. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const LINGER_MS = 10_000;
const LOOK_EVERY_MS = 250;

/**
 * Many clients send their whole request before they read, and a connection closed on them loses the
 * answer. So what comes after the answer is read and thrown away, for `LINGER_MS` and `maxBytes` at most;
 * then the connection is closed.
 */
export function dropUnread(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): void {
  // Before Node's own listener, which would close a connection that is not kept at once.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    socket.destroySoon = () => socket.end();
    const endsAtMs = performance.now() + LINGER_MS;
    const startBytes = socket.bytesRead;
    const timer = setInterval(() => {
      if (performance.now() > endsAtMs || socket.bytesRead - startBytes > maxBytes)
        socket.destroy();
    }, LOOK_EVERY_MS).unref();
    request.once('close', () => {
      clearInterval(timer);
      Reflect.deleteProperty(socket, 'destroySoon');
      if (socket.writableEnded) socket.destroy();
    });
    request.resume();
  });
}
