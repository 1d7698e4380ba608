/** The server's log: pino, JSON lines on stderr or a file, secrets cut out by path. */
import pino from 'pino';

export type Logger = pino.Logger;

const REDACTED_PATHS = [
  'authorization',
  'key',
  'password',
  'secret',
  '*.authorization',
  '*.key',
  '*.password',
  '*.secret',
  'headers.authorization',
  'headers.cookie',
  'headers["x-api-key"]',
  'headers["api-key"]',
];

/** `file` empty writes to stderr, so that a command's answer on stdout stays clean. */
export function createLogger(level: string, file = ''): Logger {
  const destination = pino.destination({ dest: file === '' ? 2 : file, sync: false, mkdir: true });
  return pino(
    { level, base: undefined, redact: { paths: REDACTED_PATHS, censor: '[redacted]' } },
    destination,
  );
}
