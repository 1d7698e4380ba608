/** The only place that builds the wire form of an error. Pure: text in, body out. */
import type { AppError, ErrorRow } from './errors.ts';

export interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

export interface ErrorFacts {
  readonly message: string;
  readonly type: string;
  readonly param?: string | null | undefined;
  readonly code?: string | null | undefined;
}

/** OpenAI's format (platform.openai.com/docs/guides/error-codes); also used in broken streams. */
export function openAiError(facts: ErrorFacts): OpenAiErrorBody {
  return {
    error: {
      message: facts.message,
      type: facts.type,
      param: facts.param ?? null,
      code: facts.code ?? null,
    },
  };
}

/**
 * The management API's format; includes the parameters for clients that localise the text, and in
 * `errors` every wrong field of the input.
 * @param problemText Words the problem of one field, without the field's name.
 */
export function envelopeError(
  message: string,
  error: AppError,
  problemText: (problem: AppError) => string,
) {
  const { code, param, problems } = error;
  const params = wireParams(error);
  return {
    success: false,
    message,
    code,
    ...(param === undefined ? {} : { param }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(problems.length === 0
      ? {}
      : { errors: problems.map((problem) => fieldError(problem, problemText(problem))) }),
  };
}

/** A problem with a reason is worded by the reader, so its English text is left out. */
function wireParams({ params: { problem, ...params } }: AppError): AppError['params'] {
  return problem === undefined || params.reason !== undefined ? params : { ...params, problem };
}

/**
 * One wrong or doubtful field. The code is the reason if the problem has one, such as `too_small`.
 */
export function fieldError({ code, param, params: all }: AppError, message: string) {
  const { field: _, reason = code, problem: __, key: ___, ...params } = all;
  return { field: param, code: String(reason), params, message };
}

/** Other errors return 200 with `success: false`, as clients of compatible gateways expect. */
const ENVELOPE_STATUSES: ReadonlySet<number> = new Set([401, 405, 413, 415, 429, 500, 503]);

/**
 * HTTP status of an error in the management API.
 * @param ofCall The status of a call whose contract requires another than 200.
 */
export function envelopeStatus(row: ErrorRow, status: number, ofCall = 200): number {
  if (row.envelopeHttp !== undefined) return row.envelopeHttp;
  return ENVELOPE_STATUSES.has(status) ? status : ofCall;
}

/** Appends the request id, so that users can quote it and operators can look it up. */
export function withRequestId(message: string, requestId: string): string {
  return `${message} (request id: ${requestId})`;
}

/** Reverses `withRequestId`; the id is '' if the message has none. */
export function splitRequestId(text: string): {
  readonly message: string;
  readonly requestId: string;
} {
  const [, message = text, requestId = ''] = /^(.*) \(request id: ([^)]*)\)$/s.exec(text) ?? [];
  return { message, requestId };
}
