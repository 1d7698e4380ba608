/** The only place that gives an error its form on the wire. Pure: text in, body out. */

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

/** The management API's form. */
export function envelopeError(message: string, code: string, param?: string) {
  return { success: false, message, code, ...(param === undefined ? {} : { param }) };
}

/** Every message of a model call ends so that a user can quote it and an operator can find it. */
export function withRequestId(message: string, requestId: string): string {
  return `${message} (request id: ${requestId})`;
}
