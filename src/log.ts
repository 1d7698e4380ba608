/** The server's logger: pino, JSON lines on stderr or in a file, without secrets. */
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { isatty } from 'node:tty';
import pino from 'pino';
import { createFolder } from './folders.ts';
import { isOfKnownOutage } from './known-outage.ts';
import { readableLine } from './log-lines.ts';
import { withoutSecrets } from './log-secrets.ts';

export type Logger = pino.Logger;

const REDACTED_PATHS = [
  'authorization',
  'cookie',
  'key',
  'password',
  'secret',
  'token',
  '*.authorization',
  '*.cookie',
  '*.key',
  '*.password',
  '*.secret',
  '*.token',
  'headers["x-api-key"]',
  'headers["x-goog-api-key"]',
  'headers["api-key"]',
];

/** Error properties worth logging; libraries attach whole requests to their errors. */
const LOGGED_PROPERTIES = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'hostname',
  'status',
  'statusCode',
  'sqlState',
] as const;
const MAX_CAUSES = 5;

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

function loggedError(thrown: unknown, depth = 0): LoggedError | unknown {
  if (!(thrown instanceof Error) || depth > MAX_CAUSES) return String(thrown);
  const facts: Readonly<Record<string, unknown>> = { ...thrown };
  const properties = LOGGED_PROPERTIES.flatMap((name) => {
    const value = facts[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
  });
  const { cause } = thrown;
  return {
    type: thrown.constructor.name,
    message: thrown.message,
    stack: thrown.stack,
    ...Object.fromEntries(properties),
    ...(cause === undefined ? {} : { cause: loggedError(cause, depth + 1) }),
    ...(thrown instanceof AggregateError
      ? { errors: thrown.errors.slice(0, MAX_CAUSES).map((one) => loggedError(one, depth + 1)) }
      : {}),
  };
}

/**
 * An empty `file` writes to stderr, which keeps stdout free for a command's output; a terminal gets
 * readable lines. `worker` is added to every entry of a process that is one of several.
 */
export function createLogger(level: string, file = '', worker?: number): Logger {
  if (file === '' && isatty(2)) return loggerTo(level, toTerminal(), worker);
  if (file !== '') requireLogFile(file);
  // Opened for appending, so the file can be copied and truncated while the server writes.
  const destination = pino.destination({ dest: file || 2, sync: false });
  return loggerTo(level, destination, worker);
}

function toTerminal(): pino.DestinationStream {
  const stderr = pino.destination({ dest: 2, sync: true });
  return { write: (line) => stderr.write(readableLine(line)) };
}

/** pino opens its file later, where a failure would end the process without an error of its own. */
function requireLogFile(file: string): void {
  createFolder(path.dirname(file), 0o777);
  closeSync(openSync(file, 'a'));
}

/** `destination` receives whole lines. */
export function loggerTo(
  level: string,
  destination: pino.DestinationStream,
  worker?: number,
): Logger {
  return pino(
    {
      level,
      base: worker === undefined ? undefined : { worker },
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
      serializers: { err: (thrown) => loggedError(thrown) },
      hooks: {
        streamWrite: withoutSecrets,
        logMethod(args, method) {
          const [facts]: readonly unknown[] = args;
          if (!isOfKnownOutage(Object(facts).err)) method.apply(this, args);
        },
      },
    },
    destination,
  );
}
