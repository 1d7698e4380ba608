/** A body that comes drop by drop must not keep its place in the budget from others. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../domain/errors/errors.ts';

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 1_000;
/** On average since its beginning: slower than any line on which people work. */
const LEAST_BYTES_PER_SEC = 4 * 1024;

/**
 * Tells `onSlow` (AppError `body_too_slow`) where fewer bytes come. How long a body may take in all is
 * the server's `requestTimeout`. Answers what stops the watch.
 */
export function watchPace(
  { socket }: IncomingMessage,
  onSlow: (error: AppError) => void,
): () => void {
  const startedAtMs = performance.now();
  const startBytes = socket.bytesRead;
  const timer = setInterval(() => {
    const tookMs = performance.now() - startedAtMs;
    const came = socket.bytesRead - startBytes;
    if (tookMs < PATIENCE_MS || came >= (tookMs / 1000) * LEAST_BYTES_PER_SEC) return;
    const seconds = Math.round(tookMs / 1000);
    onSlow(new AppError('body_too_slow', { bytes: came, seconds }));
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
