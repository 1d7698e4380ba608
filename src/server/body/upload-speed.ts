/** Ends uploads that are too slow, so that they do not block the body budget for others. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../domain/errors/errors.ts';

const GRACE_MS = 10_000;
const CHECK_EVERY_MS = 1_000;
/** Average since the start; slower than any usable connection. */
const MIN_BYTES_PER_SEC = 4 * 1024;

/**
 * Calls `onSlow` (AppError `body_too_slow`) when the body arrives more slowly. The server's
 * `requestTimeout` limits the total time. Returns a function that stops the watch.
 */
export function watchUploadSpeed(
  { socket }: IncomingMessage,
  onSlow: (error: AppError) => void,
): () => void {
  const startedAtMs = performance.now();
  const startBytes = socket.bytesRead;
  const timer = setInterval(() => {
    const tookMs = performance.now() - startedAtMs;
    const came = socket.bytesRead - startBytes;
    if (tookMs < GRACE_MS || came >= (tookMs / 1000) * MIN_BYTES_PER_SEC) return;
    const seconds = Math.round(tookMs / 1000);
    onSlow(new AppError('body_too_slow', { bytes: came, seconds }));
  }, CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
