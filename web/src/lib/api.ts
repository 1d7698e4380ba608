/**
 * The one door to the gateway's management API: envelope in, data out, everything else thrown as
 * an `ApiError`. Who asked decides how an error is shown.
 */
import * as z from 'zod/mini';

export type ApiErrorKind =
  /** No answer came, or one from a proxy in front of a gateway that is not there. */
  | 'unreachable'
  /** The gateway said no; `message` is its own sentence, or empty. */
  | 'refused'
  /** An answer that is not the gateway's. */
  | 'garbled';

export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(
    kind: ApiErrorKind,
    answer: { status: number; message?: string; requestId?: string | undefined; cause?: unknown },
  ) {
    super(answer.message ?? '', { cause: answer.cause });
    this.name = 'ApiError';
    this.kind = kind;
    this.status = answer.status;
    this.requestId = answer.requestId;
  }
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Parameters that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const Envelope = z.object({
  success: z.boolean(),
  message: z._default(z.string(), ''),
  data: z.optional(z.unknown()),
});

/** What a reverse proxy answers when nobody listens behind it (RFC 9110 15.6.3 to 15.6.5). */
const PROXY_FAILURES: readonly number[] = [502, 503, 504];

/**
 * Asks the gateway at `origin` ('' is the page's own) and gives `data` as `reply` describes it.
 * Throws `ApiError`; an aborted request throws the signal's reason, as `fetch` does.
 */
export async function ask<R extends z.ZodMiniType>(
  request: ApiRequest,
  reply: R,
  origin = '',
): Promise<z.output<R>> {
  const answer = await send(request, origin);
  const { status } = answer;
  const requestId = answer.headers.get('x-request-id') ?? undefined;
  const body = await answer.json().catch((cause: unknown) => {
    request.signal?.throwIfAborted();
    const kind = PROXY_FAILURES.includes(status) ? 'unreachable' : 'garbled';
    throw new ApiError(kind, { status, requestId, cause });
  });

  const envelope = Envelope.safeParse(body);
  if (!envelope.success) {
    throw new ApiError('garbled', { status, requestId, cause: envelope.error });
  }
  if (!answer.ok || !envelope.data.success) {
    throw new ApiError('refused', { status, requestId, message: envelope.data.message });
  }
  const data = reply.safeParse(envelope.data.data);
  if (!data.success) throw new ApiError('garbled', { status, requestId, cause: data.error });
  return data.data;
}

async function send({ method = 'GET', path, query, body, signal }: ApiRequest, origin: string) {
  try {
    return await fetch(origin + path + queryText(query), {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ApiError('unreachable', { status: 0, cause });
  }
}

function queryText(query: ApiRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
