/** Unknown paths: an OpenAI-shaped 404 (or 405) under the APIs, the console's page elsewhere. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { openAiError } from '../domain/error-shapes.ts';
import { AppError } from '../domain/errors.ts';
import { errorText } from '../locales/text.ts';
import type { AddressOf } from './client-address.ts';
import type { ConsolePage } from './console-page.ts';
import type { TakePlace } from './gates.ts';
import { languageOf } from './language.ts';

const API_PATH = /^\/(v1|v2|rerank|hf|v1beta|api|assets|mj(-\w+)?|suno|kling|pg|health)(\/|$)/;
const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'DELETE'];

interface NotFoundParts {
  /** Undefined where the API is served alone. */
  readonly page: ConsolePage | undefined;
  readonly addressOf: AddressOf;
  readonly takePlace: TakePlace;
}

export function notFound(app: FastifyInstance, { page, addressOf, takePlace }: NotFoundParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] ?? '';
    if (page !== undefined && request.method === 'GET' && !API_PATH.test(path)) {
      await takePlace('web', addressOf(request));
      return page.send(reply);
    }
    const allowed = METHODS.filter(
      (method) =>
        method !== request.method &&
        app.findRoute({ method, url: path.replace(/\/$/, '') }) !== null,
    );
    const params = { method: request.method, path };
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    const error = new AppError(allowed.length > 0 ? 'method_wrong' : 'route_unknown', params);
    const message = errorText(error, languageOf(request));
    return reply.code(error.status).send(
      openAiError({
        message,
        type: 'invalid_request_error',
        param: '',
        code: error.row.wire ?? error.code,
      }),
    );
  };
}
