/** The model API in dialects other than OpenAI chat: one scope per prefix, with its own errors. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors/errors.ts';
import { type Incoming, withAnthropicKey } from '../../relay/call/incoming-call.ts';
import type { Relay } from '../../relay/call/relay-ports.ts';
import { countTokens } from '../../relay/endpoints/count-tokens.ts';
import { listForGemini, oneForGemini } from '../../relay/endpoints/model-list.ts';
import { relayCall } from '../../relay/relay-call.ts';
import { dialectErrorFormatter } from '../response/error-form.ts';
import { sendAnswer } from '../response/send-answer.ts';
import { addScope } from '../route-scope.ts';
import { refusePaths } from './refused-paths.ts';
import { type DialectRouteOptions, incoming, openScope } from './relay-routes.ts';
import { type ResponsesRouteOptions, responsesApi } from './responses-routes.ts';

const ROOTS = ['', '/hf'];

export async function dialectRoutes(
  app: FastifyInstance,
  options: ResponsesRouteOptions,
): Promise<void> {
  for (const root of ROOTS) {
    const scopes: readonly (readonly [string, typeof responsesApi])[] = [
      ['/v1/responses', responsesApi],
      ['/v1/messages', messagesApi],
      ['/v1/models', geminiCalls],
      ['/v1beta/models', geminiApi],
    ];
    for (const [prefix, scope] of scopes)
      await addScope(app, root + prefix, (instance) => scope(instance, options));
  }
}

async function messagesApi(app: FastifyInstance, options: DialectRouteOptions): Promise<void> {
  const { relay } = options;
  await openScope(app, relay, dialectErrorFormatter('anthropic'));
  const callOf = (request: FastifyRequest, reply: FastifyReply) =>
    withAnthropicKey({ ...incoming(request, reply, 'chat', options), dialect: 'anthropic' });
  app.post('/', async (request, reply) => answer(reply, relay, callOf(request, reply)));
  refusePaths(app, ['/batches', '/batches/*'], new AppError('endpoint_not_implemented'));
  app.post('/count_tokens', async (request, reply) => ({
    input_tokens: await countTokens(relay, callOf(request, reply)),
  }));
}

async function geminiApi(app: FastifyInstance, options: DialectRouteOptions): Promise<void> {
  const { relay } = options;
  await geminiCalls(app, options);
  const callOf = (request: FastifyRequest, reply: FastifyReply) =>
    incoming(request, reply, 'chat', options);
  app.get('/', (request, reply) => listForGemini(relay, callOf(request, reply)));
  app.get<{ Params: GeminiParams }>('/*', (request, reply) =>
    oneForGemini(relay, callOf(request, reply), request.params['*']),
  );
}

interface GeminiParams {
  readonly '*': string;
}

async function geminiCalls(app: FastifyInstance, options: DialectRouteOptions): Promise<void> {
  const { relay } = options;
  await openScope(app, relay, dialectErrorFormatter('gemini'));
  app.post<{ Params: GeminiParams }>('/*', async (request, reply) => {
    const { model, action } = readPath(request.params['*']);
    const call: Incoming = {
      ...incoming(request, reply, 'chat', options),
      dialect: 'gemini',
      pathModel: model,
    };
    if (EMBEDDING.has(action)) {
      const isBatch = action === 'batchEmbedContents';
      const pathAsks = { stream: false, asList: false, isBatch };
      return answer(reply, relay, { ...call, endpoint: 'embeddings', pathAsks });
    }
    if (action === 'countTokens') return { totalTokens: await countTokens(relay, call) };
    const stream = action === 'streamGenerateContent';
    const asList = stream && call.query.alt !== 'sse';
    return answer(reply, relay, { ...call, pathAsks: { stream, asList } });
  });
}

const UNSUPPORTED_ACTIONS = new Set(['predict', 'predictLongRunning']);
const EMBEDDING = new Set(['embedContent', 'batchEmbedContents']);
const SUPPORTED_ACTIONS = new Set([
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  ...EMBEDDING,
]);

/** Splits `{model}:{action}`; a model name may itself contain colons and slashes. */
function readPath(path: string): { model: string; action: string } {
  const colon = path.lastIndexOf(':');
  const action = path.slice(colon + 1);
  if (UNSUPPORTED_ACTIONS.has(action)) throw new AppError('endpoint_not_implemented');
  if (colon <= 0 || !SUPPORTED_ACTIONS.has(action))
    throw new AppError('route_unknown', { method: 'POST', path });
  return { model: path.slice(0, colon), action };
}

async function answer(reply: FastifyReply, relay: Relay, call: Incoming): Promise<FastifyReply> {
  return sendAnswer(reply, await relayCall(relay, call));
}
