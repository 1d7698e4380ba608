/**
 * The only client of the gateway's management API: `client(tokenCalls).list({ p: 2 })`. Names,
 * inputs and replies are those of the tables in `src/api`; anything else is thrown as an
 * `ApiError`.
 */
import type * as z from 'zod/mini';
import type { Call, Calls } from '../../../../src/api/call.ts';
import { takesImpact } from '../../../../src/api/impact.ts';
import { buildRemoteRequest, type FieldError, fieldErrorsIn } from '../../../../src/api/remote.ts';
import { isImpactCode } from '../../../../src/domain/errors/errors.ts';
import { STORED } from '../browser/stored.ts';
import { expireSession, storedUser } from '../session/session.ts';

export type ApiErrorKind =
  /** No response, or one from a proxy whose gateway is down. */
  | 'unreachable'
  /** The gateway refused; `message` is its error message, or empty. */
  | 'refused'
  /** The response is not the gateway's. */
  | 'garbled';

interface ErrorFacts {
  readonly kind: ApiErrorKind;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly message?: string;
  /** From the catalogue in `src/domain/errors/errors.ts`. */
  readonly code?: string;
  /** The path of the refused input field, dotted. */
  readonly param?: string;
  /** Every refused field of the input. */
  readonly fields?: readonly FieldError[];
  readonly requestId?: string | undefined;
  readonly retryAfterSec?: number;
  readonly method: string;
  readonly path: string;
  readonly cause?: unknown;
}

export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  readonly status: number;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
  readonly retryAfterSec: number | undefined;
  readonly method: string;
  /** Without its query, which may contain secrets. */
  readonly path: string;
  readonly at = new Date();

  constructor(facts: ErrorFacts) {
    super(facts.message ?? '', { cause: facts.cause });
    this.name = 'ApiError';
    this.kind = facts.kind;
    this.status = facts.status;
    this.code = facts.code;
    this.param = facts.param;
    this.fields = facts.fields ?? [];
    this.requestId = facts.requestId;
    this.retryAfterSec = facts.retryAfterSec;
    this.method = facts.method;
    this.path = facts.path.split('?')[0] ?? '';
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Captcha token, for the calls that need one. */
  readonly turnstile?: string | undefined;
}

export type WebClient<C extends Calls> = {
  readonly [N in keyof C]: (
    input: z.input<C[N]['input']>,
    options?: CallOptions,
  ) => Promise<z.output<C[N]['reply']>>;
};

/**
 * Turns a table of calls into functions. Each throws `ApiError`; an aborted one throws the signal's
 * reason, as `fetch` does.
 * @param origin the gateway's origin; '' is the page's own.
 */
export function client<C extends Calls>(calls: C, origin = ''): WebClient<C> {
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    (input: Readonly<Record<string, unknown>>, options: CallOptions = {}) =>
      confirmed(takesImpact(call) ? { impact: 'ask' } : {}, (question) =>
        carry(call, { ...input, ...question }, options, origin),
      ),
  ]);
  return Object.fromEntries(entries) as WebClient<C>; // one function per row of the table
}

let confirmOwner = async (): Promise<boolean> => false;
let confirmImpact = async (_message: string): Promise<boolean> => false;

/** `ask` confirms the session with the user's password; false if the user cancels. */
export function onPasswordNeeded(ask: () => Promise<boolean>): void {
  confirmOwner = ask;
}

/** `ask` shows what the call would take away from users; false if the user cancels. */
export function onImpact(ask: (message: string) => Promise<boolean>): void {
  confirmImpact = ask;
}

/** Repeats the call after the user has confirmed the session, or the call's impact. */
async function confirmed(
  question: { readonly impact?: 'ask' },
  call: (question: { readonly impact?: 'ask' }) => Promise<unknown>,
) {
  try {
    return await call(question);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'password_needed' && (await confirmOwner())) return call(question);
    if (!isImpactCode(error.code)) throw error;
    if (await confirmImpact(error.message)) return call({});
    // The user has seen the reason, and needs no report of it.
    throw new DOMException(error.message, 'AbortError');
  }
}

interface Target {
  readonly method: string;
  readonly path: string;
}

async function carry(
  call: Call,
  input: Readonly<Record<string, unknown>>,
  { signal, turnstile }: CallOptions,
  origin: string,
): Promise<unknown> {
  const { method, path, body } = buildRemoteRequest(call, input);
  const target = { method, path: withCaptcha(path, turnstile) };
  const answer = await send(target, body, signal, origin);
  const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json');
  if (answer.ok && !isJson && call.wire === 'stream') return chunks(answer);
  if (answer.ok && !isJson && call.wire === 'text') return answer.text();
  const reply = await readJson(answer, target, signal);
  if (isRefusal(reply, call) || !answer.ok) throw refusal(reply, answer, target);
  if (call.wire !== undefined && call.wire !== 'envelope') return reply;
  return 'data' in reply && call.reply.def.type !== 'void' ? reply.data : undefined;
}

async function send(
  { method, path }: Target,
  body: unknown,
  signal: AbortSignal | undefined,
  origin: string,
): Promise<Response> {
  try {
    return await fetch(origin + path, {
      method,
      headers: headers(body),
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ApiError({ kind: 'unreachable', status: 0, method, path, cause });
  }
}

function headers(body: unknown): Record<string, string> {
  const user = storedUser();
  return {
    'accept-language': STORED.language.read(),
    ...(user !== undefined && { 'gateway-user': String(user.id) }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

function withCaptcha(path: string, turnstile: string | undefined): string {
  if (turnstile === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}turnstile=${encodeURIComponent(turnstile)}`;
}

/** Statuses of a reverse proxy whose backend is down (RFC 9110 15.6.3 to 15.6.5). */
const PROXY_FAILURES: readonly number[] = [502, 503, 504];

async function readJson(
  answer: Response,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<object> {
  const { status } = answer;
  const requestId = answer.headers.get('x-request-id') ?? undefined;
  const fail = (cause?: unknown) => {
    const kind = PROXY_FAILURES.includes(status) ? 'unreachable' : 'garbled';
    return new ApiError({ kind, status, requestId, ...target, cause });
  };
  const body: unknown = await answer.json().catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw fail(cause);
  });
  if (typeof body !== 'object' || body === null || !('success' in body)) {
    if (answer.ok && typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
    throw fail();
  }
  return body;
}

interface Refusal {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly param?: unknown;
  readonly errors?: unknown;
}

/** A flat reply may contain `success: false` as data. */
function isRefusal(reply: object & Refusal, { wire = 'envelope' }: Call): boolean {
  if (wire === 'bare' && reply.code === undefined) return false;
  if (!('success' in reply)) return wire === 'envelope';
  return reply.success === false && !(wire === 'flat' && reply.code === undefined);
}

function refusal(reply: object & Refusal, answer: Response, target: Target): ApiError {
  const { status } = answer;
  if (status === 401) expireSession();
  if (!('success' in reply)) return new ApiError({ kind: 'garbled', status, ...target });
  const retryAfterSec = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return new ApiError({
    kind: 'refused',
    status,
    message: typeof reply.message === 'string' ? reply.message : '',
    ...(typeof reply.code === 'string' && { code: reply.code }),
    ...(typeof reply.param === 'string' && { param: reply.param }),
    fields: fieldErrorsIn(reply),
    ...(Number.isFinite(retryAfterSec) && { retryAfterSec }),
    requestId: answer.headers.get('x-request-id') ?? undefined,
    ...target,
  });
}

/** The text of a streaming response as it arrives. */
async function* chunks(answer: Response): AsyncGenerator<string> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
