/**
 * Leniently normalises any upstream error response. What the client is shown is decided elsewhere.
 */

import { isObject, type JsonObject, numberIn, objectIn, textIn } from '../json/read-json.ts';
import { concernsOnlyCall, isAccountError, isKeyError, shouldRetry } from './error-policy.ts';
import { type ErrorText, errorTextOfBody, errorTextOfJson } from './error-wording.ts';
import { limitResetMs } from './rate-limit-reset.ts';
import type { UpstreamError } from './upstream-error.ts';

export interface ErrorReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bodyText: string;
  readonly nowMs: number;
}

/** Truncates web pages and stack traces: an error message is read by people. */
const MAX_MESSAGE_CHARS = 1000;

/** The error of a non-2xx response. Never throws. */
export function readUpstreamError(reply: ErrorReply): UpstreamError {
  const text = errorTextOfBody(reply.bodyText);
  const { headers, nowMs, status } = reply;
  const retryAfterMs =
    readRetryAfter(headers, nowMs) ?? (status === 429 ? limitResetMs(headers, nowMs) : undefined);
  const type = text.type || awsType(reply.headers);
  return upstreamError({ ...text, type, status: reply.status }, retryAfterMs);
}

/** AWS states the error type in a header, with or without a namespace suffix. */
function awsType(headers: ErrorReply['headers']): string {
  return (textIn(headers, 'x-amzn-errortype') ?? '').split(':')[0] ?? '';
}

/**
 * The error inside a response with status 200: several providers report every failure that way, and
 * an error must not be billed. Undefined if the response is not an error.
 */
export function errorInSuccess(json: unknown): UpstreamError | undefined {
  const holder = Array.isArray(json) ? json[0] : json;
  if (!isObject(holder)) return undefined;
  const found = failureIn(holder);
  if (found === undefined) return undefined;
  const errorText = errorTextOfJson(found.error ?? holder);
  return upstreamError({ ...errorText, code: errorText.code || found.code, status: found.status });
}

function upstreamError(
  errorText: ErrorText & { status: number },
  retryAfterMs?: number,
): UpstreamError {
  const { status } = errorText;
  const { message } = errorText;
  const hasNothing = message === '' && errorText.type === '' && errorText.code === '';
  const error = {
    status,
    message:
      message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}...` : message,
    type: errorText.type || 'upstream_error',
    code: codeOf(errorText),
    param: errorText.param || (hasNothing ? String(status) : ''),
  };
  const concernsCall = concernsOnlyCall(error);
  return {
    ...error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    retryable: shouldRetry(status) || (status === 400 && isAccountError(error)),
    // Based on the upstream's own code, not on the substituted one.
    disablesKey: !concernsCall && isKeyError({ ...error, code: errorText.code }),
    ...(concernsCall && { concernsCall }),
  };
}

/** Codes of errors that have none, or only their status as one. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'permission_denied',
  404: 'not_found',
  408: 'request_timeout',
  409: 'conflict',
  413: 'request_too_large',
  422: 'invalid_request',
  429: 'rate_limit_exceeded',
  500: 'server_error',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
  529: 'overloaded',
};

function codeOf({ code, status }: ErrorText & { readonly status: number }): string {
  if (code !== '' && code !== String(status)) return code;
  return CODE_OF_STATUS[status] ?? 'bad_response_status_code';
}

interface Failure {
  readonly status: number;
  readonly code: string;
  /** The part with the error; the whole response when absent. */
  readonly error?: JsonObject;
}

/** OpenAI's, DashScope's, MiniMax's and iFlytek's codes with a status; all others are a 500. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  invalid_api_key: 401,
  model_not_found: 404,
  context_length_exceeded: 400,
  unsupported_parameter: 400,
  unsupported_value: 400,
  content_policy_violation: 400,
  InvalidApiKey: 401,
  Arrearage: 402,
  InvalidParameter: 400,
  DataInspectionFailed: 400,
  Throttling: 429,
  'Throttling.RateQuota': 429,
  'Throttling.AllocationQuota': 429,
  1002: 429,
  1039: 429,
  1004: 401,
  2049: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  2013: 400,
  10013: 400,
  10014: 400,
  11200: 401,
  11201: 429,
  11202: 429,
  11203: 429,
};

/** Fields of answers: a code beside one of them is not an error. */
const ANSWERS = ['choices', 'data', 'results', 'output', 'result'];

function failureIn(holder: JsonObject): Failure | undefined {
  if (holder.error) return failureOfError(holder.error);
  const { choices } = holder;
  const choice = Array.isArray(choices) ? choices.find((item) => isObject(item?.error)) : undefined;
  if (choice) return { ...failureOfError(choice.error), error: { error: choice.error } };
  const coded =
    nonZero(holder.base_resp, 'status_code') ??
    (objectIn(holder.Response, 'Error') && failureOf('')) ??
    nonZero(holder, 'error_code') ??
    nonZero(holder.header, 'code');
  if (coded !== undefined) return coded;
  if (holder.object === 'error') return failureOf(textIn(holder, 'code') ?? '');
  if (holder.success === false) return failureOf('');
  if (ANSWERS.some((name) => holder[name] != null)) return undefined;
  const message = textIn(holder, 'message') ?? textIn(holder, 'msg');
  return message === undefined ? undefined : nonZero(holder, 'code');
}

function nonZero(holder: unknown, field: string): Failure | undefined {
  const code = textIn(holder, field);
  return code === undefined || code === '0' ? undefined : failureOf(code);
}

/** An error without a code may say by its type that the request is at fault. */
function failureOfError(error: unknown): Failure {
  const code = textIn(error, 'code') ?? '';
  const failure = failureOf(code);
  const isOfRequest = code === '' && textIn(error, 'type') === 'invalid_request_error';
  return isOfRequest ? { ...failure, status: 400 } : failure;
}

/** An inner code that is a valid status is used as one. */
function failureOf(code: string): Failure {
  const status = Number(code);
  const isStatus = Number.isInteger(status) && status >= 400 && status < 600;
  return { status: isStatus ? status : (STATUS_OF_CODE[code] ?? 500), code };
}

/** Milliseconds to wait, from `retry-after-ms` or `retry-after` (RFC 9110 10.2.3: seconds or a date). */
export function readRetryAfter(headers: ErrorReply['headers'], nowMs: number): number | undefined {
  const inMs = numberIn(headers, 'retry-after-ms');
  if (inMs !== undefined) return Math.max(0, inMs);
  const value = textIn(headers, 'retry-after');
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, Math.round(waitMs));
}
