/**
 * The model API. Turns Fastify's request into plain values, calls the relay, and gives back what it
 * answers. No rule of a call lives here.
 */
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import { openAiErrorOf } from '../relay/error-answer.ts';
import type { ClientPresence, Endpoint, Incoming } from '../relay/incoming.ts';
import { listModels, oneModel } from '../relay/model-list.ts';
import { relayCall } from '../relay/relay.ts';
import type { Relay } from '../relay/relay-context.ts';
import type { AddressOf } from './client-address.ts';
import { languageOf } from './language.ts';

const PREFIXES = ['/v1', '/hf/v1'];

/** Below each prefix. */
const CALLS: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  ['/chat/completions', 'chat'],
  ['/completions', 'completions'],
  ['/embeddings', 'embeddings'],
  ['/engines/:model/embeddings', 'embeddings'],
  ['/moderations', 'moderations'],
];

export interface RelayRouteOptions {
  readonly relay: Relay;
  readonly addressOf: AddressOf;
}

/** One scope per prefix: the answer to a browser's preflight is a route for all paths of its scope. */
export async function relayRoutes(app: FastifyInstance, options: RelayRouteOptions): Promise<void> {
  for (const prefix of PREFIXES)
    await app.register((scope) => modelApi(scope, options), { prefix });
}

async function modelApi(app: FastifyInstance, options: RelayRouteOptions): Promise<void> {
  const { relay, addressOf } = options;
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    exposedHeaders: ['x-request-id', 'retry-after'],
  });
  // Every body is read as JSON, whatever a client, or a proxy that repeats the header, says of it.
  app.addHook('onRequest', async (request) => {
    request.raw.headers['content-type'] = 'application/json';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = openAiErrorOf(bodyError(error, relay), {
      requestId: request.id,
      language: languageOf(request),
      log: relay.ctx.log,
    });
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
  });

  for (const [path, endpoint] of CALLS) {
    app.post(path, async (request, reply) => {
      const answer = await relayCall(relay, incoming(request, reply, endpoint, addressOf));
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    });
  }
  app.get('/models', async (request, reply) =>
    listModels(relay, incoming(request, reply, 'chat', addressOf)),
  );
  app.get<{ Params: { '*': string } }>('/models/*', async (request, reply) =>
    oneModel(relay, incoming(request, reply, 'chat', addressOf), request.params['*']),
  );
}

/** Fastify's own body errors, in our catalogue. */
function bodyError(error: unknown, relay: Relay): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new AppError('body_too_large', { limit: maxBodyBytes(relay) });
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return new AppError('body_missing');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new AppError('body_missing', {}, { cause: error });
  return error;
}

export function maxBodyBytes(relay: Relay): number {
  return Math.floor(relay.ctx.config.maxBodyMb * 1024 * 1024);
}

function incoming(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  addressOf: AddressOf,
): Incoming {
  const pathModel = (request.params as { model?: string }).model; // only the engines route has one
  return {
    requestId: request.id,
    endpoint,
    method: request.method,
    path: request.url,
    query: singleValues(request.query),
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    ...(pathModel === undefined ? {} : { pathModel }),
    address: addressOf(request),
    client: presenceOf(reply),
    receivedAtMs: Date.now(),
  };
}

/** Of a name that stands several times in the query the first value counts. */
function singleValues(query: unknown): Incoming['query'] {
  const entries = Object.entries(query as Readonly<Record<string, string | string[]>>); // as Fastify parses it
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

/** A response that closes before it was written in full means that the client has left. */
function presenceOf(reply: FastifyReply): ClientPresence {
  let leftAtMs: number | undefined;
  const callbacks: (() => void)[] = [];
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    leftAtMs = Date.now();
    for (const callback of callbacks) callback();
  });
  return {
    get leftAtMs() {
      return leftAtMs;
    },
    onLeave(callback) {
      if (leftAtMs === undefined) callbacks.push(callback);
      else callback();
    },
  };
}
