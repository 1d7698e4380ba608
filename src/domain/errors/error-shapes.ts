/** The only place that builds the wire form of an error. Pure: text in, body out. */
import type { AppError } from './errors.ts';

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

/** The management API's format; includes the parameters for clients that localise the text. */
export function envelopeError(message: string, error: AppError) {
  const { code, param, params } = error;
  return {
    success: false,
    message,
    code,
    ...(param === undefined ? {} : { param }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
  };
}

/** Appends the request id, so that users can quote it and operators can look it up. */
export function withRequestId(message: string, requestId: string): string {
  return `${message} (request id: ${requestId})`;
}
