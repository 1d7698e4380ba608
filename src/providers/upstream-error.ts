/**
 * Reads whatever an upstream says when it fails into one shape, leniently: an empty body, a web page
 * and JSON of any kind all give a sentence. What the client is shown of it is decided elsewhere.
 */
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from './json.ts';

export interface UpstreamError {
  /** As it came, before any mapping; for an error inside a 200 the status it stands for. */
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string;
  readonly retryAfterMs?: number;
  /** Another channel may do better: `shouldRetry` of the status, or an account's trouble told as 400. */
  readonly retryable: boolean;
  /** The error itself says that the key is of no more use, by status, code or type. */
  readonly disablesKey: boolean;
}

export interface UpstreamReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bodyText: string;
  readonly nowMs: number;
}

/** A page or a stack trace is cut here: an error message is read by people. */
const MAX_MESSAGE_CHARS = 1000;

/** The error of an answer that is not 2xx. Never throws. */
export function readUpstreamError(reply: UpstreamReply): UpstreamError {
  const said = readBody(reply.bodyText);
  const retryAfterMs = readRetryAfter(reply.headers, reply.nowMs);
  return finish({ ...said, status: reply.status }, retryAfterMs);
}

/**
 * The error inside an answer with status 200: several providers report every failure that way, and
 * an answer that is really an error must not be billed. Undefined when it is an answer.
 */
export function errorInside200(json: unknown): UpstreamError | undefined {
  const holder = Array.isArray(json) ? json[0] : json;
  if (!isObject(holder)) return undefined;
  const found = FAILURES.map((read) => read(holder)).find((failure) => failure !== undefined);
  if (found === undefined) return undefined;
  const said = readHolder(found.error ?? holder);
  return finish({ ...said, code: said.code || found.code, status: found.status });
}

interface Said {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string;
}

const NOTHING: Said = { message: '', type: '', code: '', param: '' };

