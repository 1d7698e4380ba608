/**
 * The model API. Turns Fastify requests into plain values, calls the relay and returns its
 * response. Contains no business rules.
 */
import type { ServerResponse } from 'node:http';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors/errors.ts';
import { isForm } from '../../relay/body/form-reader.ts';
import {
  type ClientPresence,
  type Endpoint,
  type Incoming,
  isAnthropicCall,
  withAnthropicKey,
} from '../../relay/call/incoming-call.ts';
import type { Ports, Relay } from '../../relay/call/relay-ports.ts';
import { BILLING_PAGES, billingPage } from '../../relay/endpoints/billing-page.ts';
import { budgetPage } from '../../relay/endpoints/budget-page.ts';
import {
  listForAnthropic,
  listModels,
  oneForAnthropic,
  oneModel,
} from '../../relay/endpoints/model-list.ts';
import { playgroundCall } from '../../relay/endpoints/playground.ts';
import { relayCall } from '../../relay/relay-call.ts';
import { openAiErrorOf } from '../../relay/translate/error-response.ts';
import { uploadOf } from '../body/upload.ts';
import { sessionActor } from '../request/authenticate-request.ts';
import type { AddressOf } from '../request/client-address.ts';
import { requestLanguage } from '../request/language.ts';
import { type CountRequest, requireOwnOrigin } from '../request/request-checks.ts';
import {
  dialectErrorFormatter,
  type ErrorFormatter,
  openAiErrorFormatter,
} from '../response/error-form.ts';
import { sendAnswer } from '../response/send-answer.ts';
import { addScope } from '../route-scope.ts';
import { refusePaths } from './refused-paths.ts';

const PREFIXES = ['/v1', '/hf/v1'];

/** Relative to each prefix. */
const CALLS: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  ['/chat/completions', 'chat'],
  ['/completions', 'completions'],
  ['/embeddings', 'embeddings'],
  ['/engines/:model/embeddings', 'embeddings'],
  ['/moderations', 'moderations'],
  ['/images/generations', 'images'],
  ['/images/edits', 'imageEdits'],
  ['/images/variations', 'imageVariations'],
  ['/audio/speech', 'speech'],
  ['/audio/transcriptions', 'transcriptions'],
  ['/audio/translations', 'translations'],
  ['/rerank', 'rerank'],
];

/** Options shared by the scopes of all dialects. */
export interface DialectRouteOptions {
  readonly relay: Relay;
  readonly addressOf: AddressOf;
}
/** Other paths that clients of rerank services use. */
const RERANK_PATHS = [
  { prefix: '/v2', path: '/rerank' },
  { prefix: '/rerank', path: '/' },
] as const;

/** Paths of OpenAI's API that store objects upstream; this gateway stores none. */
const UNSERVED = [
  ...['assistants', 'batches', 'containers', 'conversations', 'evals', 'files', 'fine-tunes'],
  ...['fine_tuning', 'threads', 'uploads', 'vector_stores', 'videos'],
].flatMap((name) => [`/${name}`, `/${name}/*`]);

export interface RelayRouteOptions {
  readonly relay: Relay;
  readonly addressOf: AddressOf;
  readonly countRequest: CountRequest;
}

/** One scope per prefix, because the CORS preflight route covers all paths of its scope. */
export async function relayRoutes(app: FastifyInstance, options: RelayRouteOptions): Promise<void> {
  for (const prefix of PREFIXES) await addScope(app, prefix, (scope) => modelApi(scope, options));
  for (const { prefix, path } of RERANK_PATHS)
    await addScope(app, prefix, (scope) => rerankApi(scope, path, options));
  await addScope(app, '/dashboard', (scope) => billingApi(scope, options));
  await addScope(app, '/pg', (scope) => playgroundApi(scope, options));
}

/** Opens a scope that scripts of any site may call. */
export async function openScope(
  app: FastifyInstance,
  relay: Ports<'ctx'>,
  form: ErrorFormatter = openAiErrorFormatter,
): Promise<void> {
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    // Request id, retry delay and remaining limits have different header names per dialect.
    exposedHeaders: '*',
  });
  configureModelApiScope(app, relay, form);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The original content type of a form, whose boundary is needed to parse it. */
    formType: string | undefined;
  }
}

/** Leaves bodies unread and writes errors in the scope's dialect. */
function configureModelApiScope(
  app: FastifyInstance,
  relay: Ports<'ctx'>,
  form: ErrorFormatter,
): void {
  // Every body is treated as JSON, because clients and header-duplicating proxies send wrong types.
  if (!app.hasRequestDecorator('formType')) app.decorateRequest('formType', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    const { 'content-type': type = '' } = raw.headers;
    if (isForm(type)) request.formType = type;
    raw.headers['content-type'] = 'application/json';
    done();
  });
  app.removeAllContentTypeParsers();
  // The relay reads the body after it has authenticated the caller.
  // JSON by its name as well: Fastify parses the type again for each request that only `*` fits.
  app.addContentTypeParser(['*', 'application/json'], (_request, _payload, done) => done(null));
  app.setErrorHandler((error, request, reply) => {
    const answer = openAiErrorOf(error, {
      requestId: request.id,
      language: requestLanguage(request),
      log: relay.ctx.log,
      observer: relay.ctx.observer,
    });
    const { status, body } = form(answer, request);
    return reply
      .code(status)
      .headers(answer.headers)
      .type('application/json; charset=utf-8')
      .send(body);
  });
}

async function billingApi(app: FastifyInstance, options: RelayRouteOptions): Promise<void> {
  await openScope(app, options.relay);
  billingPages(app, '', options);
}

