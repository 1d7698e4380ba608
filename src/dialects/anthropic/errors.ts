/** Reads and writes Anthropic's errors (platform.claude.com/docs/en/api/errors). */
import { withRequestId } from '../../domain/errors/error-shapes.ts';
import { isObject, type JsonObject, objectIn, textIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { WireError } from '../hub/answer/frames.ts';

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

const TYPE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  ...Object.entries(STATUS_OF_TYPE).map(([type, status]) => [status, type] as const),
  [408, 'timeout_error'],
  [503, 'overloaded_error'],
]);

/** Reads an error sent in a stream or with status 200; its type determines the status. */
export function readAnthropicError(json: unknown): UpstreamError | undefined {
  if (isObject(json) && json.type !== 'error' && !json.error) return undefined;
  const error = errorInSuccess(json);
  if (error === undefined) return undefined;
  const type = textIn(objectIn(json, 'error'), 'type') ?? '';
  const status = STATUS_OF_TYPE[type] ?? error.status;
  return { ...error, status };
}

/**
 * The status determines the type: clients do not know other vendors' types, and OpenAI uses types
 * that both share for errors with a more specific type here.
 */
export function writeAnthropicError(error: WireError): JsonObject {
  const { status, type, requestId } = error;
  const message = requestId === undefined ? error.message : withRequestId(error.message, requestId);
  const known = STATUS_OF_TYPE[type] === undefined ? fallback(status) : type;
  const ownType = STATUS_OF_TYPE[type] === status ? type : (TYPE_OF_STATUS.get(status) ?? known);
  return {
    type: 'error',
    error: { type: ownType, message },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}

function fallback(status: number): string {
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

/** Thinking of the history is not as Claude wrote it, or from a model or account it cannot verify. */
export function isRefusedThinking({ status, message }: UpstreamError): boolean {
  return (
    status === 400 &&
    /thinking.{0,80}(cannot be modified|block)|signature.{0,30}thinking/i.test(message)
  );
}