function finish(said: Said & { status: number }, retryAfterMs?: number): UpstreamError {
  const { status } = said;
  const hasNothing = said.message === '' && said.type === '' && said.code === '';
  const message = said.message || `bad response status code ${status}`;
  const error = {
    status,
    message:
      message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}...` : message,
    type: said.type || 'upstream_error',
    code: said.code || 'bad_response_status_code',
    param: said.param || (hasNothing ? String(status) : ''),
  };
  return {
    ...error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    retryable: shouldRetry(status) || (status === 400 && isAccountTrouble(error)),
    disablesKey: disables(error),
  };
}

function readBody(bodyText: string): Said {
  const text = bodyText.trim();
  const json = parseJson(text) ?? parseJson(sseData(text));
  if (json !== undefined && typeof json !== 'string') return readHolder(json);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1];
  const isPage = /^<(!doctype|html)/i.test(text);
  const message = typeof json === 'string' ? json : isPage ? (title ?? '') : text;
  return { ...NOTHING, message: message.trim().replaceAll(/\s+/g, ' ') };
}

/** Some gateways frame even the body of a 4xx as an event. */
function sseData(text: string): string {
  return /^data: ?(?!\[DONE\])(.*)$/m.exec(text)?.[1] ?? '';
}

/** Where the sentence is, in the order of trust. */
function readHolder(json: unknown): Said {
  const holder = Array.isArray(json) ? json[0] : json;
  if (!isObject(holder)) return { ...NOTHING, message: typeof holder === 'string' ? holder : '' };
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

/** The object that speaks of the failure, where it is not the answer itself. */
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

/** FastAPI lists what it refuses: place and reason of each. */
function detailOf(holder: JsonObject): string {
  return objectsIn(holder, 'detail')
    .map((item) => {
      const place = Array.isArray(item.loc) ? `${item.loc.join('.')}: ` : '';
      return place + (textIn(item, 'msg') ?? '');
    })
    .join('; ');
}

interface Failure {
  readonly status: number;
  readonly code: string;
  /** The part that speaks of it; the whole answer when absent. */
  readonly error?: JsonObject;
}

/** MiniMax and iFlytek numbers whose meaning has a status; all others are a 500. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
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

const FAILURES: readonly ((holder: JsonObject) => Failure | undefined)[] = [
  (holder) => {
    if (!holder.error) return undefined;
    return failureOf(textIn(objectIn(holder, 'error'), 'code') ?? '');
  },
  (holder) => {
    const choice = objectsIn(holder, 'choices').find((item) => isObject(item.error));
    return (
      choice && { ...failureOf(textIn(choice.error, 'code') ?? ''), error: { error: choice.error } }
    );
  },
  (holder) => nonZero(objectIn(holder, 'base_resp'), 'status_code'),
  (holder) => objectIn(objectIn(holder, 'Response'), 'Error') && failureOf(''),
  (holder) => nonZero(holder, 'error_code'),
  (holder) => nonZero(objectIn(holder, 'header'), 'code'),
  (holder) => (holder.object === 'error' ? failureOf(textIn(holder, 'code') ?? '') : undefined),
  (holder) => (holder.success === false ? failureOf('') : undefined),
  (holder) => {
    const isAnswer = ['choices', 'data', 'results', 'output', 'result'].some(
      (name) => holder[name] != null,
    );
    const speaks = textIn(holder, 'message') ?? textIn(holder, 'msg');
    return isAnswer || speaks === undefined ? undefined : nonZero(holder, 'code');
  },
];

function nonZero(holder: JsonObject | undefined, field: string): Failure | undefined {
  const code = textIn(holder, field);
  return code === undefined || code === '0' ? undefined : failureOf(code);
}

/** An inner code that is a status is taken as one. */
function failureOf(code: string): Failure {
  const status = Number(code);
  const isStatus = Number.isInteger(status) && status >= 400 && status < 600;
  return { status: isStatus ? status : (STATUS_OF_CODE[code] ?? 500), code };
}

/** Milliseconds to wait, from `retry-after-ms` or `retry-after` (RFC 9110 10.2.3: seconds or a date). */
export function readRetryAfter(
  headers: UpstreamReply['headers'],
  nowMs: number,
): number | undefined {
  const inMs = numberIn(headers, 'retry-after-ms');
  if (inMs !== undefined) return Math.max(0, inMs);
  const value = textIn(headers, 'retry-after');
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, Math.round(waitMs));
}

export interface RetryQuestion {
  /** The gateway itself refused: another channel would refuse the same. */
  readonly isLocal?: boolean;
  readonly isChannelChosenByClient?: boolean;
  readonly channelType?: number;
}

const CLAUDE_TYPE = 14;

/** Whether another channel should be asked. `status` is the one after the channel's mapping. */
export function shouldRetry(status: number, question: RetryQuestion = {}): boolean {
  if (question.isLocal || question.isChannelChosenByClient) return false;
  if (status === 429 || status === 307) return true;
  if (status === 504 || status === 524) return false;
  if (status >= 500 && status < 600) return true;
  if (status === 400) return question.channelType === CLAUDE_TYPE;
  if (status === 408) return false;
  return status < 200 || status >= 300;
}

/** The channel's `status_code_mapping`, text to text; a target that is no status is ignored. */
export function mapStatus(mapping: Readonly<Record<string, unknown>>, status: number): number {
  if (status === 200) return status;
  const target = textIn(mapping, String(status));
  return target !== undefined && /^[1-5]\d\d$/.test(target) ? Number(target) : status;
}

const DISABLING_CODES = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const DISABLING_TYPES = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]);
const GEMINI_TYPE = 24;

export interface DisableQuestion {
  readonly channelType: number;
  /** Lines of the option; compared without case. */
  readonly keywords: readonly string[];
}

/** Asked of the original status and text, before mapping and hiding. Says nothing of the options. */
export function shouldDisable(error: UpstreamError, question: DisableQuestion): boolean {
  if (error.disablesKey) return true;
  if (error.status === 403 && question.channelType === GEMINI_TYPE) return true;
  const message = error.message.toLowerCase();
  return question.keywords.some((line) => {
    const keyword = line.trim().toLowerCase();
    return keyword !== '' && message.includes(keyword);
  });
}

function disables(error: { status: number; code: string; type: string }): boolean {
  return (
    error.status === 401 ||
    DISABLING_CODES.has(error.code) ||
    DISABLING_TYPES.has(error.type) ||
    DISABLING_TYPES.has(error.code)
  );
}

/** What some providers answer with 400 though only this account or this server is meant. */
const ACCOUNT_TROUBLE =
  /credit balance|spend(ing)? limit|insufficient (balance|quota|credit)|quota exceeded|api key not valid|api_key_invalid|model.{0,40}not supported|余额不足|欠费/i;

function isAccountTrouble(error: { message: string; code: string }): boolean {
  return ACCOUNT_TROUBLE.test(error.message) || ACCOUNT_TROUBLE.test(error.code);
}
