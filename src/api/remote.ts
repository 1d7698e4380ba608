/** A client for a table of calls over HTTP, used by the console and remote commands. */
import * as z from 'zod/mini';
import {
  AppError,
  type ErrorCode,
  type ErrorParams,
  isErrorCode,
} from '../domain/errors/errors.ts';
import type { Call, CallClient, Calls, Method } from './call.ts';

export interface RemoteRequest {
  readonly method: Method;
  /** Including the query string. */
  readonly path: string;
  /** Sent as JSON; undefined sends no body. */
  readonly body: unknown;
  /** False for read-only requests, which may be retried. */
  readonly changes: boolean;
}

export interface RemoteResponse {
  readonly status: number;
  header(name: string): string | null;
  text(): Promise<string>;
  stream(): AsyncIterable<string>;
}

/** The transport. It throws only when the server is unreachable. */
export type SendRequest = (question: RemoteRequest) => Promise<RemoteResponse>;

/** Provides the caller's password for calls that need it; undefined if none is available. */
export type PasswordSource = () => Promise<string | undefined>;

/**
 * @throws AppError with the server's error code; for an unrecognized response `server_failed`, as of
 * a proxy in front of it, or `server_foreign`.
 */
export function remoteClient<C extends Calls>(
  calls: C,
  send: SendRequest,
  password: PasswordSource = async () => undefined,
): CallClient<C> {
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    async (input: Input) => {
      try {
        return await read(call, await send(buildRemoteRequest(call, input)));
      } catch (error) {
        const field = isPasswordNeeded(error) ? error.param : undefined;
        const given = field === undefined ? undefined : await password();
        if (field === undefined || given === undefined) throw error;
        return read(call, await send(buildRemoteRequest(call, { ...input, [field]: given })));
      }
    },
  ]);
  return Object.fromEntries(entries) as CallClient<C>; // one function per row of the same table
}

type Input = Readonly<Record<string, unknown>>;

function isPasswordNeeded(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'password_needed';
}

/** Builds the request for a call's input. */
export function buildRemoteRequest(call: Call, input: Input): RemoteRequest {
  const hasPassword = input.password !== undefined;
  const isTwin =
    hasPassword && call.also?.some(({ method, path }) => method === 'POST' && path === call.path);
  const method = isTwin ? 'POST' : call.method;
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = call.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const isQuery = method === 'GET' || method === 'DELETE';
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    // A password must not appear in a URL.
    if (name === 'password' || (!isQuery && !call.query?.includes(name))) continue;
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    rest.delete(name);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  const body = isQuery && rest.size === 0 ? undefined : Object.fromEntries(rest);
  const changes = call.method !== 'GET' || call.changesData === true;
  return { method, path: path + search, body, changes };
}

async function read(call: Call, answer: RemoteResponse): Promise<unknown> {
  const { wire = 'envelope' } = call;
  const isData = !(answer.header('content-type') ?? '').startsWith('application/json');
  if (answer.status < 400 && isData && wire === 'stream') return answer.stream();
  const text = await answer.text();
  if (answer.status < 400 && isData && wire === 'text') return text;
  const body = parsed(text);
  if (body === undefined) throw failed(answer.status, text);
  if (isRefusal(body) && !(wire === 'flat' && body.code === undefined)) throw refusal(body, answer);
  if (wire !== 'envelope') return body;
  if (!('success' in body)) throw failed(answer.status, text);
  return 'data' in body && call.reply.def.type !== 'void' ? body.data : undefined;
}

interface Refusal {
  readonly success: false;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly param?: unknown;
  readonly params?: ErrorParams;
  readonly errors?: unknown;
}

function isRefusal(body: object): body is Refusal {
  return 'success' in body && body.success === false;
}

function refusal(body: Refusal, answer: RemoteResponse): AppError {
  const { code, message, param, params } = body;
  const retryAfterSec = Number(answer.header('retry-after') ?? Number.NaN);
  if (typeof code !== 'string' || !isErrorCode(code))
    return new AppError('server_failed', { status: answer.status, message: String(message ?? '') });
  const problems = fieldErrorsIn(body).map(({ field, code: reason, params }) =>
    fieldProblem(code, field, reason, params),
  );
  return new AppError(code, params, {
    ...(typeof param === 'string' && { param }),
    ...(problems.length > 1 && { problems }),
    ...(Number.isFinite(retryAfterSec) && { retryAfterSec }),
  });
}

/** A wrong field as the server reports it; the code is an error's or the reason of one. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly params: ErrorParams;
  readonly message: string;
}

const FieldErrors = z.array(
  z.object({
    field: z.string(),
    code: z.string(),
    params: z.record(
      z.string(),
      z.union([z.string(), z.number(), z.readonly(z.array(z.string()))]),
    ),
    message: z.string(),
  }),
);

/** The wrong fields of a refused call; empty if there are none. */
export function fieldErrorsIn({ errors }: { readonly errors?: unknown }): readonly FieldError[] {
  return z.safeParse(FieldErrors, errors).data ?? [];
}

function fieldProblem(
  code: ErrorCode,
  field: string,
  reason: string,
  params: ErrorParams,
): AppError {
  // The texts of options name the field as `key`.
  const named = { ...params, field, key: field };
  return isErrorCode(reason)
    ? new AppError(reason, named, { param: field })
    : new AppError(code, { ...named, reason }, { param: field });
}

const SHOWN = 200;

function failed(status: number, text: string): AppError {
  if (status < 500) return new AppError('server_foreign', { status });
  const message = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return new AppError('server_failed', { status, message: message.slice(0, SHOWN) });
}

function parsed(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}
