/** OpenAI's errors as sent to clients (platform.openai.com/docs/guides/error-codes). */
import {
  type OpenAiErrorBody,
  openAiError,
  withRequestId,
} from '../../domain/errors/error-shapes.ts';
import type { WireError } from '../hub/answer/frames.ts';

const TYPE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  429: 'rate_limit_error',
};

/** Replaces Google's types (INVALID_ARGUMENT etc.), unknown to these clients, by the status's. */
function ownType({ type, status }: Pick<WireError, 'type' | 'status'>): string {
  if (!/^[A-Z]+(_[A-Z]+)*$/.test(type)) return type;
  return TYPE_OF_STATUS[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
}

export function writeChatError(error: WireError): OpenAiErrorBody {
  const { requestId } = error;
  const message = requestId === undefined ? error.message : withRequestId(error.message, requestId);
  return openAiError({ ...error, type: ownType(error), message });
}
