/** Paths of cloud-hosted models: Bedrock by model id, Vertex by project, location and publisher. */
import type { Route } from '../route.ts';

type Read = (parts: readonly string[]) => Route;

const BEDROCK_ACTIONS: Readonly<Record<string, Pick<Route, 'endpoint' | 'streams'>>> = {
  invoke: { endpoint: 'messages', streams: false },
  'invoke-with-response-stream': { endpoint: 'messages', streams: true },
  converse: { endpoint: 'converse', streams: false },
  'converse-stream': { endpoint: 'converse', streams: true },
};

const LOCATION = '/projects/([^/]+)/locations/([a-z0-9-]+)';
const CALL = { method: 'POST', azure: false } as const;
const LIST = { endpoint: 'models', method: 'GET', azure: false } as const;

const PATTERNS: readonly (readonly [pattern: RegExp, read: Read])[] = [
  [
    /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|converse|converse-stream)$/,
    ([name = '', action = '']) => ({
      ...CALL,
      endpoint: 'unknown',
      ...BEDROCK_ACTIONS[action],
      cloud: 'bedrock',
      name,
    }),
  ],
  [/^\/foundation-models$/, () => ({ ...LIST, cloud: 'bedrock', name: 'foundation' })],
  [/^\/inference-profiles$/, () => ({ ...LIST, cloud: 'bedrock', name: 'profiles' })],
  [
    new RegExp(`^/v1(?:beta1)?${LOCATION}/publishers/google/models/([^/]+):(\\w+)$`),
    ([project = '', , name = '', action = '']) => ({ ...generate(name, action), project }),
  ],
  [
    /^\/v1(?:beta1)?\/publishers\/google\/models\/([^/]+):(\w+)$/,
    ([name = '', action = '']) => ({ ...generate(name, action), cloud: 'express' }),
  ],
  [
    new RegExp(
      `^/v1${LOCATION}/publishers/anthropic/models/([^/]+):(rawPredict|streamRawPredict)$`,
    ),
    ([project = '', , name = '', action = '']) => ({
      ...CALL,
      endpoint: 'messages',
      streams: action === 'streamRawPredict',
      cloud: 'vertex',
      project,
      name,
    }),
  ],
  [
    new RegExp(`^/v1${LOCATION}/endpoints/openapi/chat/completions$`),
    ([project = '']) => ({ ...CALL, endpoint: 'chat', cloud: 'vertex', project }),
  ],
  [
    /^\/v1beta1\/publishers\/(google|anthropic)\/models$/,
    ([maker = '']) => ({ ...LIST, cloud: 'vertex', name: maker }),
  ],
  [/^\/token$/, () => ({ ...CALL, endpoint: 'token', cloud: 'google' })],
];

function generate(name: string, action: string): Route {
  const endpoint = /^(streamG|g)enerateContent$/.test(action) ? 'generate' : 'unknown';
  return { ...CALL, endpoint, streams: action.startsWith('stream'), cloud: 'vertex', name };
}

/** Undefined for other paths. */
export function cloudRoute(path: string): Route | undefined {
  for (const [pattern, read] of PATTERNS) {
    const found = pattern.exec(path);
    if (found !== null) return read(found.slice(1).map((part) => decodeURIComponent(part)));
  }
  return undefined;
}
