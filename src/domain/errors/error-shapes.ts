/** The only place that gives an error its form on the wire. Pure: text in, body out. */
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

/** OpenAI's form (platform.openai.com/docs/guides/error-codes); also the frame of a broken stream. */
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

/** The management API's form; with the parameters of its text, for who says it in other words. */
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

/** Every message of a model call ends so that a user can quote it and an operator can find it. */
export function withRequestId(message: string, requestId: string): string {
  return `${message} (request id: ${requestId})`;
}
