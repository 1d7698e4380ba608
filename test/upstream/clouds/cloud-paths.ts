/** Paths of cloud-hosted models: Bedrock by model id, Vertex by project, location and publisher. */
import { getting, type Pattern, posting, type Route } from '../route.ts';

const BEDROCK_ACTIONS = {
  invoke: { endpoint: 'messages', streams: false },
  'invoke-with-response-stream': { endpoint: 'messages', streams: true },
  converse: { endpoint: 'converse', streams: false },
  'converse-stream': { endpoint: 'converse', streams: true },
} as const;

const LOCATION = '/projects/([^/]+)/locations/([a-z0-9-]+)';

export const CLOUD_PATTERNS: readonly Pattern[] = [
  ...Object.entries(BEDROCK_ACTIONS).map(
    ([action, { endpoint, streams }]): Pattern => [
      new RegExp(`^/model/([^/]+)/${action}$`),
      ([name]) => posting(endpoint, { streams, cloud: 'bedrock', name }),
    ],
  ),
  [/^\/foundation-models$/, () => getting('models', { cloud: 'bedrock', name: 'foundation' })],
  [/^\/inference-profiles$/, () => getting('models', { cloud: 'bedrock', name: 'profiles' })],
  [
    new RegExp(`^/v1(?:beta1)?${LOCATION}/publishers/google/models/([^/]+):(\\w+)$`),
    ([project, , name, action]) => ({ ...generate(name, action), project }),
  ],
  [
    /^\/v1(?:beta1)?\/publishers\/google\/models\/([^/]+):(\w+)$/,
    ([name, action]) => ({ ...generate(name, action), cloud: 'express' }),
  ],
  [
    new RegExp(
      `^/v1${LOCATION}/publishers/anthropic/models/([^/]+):(rawPredict|streamRawPredict)$`,
    ),
    ([project, , name, action]) =>
      posting('messages', {
        streams: action === 'streamRawPredict',
        cloud: 'vertex',
        project,
        name,
      }),
  ],
  [
    new RegExp(`^/v1${LOCATION}/endpoints/openapi/chat/completions$`),
    ([project]) => posting('chat', { cloud: 'vertex', project }),
  ],
  [
    /^\/v1beta1\/publishers\/(google|anthropic)\/models$/,
    ([name]) => getting('models', { cloud: 'vertex', name }),
  ],
  [/^\/token$/, () => posting('token', { cloud: 'google' })],
];

function generate(name: string | undefined, action = ''): Route {
  const endpoint = /^(streamG|g)enerateContent$/.test(action) ? 'generate' : 'unknown';
  return posting(endpoint, { streams: action.startsWith('stream'), cloud: 'vertex', name });
}
