/** Builds the error response of a failed model call in the OpenAI dialect. */
import { writeChatError } from '../../dialects/openai/errors.ts';
import {
  type OpenAiErrorBody,
  openAiError,
  withRequestId,
} from '../../domain/errors/error-shapes.ts';
import { AppError, asAppError } from '../../domain/errors/errors.ts';
import { errorText, type Language } from '../../locales/text.ts';
import type { Logger } from '../../log.ts';
import type { Observer } from '../../observe/observer.ts';
import { ClientLeft, UpstreamFailure } from '../failures/failed-attempt.ts';

export interface ErrorReader {
  readonly requestId: string;
  readonly language: Language | undefined;
  readonly log: Logger;
  readonly observer?: Observer;
}

export interface ErrorAnswer {
  readonly status: number;
  /** Replaces `status` in the Responses dialect. */
  readonly responsesStatus?: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OpenAiErrorBody;
}

/**
 * Renders any thrown value: gateway errors from the catalogue, upstream errors as they were read,
 * everything else as `internal`.
 */
export function openAiErrorOf(thrown: unknown, reader: ErrorReader): ErrorAnswer {
  if (thrown instanceof UpstreamFailure) return upstreamAnswer(thrown, reader);
  const error = asAppError(thrown);
  reader.observer?.errorReturned('model', error.code);
  // Do not log catalogue refusals and client disconnects, which are normal.
  const isOurFault = error.cause !== undefined || error.code === 'internal';
  if (isOurFault && error.status >= 500 && !isClientLeaving(thrown))
    reader.log.error(
      { err: error.cause ?? error, code: error.code, request_id: reader.requestId },
      'a model call failed',
    );
  return {
    status: error.status,
    responsesStatus: error.kindRow.responsesHttp,
    headers: {
      ...error.headers,
      ...retryHeaders(error.retryAfterSec ?? error.kindRow.retryAfterSec),
      // Claude Code, which can fetch another key, otherwise retries a 401 for minutes.
      ...((error.isPermanent || error.status === 401) && STOP),
    },
    body: openAiError({
      message: withRequestId(errorText(error, reader.language), reader.requestId),
      type: error.kindRow.openai,
      param: error.param,
      code: error.row.wire ?? error.code,
    }),
  };
}

/** Node's error code for a response whose connection closed before its end. */
const CLOSED_EARLY = 'ERR_STREAM_PREMATURE_CLOSE';

function isClientLeaving(thrown: unknown): boolean {
  if (thrown instanceof ClientLeft) return true;
  return thrown instanceof Error && 'code' in thrown && thrown.code === CLOSED_EARLY;
}

function upstreamAnswer(
  failure: UpstreamFailure,
  { requestId, language = 'en' }: ErrorReader,
): ErrorAnswer {
  const { shown, cause } = failure;
  // The gateway's own words for an upstream that did not answer.
  const message = cause instanceof AppError ? errorText(cause, language) : shown.message;
  return {
    status: shown.status,
    headers: isPermanent(failure)
      ? STOP
      : retryHeaders(
          shown.retryAfterMs === undefined
            ? undefined
            : Math.max(1, Math.ceil(shown.retryAfterMs / 1000)),
        ),
    body: writeChatError({ ...shown, message, requestId }),
  };
}

/** OpenAI's and Anthropic's SDKs obey this header for any status. */
const STOP = { 'x-should-retry': 'false' } as const;

/** A closed or exhausted account and wrong settings do not recover until an operator acts. */
function isPermanent({ upstream, cause }: UpstreamFailure): boolean {
  return upstream.disablesKey || (cause instanceof AppError && cause.isPermanent);
}

function retryHeaders(retryAfterSec: number | undefined): Record<string, string> {
  return retryAfterSec === undefined ? {} : { 'retry-after': String(retryAfterSec) };
}
