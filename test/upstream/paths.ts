/** Maps a path to its endpoint, for OpenAI and for vendors with other paths. */

import { cloudRoute } from './clouds/cloud-paths.ts';
import { MEDIA_PATHS, MEDIA_TAILS } from './media/media-endpoints.ts';
import type { Medium } from './media/medium.ts';
import { geminiEmbeddings, imagen, prediction } from './media/vendor-media.ts';
import type { Route } from './route.ts';

/** Roots under which vendors serve the OpenAI paths. */
const ROOTS = [
  '',
  '/v1',
  '/v2',
  '/api/v1',
  '/api/v3',
  '/api/paas/v4',
  '/api/coding/paas/v4',
  '/compatible-mode/v1',
  '/openai/v1',
  '/v1beta/openai',
  '/inference/v1',
  '/inference',
  '/v1/openai',
  '/api/openapi/v1',
  '/client/v4/accounts/acct/ai/v1',
] as const;

const TAILS = {
  '/chat/completions': { endpoint: 'chat', method: 'POST', azure: false },
  '/completions': { endpoint: 'completions', method: 'POST', azure: false },
  '/embeddings': { endpoint: 'embeddings', method: 'POST', azure: false },
  '/moderations': { endpoint: 'moderations', method: 'POST', azure: false },
  '/responses': { endpoint: 'responses', method: 'POST', azure: false },
  '/responses/compact': { endpoint: 'responses', method: 'POST', azure: false, name: 'compact' },
  '/models': { endpoint: 'models', method: 'GET', azure: false },
} as const satisfies Record<string, Route>;

const BALANCE_PAGES = [
  '/v1/dashboard/billing/subscription',
  '/v1/dashboard/billing/usage',
  '/dashboard/billing/subscription',
  '/dashboard/billing/usage',
  '/dashboard/billing/credit_grants',
  '/v1/users/me/balance',
  '/v1/user/info',
  '/user/balance',
  '/api/v1/credits',
] as const;

const REALTIME_PATHS = [
  '/v1/realtime',
  '/openai/v1/realtime',
  '/openai/realtime',
  '/api-ws/v1/realtime',
] as const;

function modelList(name: string): Route {
  return { endpoint: 'models', method: 'GET', azure: false, name };
}

function mediumRoute(medium: Medium): Route {
  return { endpoint: 'media', method: 'POST', azure: false, medium };
}

/** Paths of services with their own protocol (`vendor-protocols.ts`). */
const APP_PATHS: Readonly<Record<string, string>> = {
  '/v1/chat-messages': 'dify',
  '/v1/workflows/run': 'workflow',
  '/v2/chat': 'cohere',
  '/v3/chat': 'coze',
  '/api/chat': 'ollama',
  '/': 'hunyuan',
  '/api/library/ask': 'library',
};
const WENXIN = '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/';

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ...Object.entries(MEDIA_PATHS).map(([path, medium]): [string, Route] => [
    path,
    mediumRoute(medium),
  ]),
  ...ROOTS.flatMap((root) =>
    Object.entries(MEDIA_TAILS).map(([tail, medium]): [string, Route] => [
      root + tail,
      mediumRoute(medium),
    ]),
  ),
  ...ROOTS.flatMap((root) =>
    Object.entries(TAILS).map(([tail, route]): [string, Route] => [root + tail, route]),
  ),
  ['/v1beta/models', modelList('gemini')],
  ...REALTIME_PATHS.map((path): [string, Route] => [
    path,
    { endpoint: 'realtime', method: 'GET', azure: path === '/openai/realtime' },
  ]),
  ...['/v1/messages', '/anthropic/v1/messages'].map((path): [string, Route] => [
    path,
    { endpoint: 'messages', method: 'POST', azure: false },
  ]),
  ...Object.entries(APP_PATHS).map(([path, name]): [string, Route] => [
    path,
    { endpoint: 'app', method: 'POST', azure: false, name },
  ]),
  ['/oauth/2.0/token', { endpoint: 'token', method: 'POST', azure: false }],
  ['/v1/files/upload', { endpoint: 'file', method: 'POST', azure: false }],
  ['/api/tags', modelList('ollama')],
  ['/catalog/models', modelList('github')],
  ['/client/v4/accounts/acct/ai/models/search', modelList('cloudflare')],
  ...BALANCE_PAGES.map((page): [string, Route] => [
    page,
    {
      endpoint: 'balance',
      method: 'GET',
      azure: false,
      name: page.replace(/^\/v1\/dash/, '/dash'),
    },
  ]),
]);

