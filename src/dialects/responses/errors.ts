/** Errors of the Responses dialect: in chat's format in bodies, as separate events in streams. */
import { openAiError, withRequestId } from '../../domain/errors/error-shapes.ts';
import { isObject, type JsonObject, objectIn, textIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { WireError } from '../hub/answer/frames.ts';

/** Error codes of failed responses whose status is not 500. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  invalid_prompt: 400,
  invalid_encrypted_content: 400,
  context_length_exceeded: 400,
  content_policy_violation: 400,
};

/** The error of a body, a failed response or an event; undefined if there is none. */
export function readResponsesError(json: unknown): UpstreamError | undefined {
  const errorBody = errorIn(json);
  const error = errorInSuccess(errorBody === undefined ? json : { error: errorBody });
  if (error === undefined) return undefined;
  const status = STATUS_OF_CODE[error.code];
  return status === undefined ? error : { ...error, status };
}

function errorIn(json: unknown): JsonObject | undefined {
  if (!isObject(json)) return undefined;
  // The event `error` has its fields at the top level or in an object.
  if (json.type === 'error') return objectIn(json, 'error') ?? { ...json, type: 'server_error' };
  const response = json.type === 'response.failed' ? objectIn(json, 'response') : json;
  if (response?.status !== 'failed') return undefined;
  return objectIn(response, 'error') ?? { code: 'server_error', message: 'The response failed.' };
}

export function writeResponsesError({ requestId, ...error }: WireError): JsonObject {
  return { ...openAiError({ ...error, message: messageOf({ ...error, requestId }) }) };
}

/** `error` of a failed response; programs evaluate the code. */
export function responseFailure(error: WireError): JsonObject {
  return { code: codeOf(error), message: messageOf(error) };
}

function codeOf({ status, code }: WireError): string {
  if (status === 429) return code ?? 'rate_limit_exceeded';
  return code ?? (status >= 500 ? 'server_error' : 'invalid_prompt');
}

function messageOf({ message, requestId }: WireError): string {
  return requestId === undefined ? message : withRequestId(message, requestId);
}

/** The upstream cannot read reasoning that another account encrypted. */
export function isUnreadableReasoning({ code, message }: UpstreamError): boolean {
  return code === 'invalid_encrypted_content' || /encrypted content .*verif/i.test(message);
}

/** The type of a frame; '' if it has none. */
export function typeOfFrame(frame: JsonObject): string {
  return textIn(frame, 'type') ?? '';
}
