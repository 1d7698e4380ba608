/** Which endpoint a path means, for OpenAI itself and for vendors that hang its paths elsewhere. */

export type Endpoint =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'moderations'
  | 'models'
  | 'model'
  | 'balance'
  | 'unknown';

export interface Route {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  readonly azure: boolean;
  /** Deployment (Azure), model id, or the balance page. */
  readonly name?: string;
}

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
] as const;

const TAILS = {
  '/chat/completions': { endpoint: 'chat', method: 'POST', azure: false },
  '/completions': { endpoint: 'completions', method: 'POST', azure: false },
  '/embeddings': { endpoint: 'embeddings', method: 'POST', azure: false },
  '/moderations': { endpoint: 'moderations', method: 'POST', azure: false },
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

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ...ROOTS.flatMap((root) =>
    Object.entries(TAILS).map(([tail, route]): [string, Route] => [root + tail, route]),
  ),
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

const AZURE = /^\/openai\/deployments\/([^/]+)(\/chat\/completions|\/completions|\/embeddings)$/;
const MODEL_ROOTS = ROOTS.map((root) => `${root}/models/`);
const UNKNOWN: Route = { endpoint: 'unknown', method: 'GET', azure: false };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape names nothing we know; the raw text leads to the same 404.
    return text;
  }
}

function azureRoute(path: string): Route | undefined {
  const [, deployment, tail] = AZURE.exec(path) ?? [];
  if (deployment === undefined || tail === undefined) return undefined;
  const route = Object.entries(TAILS).find(([known]) => known === tail)?.[1];
  return route && { ...route, azure: true, name: decoded(deployment) };
}

/** The route of a path without its query; `unknown` when there is none. */
export function routeOf(path: string): Route {
  const exact = ROUTES.get(path) ?? azureRoute(path);
  if (exact !== undefined) return exact;
  const root = MODEL_ROOTS.find((known) => path.startsWith(known));
  if (root === undefined || path.length === root.length) return UNKNOWN;
  return { endpoint: 'model', method: 'GET', azure: false, name: decoded(path.slice(root.length)) };
}
