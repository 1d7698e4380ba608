/** Paths of the model API under a wrong base URL, and calls of interfaces that are not served. */

const ENDPOINTS = [
  'chat/completions',
  'completions',
  'responses',
  'messages',
  'embeddings',
  'moderations',
  'rerank',
  'models',
  'realtime',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
];

const TAILS = [...ENDPOINTS, 'chat/completion'].join('|');

/** Most calls, which need no search. */
const RIGHT_URLS: ReadonlySet<string> = new Set(ENDPOINTS.map((tail) => `/v1/${tail}`));

/**
 * Prefixes that clients add, some of them twice; then the endpoint, perhaps after itself, if the
 * base URL already named it.
 */
const MISPLACED = new RegExp(
  `^/*(?<prefix>(?:(?:openai|api/v1|v1beta/openai|v1|hf|deployments/[^/]+)/+)*)` +
    String.raw`(?:(?<twice>${TAILS.replace('|models', '')})/+(?:v1/+)?(?=\k<twice>(?:/|$)))?` +
    `(?:v1beta/+(?:v1beta/+)?(?<gemini>models/.+)|(?<tail>(?:${TAILS})(?:/.*)?))$`,
);

interface MisplacedPath {
  readonly instead: string;
  /** No other meaning is possible, so the call is served. */
  readonly isCertain: boolean;
}

/** Undefined if the path is right, or of something else. */
export function misplacedPath(path: string, method = ''): MisplacedPath | undefined {
  const { prefix = '', gemini, tail } = MISPLACED.exec(path)?.groups ?? {};
  const named = tail?.replace(/^chat\/completion(?=\/|$)/, 'chat/completions');
  const instead = gemini === undefined ? named && `/v1/${named}` : `/v1beta/${gemini}`;
  if (instead === undefined || instead === path || path === `/hf${instead}`) return undefined;
  // A bare `/models` is a page of the console; the deployment is not in the body.
  const isPage = prefix === '' && gemini === undefined && (method === 'GET' || method === 'HEAD');
  return { instead, isCertain: !isPage && !prefix.includes('deployments/') };
}

/** The URL to route: that of the endpoint where only the base URL is wrong. */
export function routedUrl({
  url = '',
  method = '',
}: {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
}): string {
  if (RIGHT_URLS.has(url)) return url;
  const [path = '', ...query] = url.split('?');
  const misplaced = misplacedPath(path, method);
  return misplaced?.isCertain ? [misplaced.instead, ...query].join('?') : url;
}

/** Calls of other interfaces, and the endpoint here that does the same. */
const FOREIGN: readonly (readonly [path: RegExp, vendor: string, instead: string])[] = [
  [/^\/api\/(?:chat|generate)$/, 'Ollama', '/v1/chat/completions'],
  [/^\/api\/(?:tags|ps|show|version)$/, 'Ollama', '/v1/models'],
  [/^\/api\/embed(?:dings)?$/, 'Ollama', '/v1/embeddings'],
  [/^\/(?:v1|v2)\/chat$/, 'Cohere', '/v1/chat/completions'],
  [/^\/(?:v1|v2)\/embed$/, 'Cohere', '/v1/embeddings'],
];

/** The vendor whose interface the path belongs to. */
export function foreignPath(
  path: string,
): { readonly vendor: string; readonly instead: string } | undefined {
  const [, vendor, instead] = FOREIGN.find(([pattern]) => pattern.test(path)) ?? [];
  return vendor === undefined || instead === undefined ? undefined : { vendor, instead };
}
