/**
 * A minimal server that runs while the real one waits for its database: it reports the process as
 * alive but not ready, and refuses calls in the dialect of the caller. So a supervisor does not
 * kill it, a load balancer sends it no calls, and clients know when to repeat theirs.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { Config } from '../../config.ts';
import { envelopeError } from '../../domain/errors/error-shapes.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { acceptedLanguage } from '../../domain/languages.ts';
import { errorText } from '../../locales/text.ts';
import type { Logger } from '../../log.ts';
import { newRequestId } from '../../relay/call/request-id.ts';
import { openAiErrorOf } from '../../relay/translate/error-response.ts';
import { parseDsn } from '../../store/connection/dsn.ts';
import { errorFormatterFor, isManagement } from '../response/error-form.ts';

const RETRY_AFTER_SEC = 1;

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves until the returned function is called. If the port is taken, it serves nothing. */
export async function openStartupServer(
  config: Pick<Config, 'database' | 'databaseSource' | 'host' | 'port'>,
  log: Logger,
): Promise<() => Promise<void>> {
  const { host, port } = config;
  const { engine } = parseDsn(config.database.open(), config.databaseSource);
  const server = createServer((request, response) => {
    const requestId = newRequestId(Date.now());
    // Omits the location, as clients see this error.
    const error = new AppError(
      'database_unreachable',
      { location: engine },
      { retryAfterSec: RETRY_AFTER_SEC },
    );
    const { status, body, headers } = answerTo(request, { error, requestId, log });
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
      'x-request-id': requestId,
      ...(status !== 200 && { 'retry-after': String(RETRY_AFTER_SEC) }),
      ...headers,
    });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.once('error', (error) => {
      // The real server reports this again, as an error, when it binds the port.
      log.warn({ err: error }, 'the port cannot be opened during the wait for the database');
      resolve();
    });
    server.listen({ host, port }, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

interface Refusal {
  readonly error: AppError;
  readonly requestId: string;
  readonly log: Logger;
}

function answerTo({ url = '', headers }: IncomingMessage, { error, ...ids }: Refusal): Answer {
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/health/live') return { status: 200, body: { status: 'ok' } };
  if (path.startsWith('/health/')) return { status: 503, body: { status: 'database unreachable' } };
  const language = acceptedLanguage(headers['accept-language'] ?? '');
  if (isManagement(path)) {
    const body = envelopeError(errorText(error, language), error, String);
    return { status: error.status, body };
  }
  const answer = openAiErrorOf(error, { ...ids, language });
  return { ...errorFormatterFor(headers, path)(answer), headers: answer.headers };
}
