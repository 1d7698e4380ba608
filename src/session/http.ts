/** Sends the requests of remote commands to a server. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RemoteRequest, RemoteResponse, SendRequest } from '../api/remote.ts';
import { AppError } from '../domain/errors/errors.ts';
import type { Language } from '../locales/text.ts';
import { VERSION } from '../version.ts';

export interface Server {
  /** Without a trailing slash. */
  readonly url: string;
  readonly accessToken: string;
  readonly userId?: string | undefined;
  /** Set during a sign-in. */
  readonly cookie?: string;
}

export interface HttpOptions {
  readonly language: Language;
  /** Retries of a GET when the server was unreachable or overloaded. */
  readonly retries: number;
  /** Called for each request, without secrets. */
  readonly onRequest?: (line: string) => void;
  readonly signal: AbortSignal;
}

const FIRST_PAUSE_MS = 200;
const BUSY = new Set([502, 503, 504]);

/** @throws AppError `server_unreachable`. */
export function httpSend(server: Server, options: HttpOptions): SendRequest {
  return async (question) => {
    const tries = question.changes ? 1 : options.retries + 1;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= tries;
      const answer = await once(server, question, options).catch((error: unknown) => {
        if (isLast) throw error;
        return undefined;
      });
      if (answer !== undefined && (isLast || !BUSY.has(answer.status))) return answer;
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal: options.signal });
    }
  };
}

async function once(
  server: Server,
  question: RemoteRequest,
  options: HttpOptions,
): Promise<RemoteResponse> {
  const { method, path, body } = question;
  const startedAt = performance.now();
  try {
    const response = await fetch(server.url + path, {
      method,
      headers: headersOf(server, options, body !== undefined),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: options.signal,
    });
    const took = Math.round(performance.now() - startedAt);
    options.onRequest?.(`${method} ${server.url}${path} ${response.status} ${took} ms`);
    return answerOf(response);
  } catch (cause) {
    throw new AppError('server_unreachable', { url: server.url }, { cause });
  }
}

function headersOf(server: Server, { language }: HttpOptions, hasBody: boolean) {
  return {
    accept: 'application/json',
    'accept-language': language,
    'user-agent': `gateway/${VERSION}`,
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(server.accessToken !== '' && { authorization: `Bearer ${server.accessToken}` }),
    ...(server.cookie !== undefined && { cookie: server.cookie }),
    ...(server.userId !== undefined && { 'gateway-user': server.userId }),
  };
}

function answerOf(response: Response): RemoteResponse {
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    text: () => response.text(),
    async *stream() {
      if (response.body === null) return;
      const decoder = new TextDecoder();
      for await (const bytes of response.body) yield decoder.decode(bytes, { stream: true });
      yield decoder.decode();
    },
  };
}
