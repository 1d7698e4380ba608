/**
 * How failed attempts are recorded: in the upstream's words, or with the gateway's own reason,
 * which is worded when it is read.
 */
import { AppError } from '../../domain/errors/errors.ts';
import { upstreamStatusError } from '../../domain/errors/upstream-status.ts';
import { recordedError } from '../../domain/logs/reasons.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import { type JsonObject, textIn } from '../../json/read-json.ts';
import { storedContent } from '../../services/logs/audit.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { AttemptRecord, AttemptResult } from '../call/attempt-record.ts';
import type { Relay } from '../call/relay-ports.ts';
import { hideKeys, type Keyed } from '../http/redact-repeated-keys.ts';
import type { UpstreamFailure } from './failed-attempt.ts';

const MESSAGE_LENGTH = 1_000;

export function failureResult({ upstream, cause }: UpstreamFailure): AttemptResult {
  return cause instanceof AppError ? brokenResult(cause) : refusedResult(upstream);
}

/** The upstream answered with an error, before its answer or in it. */
export function refusedResult(upstream: UpstreamError): AttemptResult {
  const { status, code, type, message } = upstream;
  return {
    status,
    code: code || type,
    message: message.slice(0, MESSAGE_LENGTH),
    ...(message === '' && { reason: recordedError(upstreamStatusError(upstream)) }),
  };
}

/** The upstream was silent, unreachable or broken, or the request could not be sent to it. */
export function brokenResult(error: AppError): AttemptResult {
  const { status, row, code } = error;
  return { status, code: row.wire ?? code, message: '', reason: recordedError(error) };
}

/**
 * The upstream accepted the request, and later reported that its response failed. `keys` are those
 * that the error may still contain.
 */
export function failedResponse(
  error: JsonObject | undefined,
  keys: readonly Keyed[] = [],
): AttemptResult {
  const message = textIn(error, 'message');
  const code = textIn(error, 'code') ?? textIn(error, 'type') ?? 'response_failed';
  return {
    status: 200,
    code: hideKeys(code, keys),
    message: hideKeys(message ?? '', keys).slice(0, MESSAGE_LENGTH),
    ...(message === undefined && { reason: { event: 'response_failed' } }),
  };
}

/** The message of a failed attempt in the log entry of its own. */
export function loggedMessage(
  { ctx }: Pick<Relay, 'ctx'>,
  { message, reason }: AttemptRecord,
): string {
  return reason === undefined ? storableText(message) : storedContent(ctx, reason);
}

/** The facts of that entry. */
export function errorFacts(attempt: AttemptRecord) {
  const { status, code, channel_id, channel_name, reason } = attempt;
  return {
    error_type: 'upstream_error',
    error_code: storableText(code),
    status_code: status,
    ...(reason && { reason: { ...reason } }),
    channel_id,
    channel_name,
  };
}