const GENERATE = /^\/v\d\w*\/models\/([^/]+):(generateContent|streamGenerateContent)$/;
const IMAGEN = /^\/v\d\w*\/models\/imagen[^/]*:predict$/;
const EMBED = /^\/v\d\w*\/models\/[^/]+:batchEmbedContents$/;
const AZURE = /^\/openai\/deployments\/([^/]+)(\/[\w/]+)$/;
const MODEL_ROOTS = ROOTS.map((root) => `${root}/models/`);
const UNKNOWN: Route = { endpoint: 'unknown', method: 'GET', azure: false };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An invalid escape matches no route; the raw text also leads to the 404.
    return text;
  }
}

function azureRoute(path: string): Route | undefined {
  const [, deployment, tail] = AZURE.exec(path) ?? [];
  if (deployment === undefined || tail === undefined) return undefined;
  const medium = MEDIA_TAILS[tail];
  const known = Object.entries(TAILS).find(([known]) => known === tail)?.[1];
  const route = medium === undefined ? known : mediumRoute(medium);
  return route && { ...route, azure: true, name: decoded(deployment) };
}

function generateRoute(path: string): Route | undefined {
  if (EMBED.test(path)) return mediumRoute(geminiEmbeddings);
  if (IMAGEN.test(path)) return mediumRoute(imagen);
  const [, model, action] = GENERATE.exec(path) ?? [];
  if (model === undefined) return undefined;
  const streams = action === 'streamGenerateContent';
  return { endpoint: 'generate', method: 'POST', azure: false, streams, name: decoded(model) };
}

const KEPT = /^\/v1\/responses\/([^/]+)(?:\/(cancel|input_items))?$/;

function keptRoute(path: string): Route | undefined {
  const [, id, action = ''] = KEPT.exec(path) ?? [];
  if (id === undefined) return undefined;
  const method = action === 'cancel' ? 'POST' : 'GET';
  return { endpoint: 'response', method, azure: false, name: decoded(id), action };
}

const TASK = /^(\/api\/v1\/tasks|\/v1\/predictions|\/files)\/([^/]+)$/;
const TASK_VENDORS: Readonly<Record<string, string>> = {
  '/api/v1/tasks': 'dashscope',
  '/v1/predictions': 'replicate',
  '/files': 'file',
};
const PREDICTION = /^\/v1\/models\/[^/]+\/[^/]+\/predictions$/;

function taskRoute(path: string): Route | undefined {
  if (PREDICTION.test(path)) return mediumRoute(prediction);
  const [, root = '', id = ''] = TASK.exec(path) ?? [];
  const action = TASK_VENDORS[root];
  if (action === undefined) return undefined;
  return { endpoint: 'task', method: 'GET', azure: false, name: decoded(id), action };
}

/** Model names may contain characters that clients escape. */
function decodedRoute(path: string): Route | undefined {
  return path.includes('%40') ? ROUTES.get(decoded(path)) : undefined;
}

/** The route of a path without its query; `unknown` if there is none. */
export function routeOf(path: string): Route {
  const exact =
    ROUTES.get(path) ??
    azureRoute(path) ??
    generateRoute(path) ??
    cloudRoute(path) ??
    keptRoute(path) ??
    taskRoute(path) ??
    decodedRoute(path);
  if (exact !== undefined) return exact;
  if (path.startsWith(WENXIN))
    return { endpoint: 'app', method: 'POST', azure: false, name: 'wenxin' };
  const root = MODEL_ROOTS.find((known) => path.startsWith(known));
  if (root === undefined || path.length === root.length) return UNKNOWN;
  return { endpoint: 'model', method: 'GET', azure: false, name: decoded(path.slice(root.length)) };
}
