/** Error responses: OpenAI's statuses with the error body of each vendor and proxy. */
import type { Refusal, RefusalStyle } from '../plans/plan.ts';
import { filledFor, templates } from './templates.ts';

interface Detail {
  readonly status: number;
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
}

export interface ErrorBody {
  readonly contentType: string;
  readonly text: string;
}

type Usual = Pick<Detail, 'message' | 'type' | 'code'>;

const USUAL: Readonly<Record<number, Usual>> = {
  400: { message: 'The request is not valid.', type: 'invalid_request_error', code: null },
  401: {
    message: 'Incorrect API key provided.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  },
  403: { message: 'You may not use this.', type: 'permission_error', code: 'permission_denied' },
  404: {
    message: 'The model does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    code: 'model_not_found',
  },
  408: { message: 'The request took too long.', type: 'server_error', code: 'timeout' },
  429: {
    message: 'Rate limit reached. Please try again later.',
    type: 'requests',
    code: 'rate_limit_exceeded',
  },
  503: { message: 'The model is overloaded.', type: 'server_error', code: 'overloaded' },
};

const BROKEN: Usual = {
  message: 'The server had an error while processing your request.',
  type: 'server_error',
  code: null,
};

function usualFor(status: number): Usual {
  return USUAL[status] ?? (status >= 400 && status < 500 ? { ...BROKEN, ...USUAL[400] } : BROKEN);
}

const BODIES = templates('errors');

/** The error of a style as an object, by default OpenAI's. */
export function errorObject(detail: Detail, style: RefusalStyle = 'openai'): object {
  const { status } = detail;
  const values = {
    ...detail,
    isUnprocessable: status === 422,
    anthropicType: anthropicType(status),
    googleStatus: GOOGLE_STATUSES[status] ?? 'INTERNAL',
  };
  return filledFor(BODIES, style === 'inband' ? 'openai' : style, values) ?? {};
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function anthropicType(status: number): string {
  return ANTHROPIC_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

const GOOGLE_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Styles that are no JSON object. */
const TEXTS: Readonly<Partial<Record<RefusalStyle, (detail: Detail) => ErrorBody>>> = {
  html: ({ status }) => ({
    contentType: 'text/html; charset=UTF-8',
    text: `<!DOCTYPE html>\n<html><head><title>example.com | ${status}: Bad gateway</title></head>\n<body><center><h1>${status} Bad gateway</h1></center><hr><center>cloudflare</center></body></html>\n`,
  }),
  empty: () => ({ contentType: 'text/plain', text: '' }),
  sse: (detail) => ({
    contentType: 'text/event-stream',
    text: `event: error\ndata: ${JSON.stringify(errorObject(detail))}\n\n`,
  }),
  array: (detail) => json([errorObject(detail, 'array')]),
};

function json(value: object): ErrorBody {
  return { contentType: 'application/json', text: JSON.stringify(value) };
}

/** The details of a refusal, with the usual message of the status if the plan gives none. */
export function detailOf(refusal: Refusal): Detail {
  const usual = usualFor(refusal.status);
  return {
    status: refusal.status,
    message: refusal.message ?? usual.message,
    type: refusal.type === undefined ? usual.type : refusal.type,
    code: refusal.code === undefined ? usual.code : refusal.code,
    param: refusal.param ?? null,
  };
}

export function errorBody(refusal: Refusal): ErrorBody {
  const { style = 'openai' } = refusal;
  const detail = detailOf(refusal);
  return TEXTS[style]?.(detail) ?? json(errorObject(detail, style));
}
