/**
 * Unknown paths: a 404 (or 405) in the client's dialect under the APIs, the console's page
 * elsewhere. If the base URL has a wrong prefix, the error names the correct path.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Context } from '../../context.ts';
import { openAiError } from '../../domain/errors/error-shapes.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { errorText } from '../../locales/text.ts';
import { requestLanguage } from '../request/language.ts';
import { sendEnvelopeError } from '../response/envelope-errors.ts';
import { errorFormatterFor, isManagement } from '../response/error-form.ts';
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
    const isUpgrade = request.headers.upgrade !== undefined;
    const isForPage = !isUpgrade && (instead === undefined || wantsPage(request));
    if (page !== undefined && request.method === 'GET' && isPage(path) && isForPage)
      return page(request, reply);
    const allowed = METHODS.filter(
      (method) =>
        method !== request.method &&
        app.findRoute({ method, url: path.replace(/\/$/, '') }) !== null,
    );
    const params = { method: request.method, path };
    if (allowed.length > 0 && !isUpgrade) reply.header('allow', allowed.join(', '));
    const error = errorOf({ isUpgrade, allowed, params, instead, foreign });
    if (isManagement(path) && instead === undefined && foreign === undefined)
      return sendEnvelopeError(ctx, reply.code(error.status), error, request);
    const language = requestLanguage(request);
    const body = openAiError({
      message: errorText(error, language),
      type: 'invalid_request_error',
      param: '',
      code: error.row.wire ?? error.code,
    });
    const format = errorFormatterFor(request.headers, path);
    const answer = format({ status: error.status, headers: {}, body });
    return reply.code(answer.status).send(answer.body);
  };
}

interface UnknownRoute {
  readonly isUpgrade: boolean;
  /** Methods that the path has. */
  readonly allowed: readonly string[];
  readonly params: { readonly method: string; readonly path: string };
  readonly instead: string | undefined;
  readonly foreign: ReturnType<typeof foreignPath>;
}

function errorOf({ isUpgrade, allowed, params, instead, foreign }: UnknownRoute): AppError {
  if (isUpgrade && allowed.includes('POST')) return new AppError('websocket_not_implemented');
  if (foreign !== undefined) return new AppError('interface_unserved', { ...params, ...foreign });
  if (allowed.length > 0) return new AppError('method_wrong', params);
  return instead === undefined
    ? new AppError('route_unknown', params)
    : new AppError('base_url_wrong', { ...params, instead });
}

/** Browsers accept HTML by name; programs accept JSON or anything. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}