function billingPages(app: FastifyInstance, prefix: string, options: RelayRouteOptions): void {
  const { relay, addressOf, countRequest } = options;
  const onRequest = (request: FastifyRequest) => countRequest('api', addressOf(request));
  for (const page of BILLING_PAGES)
    app.get(`${prefix}/billing/${page}`, { onRequest }, (request, reply) =>
      billingPage(relay, incoming(request, reply, 'chat', options), page, requestLanguage(request)),
    );
}

function budgetList(app: FastifyInstance, options: RelayRouteOptions): void {
  const { relay, addressOf, countRequest } = options;
  const onRequest = (request: FastifyRequest) => countRequest('api', addressOf(request));
  app.get('/budget', { onRequest }, (request, reply) =>
    budgetPage(relay, incoming(request, reply, 'chat', options)),
  );
}

async function modelApi(app: FastifyInstance, options: RelayRouteOptions): Promise<void> {
  await openScope(app, options.relay);
  billingPages(app, '/dashboard', options);
  budgetList(app, options);
  for (const [path, endpoint] of CALLS) serveCall(app, path, endpoint, options);
  const retired = new AppError('endpoint_retired', { instead: '/v1/chat/completions' });
  refusePaths(app, ['/edits'], retired, 'POST');
  refusePaths(app, UNSERVED, new AppError('endpoint_not_implemented'));
  await addScope(app, '/models', (scope) => modelLists(scope, options));
}

/** OpenAI and Anthropic list models at the same path: the headers decide which format is meant. */
async function modelLists(app: FastifyInstance, options: RelayRouteOptions): Promise<void> {
  const { relay } = options;
  const anthropicForm = dialectErrorFormatter('anthropic');
  configureModelApiScope(app, relay, (answer, request) =>
    (isAnthropicCall(request) ? anthropicForm : openAiErrorFormatter)(answer),
  );
  refusePaths(app, ['/*'], new AppError('endpoint_not_implemented'), 'DELETE');
  const callOf = (request: FastifyRequest, reply: FastifyReply) =>
    incoming(request, reply, 'chat', options);
  app.get('/', async (request, reply) => {
    const call = callOf(request, reply);
    return isAnthropicCall(call)
      ? listForAnthropic(relay, withAnthropicKey(call))
      : listModels(relay, call);
  });
  app.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
    const call = callOf(request, reply);
    const name = request.params['*'];
    return isAnthropicCall(call)
      ? oneForAnthropic(relay, withAnthropicKey(call), name)
      : oneModel(relay, call, name);
  });
}

function serveCall(
  app: FastifyInstance,
  path: string,
  endpoint: Endpoint,
  options: RelayRouteOptions,
): void {
  app.post(path, async (request, reply) => {
    const call = incoming(request, reply, endpoint, options);
    return sendAnswer(reply, await relayCall(options.relay, call));
  });
}

async function rerankApi(
  app: FastifyInstance,
  path: string,
  options: RelayRouteOptions,
): Promise<void> {
  await openScope(app, options.relay);
  serveCall(app, path, 'rerank', options);
}

/** For the console's own scripts: authenticated by session cookie and own origin. */
async function playgroundApi(app: FastifyInstance, options: RelayRouteOptions): Promise<void> {
  const { relay, addressOf, countRequest } = options;
  await app.register(cookie);
  configureModelApiScope(app, relay, openAiErrorFormatter);
  app.post('/chat/completions', async (request, reply) => {
    await countRequest('api', addressOf(request));
    requireOwnOrigin(relay.ctx, request);
    const { id } = await browserUser(relay, request);
    const call = incoming(request, reply, 'chat', options);
    return sendAnswer(reply, await playgroundCall(relay, call, id));
  });
}

/** @throws AppError not_signed_in; access_token_unsupported if the request has only a token. */
async function browserUser({ ctx }: Ports<'ctx'>, request: FastifyRequest) {
  try {
    return await sessionActor(ctx, request);
  } catch (error) {
    const hasToken = request.headers.authorization !== undefined;
    throw hasToken ? new AppError('access_token_unsupported', {}, { cause: error }) : error;
  }
}

export function incoming(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  { relay, addressOf }: DialectRouteOptions,
): Incoming {
  const { formType } = request;
  const pathModel = (request.params as { model?: string }).model; // only the engines route has one
  return {
    requestId: request.id,
    endpoint,
    method: request.method,
    path: request.url,
    query: singleValues(request.query),
    headers:
      formType === undefined ? request.headers : { ...request.headers, 'content-type': formType },
    upload: uploadOf(request.raw, reply.raw, relay.bodies),
    ...(pathModel === undefined ? {} : { pathModel }),
    address: addressOf(request),
    client: new Presence(reply.raw),
    receivedAtMs: Date.now(),
  };
}

const NO_QUERY: Incoming['query'] = {};

/** Takes the first value of a repeated query parameter. */
function singleValues(query: unknown): Incoming['query'] {
  const entries = Object.entries(query as Readonly<Record<string, string | string[]>>); // parsed by Fastify
  if (entries.length === 0) return NO_QUERY;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

/**
 * A response that closes before it is fully written means that the client has disconnected. A class,
 * because an object literal with a getter costs a hidden class per call (docs/performance.md,
 * "Garbage").
 */
class Presence implements ClientPresence {
  #leftAtMs: number | undefined;
  #callbacks: (() => void)[] = [];

  constructor(response: ServerResponse) {
    response.once('close', () => {
      const callbacks = this.#callbacks;
      this.#callbacks = []; // nothing of the call is needed any more
      if (response.writableFinished) return;
      this.#leftAtMs = Date.now();
      for (const callback of callbacks) callback();
    });
  }

  get leftAtMs(): number | undefined {
    return this.#leftAtMs;
  }

  onLeave(callback: () => void): void {
    if (this.#leftAtMs === undefined) this.#callbacks.push(callback);
    else callback();
  }
}
