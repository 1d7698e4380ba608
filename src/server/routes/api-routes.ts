/** Mounts every call of the management API's tables as a route. */
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { handledCalls } from '../../handlers.ts';
import { syntaxErrorAt } from '../../json/read-json.ts';
import { bindCall } from '../bind-call.ts';
import type { AddressOf } from '../request/client-address.ts';
import type { CountRequest } from '../request/request-checks.ts';
import { BODY_LIMIT, envelopeErrors } from '../response/envelope-errors.ts';
import { apiHeaders, PLAIN_PAGE } from '../response/security-headers.ts';
import { openApi } from './openapi.ts';
import { openApiPage } from './openapi-page.ts';

export interface ApiRouteOptions {
  readonly ctx: Context;
  readonly addressOf: AddressOf;
  readonly countRequest: CountRequest;
}

/** Smaller responses are not worth compressing. */
const COMPRESS_FROM_BYTES = 1024;

export async function apiRoutes(app: FastifyInstance, options: ApiRouteOptions): Promise<void> {
  const calls = handledCalls();
  const failureStatus = new Map(
    calls.flatMap(({ call }) =>
      [call, ...(call.also ?? [])].map((way) => [`${way.method} ${way.path}`, call.failureStatus]),
    ),
  );
  envelopeErrors(app, options.ctx, ({ method, routeOptions }) =>
    failureStatus.get(`${method} ${routeOptions.url ?? ''}`),
  );
  app.addHook('onRequest', apiHeaders(options.ctx));
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) =>
    options.ctx.observer.managementRequestEnded(
      method,
      routeOptions.url ?? '',
      statusCode,
      elapsedTime,
    ),
  );
  addBodyParsers(app);
  await app.register(cookie);
  await app.register(compress, { threshold: COMPRESS_FROM_BYTES, encodings: ['br', 'gzip'] });
  for (const handled of calls) bindCall(app, handled, options);
  serveOpenApi(app, options);
}

/** Serves the OpenAPI description, built at the first request because few processes need it. */
function serveOpenApi(
  app: FastifyInstance,
  { ctx, addressOf, countRequest }: ApiRouteOptions,
): void {
  const onRequest = (request: FastifyRequest) => countRequest('api', addressOf(request));
  let document: string | undefined;
  let page: string | undefined;
  app.get('/api/openapi.json', { onRequest }, async (_request, reply) => {
    document ??= JSON.stringify(openApi(handledCalls(), ctx.version));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  app.get('/api/docs', { onRequest }, async (_request, reply) => {
    page ??= openApiPage(handledCalls(), ctx.version);
    return reply.headers(PLAIN_PAGE).type('text/html; charset=utf-8').send(page);
  });
}

/** Accepts JSON, with an empty body as an empty object, and forms. Refuses compressed bodies. */
function addBodyParsers(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      throw new AppError('body_encoding_unknown', { encoding });
  });
  // 'error': refuses a body with the keys __proto__ or constructor.prototype.
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    (request, body, done) => {
      const text = body as string; // see parseAs
      if (text === '') return done(null, {});
      return parse(request, text, (cause, value) =>
        cause ? done(notJson(text, cause)) : done(null, value),
      );
    },
  );
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}

/** Says where JSON breaks; a forbidden key has no place of its own. */
function notJson(text: string, cause: Error): AppError {
  return new AppError('body_not_json', { position: syntaxErrorAt(text) ?? 0 }, { cause });
}
