/** Builds the envelope of a request to a provider: method, URL and headers. */

import type { ProviderEndpoint, ProviderRow } from '../rows/provider-row.ts';
import { transportOf } from '../transports/all.ts';
import type { HeaderLines, RequestCredentials, RequestPlan } from '../transports/transport.ts';
import { headerValue } from './auth-headers.ts';
import type { UpstreamUrl } from './upstream-url.ts';

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: UpstreamUrl;
  /** Names in lower case. The relay itself sets the encodings it accepts. */
  readonly headers: HeaderLines;
  /** Credentials that still have to be applied. */
  readonly credentials?: RequestCredentials;
}

/** Multipart bodies: the code that writes the body sets the content type with its boundary. */
const MULTIPART: ReadonlySet<ProviderEndpoint> = new Set([
  'imageEdits',
  'imageVariations',
  'transcriptions',
  'translations',
]);

/** Requests without a body; `realtime` is the handshake of a WebSocket. */
const BODILESS: ReadonlySet<ProviderEndpoint> = new Set(['models', 'realtime']);

/** Whether a channel of this provider can serve the endpoint; the relay skips those that cannot. */
export function offersEndpoint(provider: ProviderRow, endpoint: ProviderEndpoint): boolean {
  return provider.supported && transportOf(provider).offers(provider, endpoint);
}

/**
 * @throws AppError endpoint_unsupported if the provider has no such endpoint, channel_unusable if
 * no request can be built from the channel's key, URL or field `other`.
 */
export function buildRequest(plan: RequestPlan): ProviderRequest {
  return requestTo(plan, transportOf(plan.provider).url(plan));
}

/** The requests that together list the provider's models. @throws as `buildRequest`. */
export function modelListRequests(
  given: Omit<RequestPlan, 'endpoint' | 'model'>,
): readonly ProviderRequest[] {
  const plan = { ...given, endpoint: 'models', model: '' } as const;
  const urls = transportOf(plan.provider).lists?.(plan);
  return urls === undefined ? [buildRequest(plan)] : urls.map((url) => requestTo(plan, url));
}

function requestTo(plan: RequestPlan, url: UpstreamUrl): ProviderRequest {
  const { provider, endpoint } = plan;
  const method = plan.method ?? (BODILESS.has(endpoint) ? 'GET' : 'POST');
  const hasJsonBody = method === 'POST' && !MULTIPART.has(endpoint);
  const { headers, credentials } = transportOf(provider).auth(plan);
  return {
    method,
    url: withQuery(url, plan.query),
    headers: {
      ...(hasJsonBody ? { 'content-type': 'application/json' } : {}),
      ...headers,
      ...provider.headers,
      ...channelHeaders(plan),
    },
    ...(credentials === undefined ? {} : { credentials }),
  };
}

function channelHeaders(plan: RequestPlan): HeaderLines {
  const { provider, organization = '', other = '', siteUrl = '' } = plan;
  const otherHeader = provider.other?.header;
  const lines: readonly (readonly [string | undefined, string, string])[] = [
    ['openai-organization', 'organization', organization],
    [otherHeader, 'other', other],
    [provider.headers?.['x-title'] && 'http-referer', 'site address', siteUrl],
  ];
  const headers = lines.flatMap(([name, field, value]) =>
    name && value !== '' ? [[name, headerValue(field, value)] as const] : [],
  );
  return Object.fromEntries(headers);
}

function withQuery({ origin, path }: UpstreamUrl, query = ''): UpstreamUrl {
  if (query === '') return { origin, path };
  return { origin, path: `${path}${path.includes('?') ? '&' : '?'}${query}` };
}
