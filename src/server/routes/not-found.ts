/**
 * Unknown paths: a 404 (or 405) in the client's dialect under the APIs, the console's page
 * elsewhere. If the base URL has a wrong prefix, the error names the correct path.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Context } from '../../context.ts';
import { openAiError } from '../../domain/errors/error-shapes.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { errorText } from '../../locales/text.ts';
import { isAnthropicCall } from '../../relay/call/incoming-call.ts';
import { requestLanguage } from '../request/language.ts';
import { sendEnvelopeError } from '../response/envelope-errors.ts';
import {
  dialectErrorFormatter,
  type ErrorFormatter,
  openAiErrorFormatter,
} from '../response/error-form.ts';
import type { ConsolePage } from './console-page.ts';
import { foreignPath, misplacedPath } from './misplaced-path.ts';

const API_PATH =
  /^\/(v1|v2|rerank|hf|v1beta|api|assets|mj(-\w+)?|suno|kling|pg|health|metrics)(\/|$)/;
/** Dot names are requested by scanners and are never pages. */
const DOT_PATH = /\/(\.|%2e)/i;
const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'DELETE'];

function isPage(path: string): boolean {
  return !API_PATH.test(path) && !DOT_PATH.test(path);
}

interface NotFoundParts {
  readonly ctx: Pick<Context, 'options'>;
  /** Undefined when only the API is served. */
  readonly page: ConsolePage | undefined;
}

export function notFoundHandler(app: FastifyInstance, { ctx, page }: NotFoundParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] ?? '';
    const instead = misplacedPath(path)?.instead;
    const foreign = foreignPath(path);
    const isForPage = instead === undefined || wantsPage(request);
    if (page !== undefined && request.method === 'GET' && isPage(path) && isForPage)
      return page(request, reply);
    const allowed = METHODS.filter(
      (method) =>
        method !== request.method &&
        app.findRoute({ method, url: path.replace(/\/$/, '') }) !== null,
    );
    const params = { method: request.method, path };
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    const error =
      foreign === undefined
        ? pathError(allowed.length > 0, params, instead)
        : new AppError('interface_unserved', { ...params, ...foreign });
    if (isManagement(path) && instead === undefined && foreign === undefined)
      return sendEnvelopeError(ctx, reply.code(error.status), error, request);
    const language = requestLanguage(request);
    const body = openAiError({
      message: errorText(error, language),
      type: 'invalid_request_error',
      param: '',
      code: error.row.wire ?? error.code,
    });
    const answer = errorFormatterFor(request, path)(
      { status: error.status, headers: {}, body },
      request,
    );
    return reply.code(answer.status).send(answer.body);
  };
}

function isManagement(path: string): boolean {
  return /^\/api(\/|$)/.test(path);
}

interface RequestedPath {
  readonly method: string;
  readonly path: string;
}

function pathError(
  isMethodWrong: boolean,
  requested: RequestedPath,
  instead: string | undefined,
): AppError {
  if (isMethodWrong) return new AppError('method_wrong', { ...requested });
  if (instead === undefined) return new AppError('route_unknown', { ...requested });
  return new AppError('base_url_wrong', { ...requested, instead });
}

/** Browsers accept HTML by name; programs accept JSON or anything. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

const anthropicForm = dialectErrorFormatter('anthropic');
const geminiForm = dialectErrorFormatter('gemini');

function errorFormatterFor({ headers }: FastifyRequest, path: string): ErrorFormatter {
  if (/^(\/hf)?\/v1\/messages\//.test(path) || isAnthropicCall({ headers })) return anthropicForm;
  if (/^(\/hf)?\/v1beta\//.test(path) || headers['x-goog-api-key'] !== undefined) return geminiForm;
  return openAiErrorFormatter;
}
