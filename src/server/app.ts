/**
 * The HTTP server, put together by hand: root (request id), management API, model API, console.
 * A hook lives in the narrowest scope that needs it.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { openAiErrorOf } from '../relay/error-answer.ts';
import type { Relay } from '../relay/relay-context.ts';
import { newRequestId } from '../relay/request-id.ts';
import { apiRoutes } from './api-routes.ts';
import { type AddressOf, clientAddress, proxyTrust } from './client-address.ts';
import { consolePage, consoleRoutes } from './console.ts';
import { healthRoutes } from './health.ts';
import { languageOf } from './language.ts';
import { notFound } from './not-found.ts';
import { maxBodyBytes, relayRoutes } from './relay-routes.ts';
import { refuseAddress, refuseBytes } from './unreadable.ts';

export interface ServerParts {
  readonly ctx: Context;
  readonly relay: Relay;
  /** Folder of the built console; undefined serves the API alone. */
  readonly webRoot: string | undefined;
}

export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { ctx, relay, webRoot } = parts;
  const newId = () => newRequestId(ctx.now());
  const app = Fastify({
    logger: false,
    genReqId: newId,
    requestIdHeader: false,
    bodyLimit: maxBodyBytes(relay),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
    // Said below in the form of every other error.
    return503OnClosing: false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseBytes(newId),
  });
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (isClosing) throw new AppError('shutting_down', {}, { retryAfterSec: 1 });
  });
  // Whatever a narrower scope does not handle: nothing of the error is shown.
  app.setErrorHandler((error, request, reply) => {
    const reader = { requestId: request.id, language: languageOf(request), log: ctx.log };
    const { status, body } = openAiErrorOf(error, reader);
    return reply.code(status).send(body);
  });
  const addressOf = addressRule(ctx);
  await app.register(healthRoutes, { ctx });
  await app.register(apiRoutes, { ctx });
  await app.register(relayRoutes, { relay, addressOf });
  if (webRoot !== undefined) await app.register(consoleRoutes, { webRoot });
  app.setNotFoundHandler(notFound(app, await consolePage(webRoot)));
  return app;
}

function addressRule(ctx: Context): AddressOf {
  const trusts = proxyTrust(ctx.config.trustedProxies);
  return (request) => {
    const options = ctx.options();
    const provider = options.get('ReverseProxyProvider') === 'cloudflare' ? 'cloudflare' : 'nginx';
    const rule = { enabled: options.get('ReverseProxyEnabled'), provider, trusts } as const;
    return clientAddress(request.socket.remoteAddress ?? '', request.headers, rule);
  };
}
