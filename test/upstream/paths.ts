/** Maps a path to its endpoint, for OpenAI and for vendors with other paths. */

import { CLOUD_PATTERNS } from './clouds/cloud-paths.ts';
import { MEDIA_PATHS, MEDIA_TAILS } from './media/media-endpoints.ts';
import type { Medium } from './media/medium.ts';
import { geminiEmbeddings, imagen, prediction } from './media/vendor-media.ts';
import { getting, type Pattern, posting, type Route } from './route.ts';

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

type Routes = Readonly<Record<string, Route>>;

function mediumRoute(medium: Medium): Route {
  return posting('media', { medium });
}

function mediumRoutes(media: Readonly<Record<string, Medium>>): Routes {
  const entries = Object.entries(media);
  return Object.fromEntries(entries.map(([path, medium]) => [path, mediumRoute(medium)]));
}

const TAILS: Routes = {
  ...mediumRoutes(MEDIA_TAILS),
  '/chat/completions': posting('chat'),
  '/completions': posting('completions'),
  '/embeddings': posting('embeddings'),
  '/moderations': posting('moderations'),
  '/responses': posting('responses'),
  '/responses/compact': posting('responses', { name: 'compact' }),
  '/models': getting('models'),
};

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

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ...Object.entries(mediumRoutes(MEDIA_PATHS)),
  ...ROOTS.flatMap((root) =>
    Object.entries(TAILS).map(([tail, route]): [string, Route] => [root + tail, route]),
  ),
  ...Object.entries({
    '/v1beta/models': getting('models', { name: 'gemini' }),
    '/api/tags': getting('models', { name: 'ollama' }),
    '/catalog/models': getting('models', { name: 'github' }),
    '/client/v4/accounts/acct/ai/models/search': getting('models', { name: 'cloudflare' }),
    '/v1/realtime': getting('realtime'),
    '/openai/v1/realtime': getting('realtime'),
    '/openai/realtime': getting('realtime', { azure: true }),
    '/api-ws/v1/realtime': getting('realtime'),
    '/v1/messages': posting('messages'),
    '/anthropic/v1/messages': posting('messages'),
    '/oauth/2.0/token': posting('token'),
    '/v1/files/upload': posting('file'),
  }),
  ...Object.entries(APP_PATHS).map(([path, name]): [string, Route] => [
    path,
    posting('app', { name }),
  ]),
  ...BALANCE_PAGES.map((page): [string, Route] => [
    page,
    getting('balance', { name: page.replace(/^\/v1\/dash/, '/dash') }),
  ]),
]);

const TASK_VENDORS: Readonly<Record<string, string>> = {
  '/api/v1/tasks': 'dashscope',
  '/v1/predictions': 'replicate',
  '/files': 'file',
};

const PATTERNS: readonly Pattern[] = [
  [/^\/openai\/deployments\/([^/]+)(\/[\w/]+)$/, azureRoute],
  [/^\/v\d\w*\/models\/[^/]+:batchEmbedContents$/, () => mediumRoute(geminiEmbeddings)],
  [/^\/v\d\w*\/models\/imagen[^/]*:predict$/, () => mediumRoute(imagen)],
  [
    /^\/v\d\w*\/models\/([^/]+):(generateContent|streamGenerateContent)$/,
    ([name, action]) => posting('generate', { streams: action === 'streamGenerateContent', name }),
  ],
  ...CLOUD_PATTERNS,
  [
    /^\/v1\/responses\/([^/]+)(?:\/(cancel|input_items))?$/,
    ([name, action]) => (action === 'cancel' ? posting : getting)('response', { name, action }),
  ],
  [/^\/v1\/models\/[^/]+\/[^/]+\/predictions$/, () => mediumRoute(prediction)],
  [
    /^(\/api\/v1\/tasks|\/v1\/predictions|\/files)\/([^/]+)$/,
    ([root = '', name]) => getting('task', { name, action: TASK_VENDORS[root] }),
  ],
  [/^\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/chat\//, () => posting('app', { name: 'wenxin' })],
];

const MODEL_ROOTS = ROOTS.map((root) => `${root}/models/`);
const UNKNOWN = getting('unknown');

function azureRoute([name, tail = '']: readonly string[]): Route | undefined {
  const route = TAILS[tail];
  return route && { ...route, azure: true, name };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An invalid escape matches no route; the raw text also leads to the 404.
    return text;
  }
}

function patternRoute(path: string): Route | undefined {
  for (const [form, read] of PATTERNS) {
    const found = form.exec(path);
    if (found !== null) return read(found.slice(1).map((part = '') => decoded(part)));
  }
  return undefined;
}

/** Model names may contain characters that clients escape. */
function decodedRoute(path: string): Route | undefined {
  return path.includes('%40') ? ROUTES.get(decoded(path)) : undefined;
}

/** The route of a path without its query; `unknown` if there is none. */
export function routeOf(path: string): Route {
  const exact = ROUTES.get(path) ?? patternRoute(path) ?? decodedRoute(path);
  if (exact !== undefined) return exact;
  const root = MODEL_ROOTS.find((known) => path.startsWith(known));
  if (root === undefined || path.length === root.length) return UNKNOWN;
  return getting('model', { name: decoded(path.slice(root.length)) });
}
