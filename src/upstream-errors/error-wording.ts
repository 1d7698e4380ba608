/** Extracts the message of an upstream error from any known location in its body. */
import {
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from '../json/read-json.ts';

export interface ErrorText {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string;
}

const NO_ERROR_TEXT: ErrorText = { message: '', type: '', code: '', param: '' };

/** Extracts a message from any body: empty, a web page or any JSON. Never throws. */
export function errorTextOfBody(bodyText: string): ErrorText {
  const text = bodyText.trim();
  const json = parseJson(text) ?? parseJson(sseData(text));
  if (json !== undefined && typeof json !== 'string') return errorTextOfJson(json);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1];
  const isPage = /^<(!doctype|html)/i.test(text);
  const message = typeof json === 'string' ? json : isPage ? (title ?? '') : text;
  return { ...NO_ERROR_TEXT, message: message.trim().replaceAll(/\s+/g, ' ') };
}

/**
 * Some gateways wrap even the body of a 4xx in an SSE event. Only a body that begins as one: any
 * other line may be the caller's, repeated by the upstream.
 */
function sseData(text: string): string {
  return /^(?:(?:event|id|retry)?:.*\r?\n)*data: ?(.*)/.exec(text)?.[1] ?? '';
}

/** The locations of the message, most reliable first. */
export function errorTextOfJson(json: unknown): ErrorText {
  const holder = Array.isArray(json) ? json[0] : json;
  if (!isObject(holder))
    return { ...NO_ERROR_TEXT, message: typeof holder === 'string' ? holder : '' };
  const inner = innerError(holder) ?? holder;
  return {
    message:
      textIn(inner, 'message') ??
      textIn(objectIn(inner, 'message'), 'message') ??
      MESSAGE_FIELDS.map((field) => textIn(inner, field)).find((text) => text !== undefined) ??
      detailOf(inner),
    type: textIn(inner, 'type') ?? textIn(inner, 'status') ?? '',
    code: CODE_FIELDS.map((field) => textIn(inner, field)).find((text) => text !== undefined) ?? '',
    param: textIn(inner, 'param') ?? '',
  };
}

const MESSAGE_FIELDS = [
  'error',
  'msg',
  'err',
  'error_msg',
  'status_msg',
  'Message',
  'detail',
] as const;
const CODE_FIELDS = ['code', 'error_code', 'status_code', 'Code'] as const;

/** The nested error object, if the error is not the response itself. */
function innerError(holder: JsonObject): JsonObject | undefined {
  const response = objectIn(holder, 'Response') ?? objectIn(holder, 'response');
  return (
    objectIn(holder, 'error') ??
    objectsIn(holder, 'errors')[0] ??
    objectIn(holder, 'base_resp') ??
    objectIn(response, 'Error') ??
    objectIn(response, 'error') ??
    objectIn(holder, 'header') ??
    objectIn(holder, 'detail')
  );
}

/** FastAPI lists validation errors with location and reason. */
function detailOf(holder: JsonObject): string {
  return objectsIn(holder, 'detail')
    .map((item) => {
      const field = Array.isArray(item.loc) ? `${item.loc.join('.')}: ` : '';
      return field + (textIn(item, 'msg') ?? '');
    })
    .join('; ');
}
