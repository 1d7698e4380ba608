/**
 * Builds the HTTP server: root (request id), management API, model API and console. Each hook lives
 * in the narrowest scope that needs it.
 */
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { AppError } from '../domain/errors/errors.ts';
import type { Relay } from '../relay/call/relay-ports.ts';
import { newRequestId } from '../relay/call/request-id.ts';
import { openAiErrorOf } from '../relay/translate/error-response.ts';
import type { SettlementFault } from '../store/sql/sql-dialect.ts';
import { acceptUpgrades } from './connections/upgrades.ts';
import { type AddressOf, clientAddress, proxyTrust } from './request/client-address.ts';
import { requestLanguage } from './request/language.ts';
import { addressRateLimits } from './request/request-checks.ts';
import { handleInvalidBytes, handleInvalidUrl } from './response/unreadable-request.ts';
import { apiRoutes } from './routes/api-routes.ts';
import { consoleRoutes } from './routes/console.ts';
import { consolePage } from './routes/console-page.ts';
import { dialectRoutes } from './routes/dialect-routes.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoute, type ReadSeries } from './routes/metrics.ts';
import { routedUrl } from './routes/misplaced-path.ts';
import { notFoundHandler } from './routes/not-found.ts';
import { realtimeRoutes } from './routes/realtime-routes.ts';
import { relayRoutes } from './routes/relay-routes.ts';
import { taskRoutes } from './routes/task-routes.ts';

export interface ServerParts {
  readonly ctx: Context;
  readonly relay: Relay;
  /** Folder of the built console; undefined serves only the API. */
  readonly webRoot: string | undefined;
  /** While draining, health checks fail and connections are not kept alive. */
  readonly ending: { readonly isDraining: boolean; readonly takesCalls: boolean };
  /** All metric series, if they are scraped on this port. */
  readonly series?: ReadSeries | undefined;
  /** Tests with a real write why the database accepts no writes; undefined if it does. */
  readonly canWrite: () => Promise<SettlementFault | undefined>;
}

export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { ctx, relay, webRoot, ending, series, canWrite } = parts;
  const newId = () => newRequestId(ctx.now());
  const app = Fastify({
    logger: false,
    genReqId: newId,
    rewriteUrl: routedUrl,
    requestIdHeader: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
    ...requestTimeouts(ctx.config.requestTimeoutMs),
    // The hook below refuses such calls in the usual error form.
    return503OnClosing: false,
    frameworkErrors: handleInvalidUrl,
    clientErrorHandler: handleInvalidBytes(newId),
  });
  app.decorateRequest('accountLanguage', undefined);
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  // Hooks that run for every call use callbacks: a promise each would cost an extra microtask.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Keeps browsers from treating echoed input as a page or a script.
    reply.header('x-content-type-options', 'nosniff');
    if (ending.isDraining) reply.header('connection', 'close');
    const isRefused = isClosing || (!ending.takesCalls && isCall(request));
    done(isRefused ? new AppError('shutting_down', {}, { retryAfterSec: 1 }) : undefined);
  });
  // Catches errors that no narrower scope handles; reveals nothing about the error.
  app.setErrorHandler((error, request, reply) => {
    const { log, observer } = ctx;
    const reader = { requestId: request.id, language: requestLanguage(request), log, observer };
    const { status, body } = openAiErrorOf(error, reader);
    return reply.code(status).send(body);
  });
  const addressOf = addressRule(ctx);
  await app.register(healthRoutes, { ctx, ending, canWrite });
  if (series !== undefined) await app.register(metricsRoute, { config: ctx.config, read: series });
  const countRequest = addressRateLimits(ctx);
  await app.register(apiRoutes, { ctx, addressOf, countRequest });
  await app.register(relayRoutes, { relay, addressOf, countRequest });
  await app.register(taskRoutes, { relay, addressOf });
  const upgrades = acceptUpgrades(app);
  await app.register(dialectRoutes, { relay, addressOf, upgrades });
  await app.register(realtimeRoutes, { relay, addressOf, upgrades });
  const page =
    webRoot === undefined
      ? undefined
      : await consolePage({ ctx, webRoot, addressOf, countRequest });
  if (webRoot !== undefined && page !== undefined)
    await app.register(consoleRoutes, { ctx, webRoot, page });
  const refuseUnknown = notFoundHandler(app, { ctx, page });
  app.setNotFoundHandler(refuseUnknown);
  // Runs before the body is read, so that unknown paths do not cause megabytes to be read and
  // parsed.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuseUnknown(request, reply).catch(done);
    else done();
  });
  return app;
}

/** Whether the request is a model call: everything else uses GET or is below /api. */
function isCall({ method, url }: FastifyRequest): boolean {
  return method === 'POST' && !url.startsWith('/api/');
}

const HEADERS_TIMEOUT_MS = 60_000;
const CONNECTION_CHECK_MS = 30_000;

/**
 * How long a client may take to send its whole request, so that a connection that sends a byte now
 * and then is not kept forever. Responses are not limited. 0 means no limit.
 */
function requestTimeouts(requestTimeout: number) {
  if (requestTimeout === 0) return {};
  return {
    requestTimeout,
    http: {
      requestTimeout,
      // Node requires it to be the shorter of the two.
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout - 1),
      connectionsCheckingInterval: Math.min(CONNECTION_CHECK_MS, requestTimeout),
    },
  };
}

function addressRule(ctx: Context): AddressOf {
  const trusts = proxyTrust(ctx.config.trustedProxies);
  return (request) => {
    const options = ctx.options();
    const provider = options.get('ReverseProxyProvider');
    const rule = { enabled: options.get('ReverseProxyEnabled'), provider, trusts };
    return clientAddress(request.socket.remoteAddress ?? '', request.headers, rule);
  };
}
