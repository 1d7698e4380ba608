/** Writes errors of the management API in its response envelope. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { envelopeError, envelopeStatus, withRequestId } from '../../domain/errors/error-shapes.ts';
import { AppError, asAppError } from '../../domain/errors/errors.ts';
import { allProblemsText, problemText } from '../../locales/text.ts';
import { notWritable } from '../../services/cluster/write-check.ts';
import { writeFault } from '../../store/sql/sql-dialect.ts';
import { managementLanguage } from '../request/language.ts';

export function envelopeErrors(
  app: FastifyInstance,
  ctx: Context,
  failureStatusOf: (request: FastifyRequest) => number | undefined,
): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = asAppError(asOwnError(thrown, request));
    const status = envelopeStatus(error.row, error.status, failureStatusOf(request));
    ctx.observer.errorReturned('management', error.code);
    if (status >= 500)
      ctx.log.error(
        { err: error.cause ?? error, request_id: request.id },
        'a management call failed',
      );
    if (error.retryAfterSec !== undefined) reply.header('retry-after', String(error.retryAfterSec));
    return sendEnvelopeError(ctx, reply.code(status), error, request);
  });
}

/** Bypasses the reply schema, which describes only successful responses. */
export function sendEnvelopeError(
  ctx: Pick<Context, 'options'>,
  reply: FastifyReply,
  error: AppError,
  request: FastifyRequest,
): FastifyReply {
  const language = managementLanguage(ctx, request);
  const text = allProblemsText(error, language);
  // Its cause is only in the log, under this id.
  const message = error.code === 'internal' ? withRequestId(text, request.id) : text;
  const body = envelopeError(message, error, (problem) => problemText(problem, language));
  return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}

/** Maps Fastify's own body errors to our error catalogue. */
function asOwnError(thrown: unknown, { routeOptions }: FastifyRequest): unknown {
  if (!(thrown instanceof Error) || thrown instanceof AppError) return thrown;
  if (writeFault(thrown) !== undefined) return notWritable(thrown);
  const { code = '', statusCode = 500 } = thrown as Error & { code?: string; statusCode?: number }; // FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return routeOptions.bodyLimit > BODY_LIMIT
      ? new AppError('body_too_large', { limit: routeOptions.bodyLimit })
      : new AppError('input_too_large', { limit: BODY_LIMIT });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new AppError('body_type_unknown', {}, { cause: thrown });
  return statusCode >= 400 && statusCode < 500
    ? new AppError('body_not_json', { position: 0 }, { cause: thrown })
    : thrown;
}

/** Maximum bytes of a management call's body. */
export const BODY_LIMIT = 4 * 1024 * 1024;
