/** Reads and writes Google's errors (ai.google.dev/gemini-api/docs/troubleshooting). */
import { withRequestId } from '../../domain/errors/error-shapes.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { WireError } from '../hub/answer/frames.ts';

/** The code is an HTTP status; streams in JSON array format wrap the error in an array. */
export function readGeminiError(json: unknown): UpstreamError | undefined {
  const holder = Array.isArray(json) ? json[0] : json;
  if (!isObject(holder) || !holder.error) return undefined;
  const error = errorInSuccess(holder);
  if (error === undefined) return undefined;
  const details = objectsIn(holder.error, 'details');
  const reason = details.map((detail) => textIn(detail, 'reason')).find((text) => text);
  const retryAfterMs = details.map(retryDelayMs).find((delay) => delay !== undefined);
  const status = numberIn(objectIn(holder, 'error'), 'code') ?? error.status;
  return {
    ...error,
    status,
    ...(reason === undefined ? {} : { code: reason }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Seconds as a string, `17s` or `0.5s`. */
function retryDelayMs(detail: JsonObject): number | undefined {
  const seconds = /^([\d.]+)s$/.exec(textIn(detail, 'retryDelay') ?? '')?.[1];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function writeGeminiError({ status, message, code, requestId }: WireError): JsonObject {
  const name = STATUSES[status] ?? (status >= 500 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT');
  const text = requestId === undefined ? message : withRequestId(message, requestId);
  const details = code
    ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code }]
    : undefined;
  return {
    error: { code: status, message: text, status: name, ...(details ? { details } : {}) },
  };
}
