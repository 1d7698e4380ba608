/** The envelope of a call to a provider of the OpenAI family: method, address and headers. */
import { AppError } from '../domain/errors.ts';
import { azureDeployment, azurePath } from './azure.ts';
import type { Endpoint, ProviderRow } from './row.ts';
import { fullUrl, hostOf, joinUrl, type UpstreamUrl } from './upstream-url.ts';

export interface RequestPlan {
  readonly provider: ProviderRow;
  /** The channel's; '' takes the provider's. */
  readonly baseUrl: string;
  readonly key: string;
  /** The channel's field `other`: API version, account id, plugin, by provider. */
  readonly other?: string;
  readonly organization?: string;
  readonly endpoint: Endpoint;
  /** The name the upstream knows. */
  readonly model: string;
  readonly clientQuery?: Readonly<Record<string, string | undefined>>;
  /** Appended to the endpoint's path as one segment, e.g. a model id. */
  readonly pathTail?: string;
  /** When the channel was made, epoch seconds. */
  readonly channelCreatedAtSec?: number;
  /** The site's own address, which some providers list as the caller. */
  readonly siteUrl?: string;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  readonly url: UpstreamUrl;
  /** Names in lower case. The encoding the relay can read is for the relay to ask. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Bodies with a boundary of their own: their content type is set by who writes them. */
const MULTIPART: ReadonlySet<Endpoint> = new Set(['transcriptions', 'translations']);

/** Whether a channel of this provider may be asked at all: the relay passes by those that may not. */
export function offersEndpoint(provider: ProviderRow, endpoint: Endpoint): boolean {
  const isAzureExtra =
    provider.urlForm === 'azure' && (endpoint === 'models' || endpoint === 'responses');
  return provider.supported && (isAzureExtra || provider.paths[endpoint] !== undefined);
}

/**
 * @throws AppError endpoint_unsupported when the provider has no such endpoint, channel_unusable when
 * the channel's key, address or extra field cannot make a request.
 */
export function buildRequest(plan: RequestPlan): UpstreamRequest {
  const method = plan.endpoint === 'models' ? 'GET' : 'POST';
  const hasJsonBody = method === 'POST' && !MULTIPART.has(plan.endpoint);
  const headers = {
    ...(hasJsonBody ? { 'content-type': 'application/json' } : {}),
    ...authHeaders(plan.provider, plan.key),
    ...plan.provider.headers,
    ...channelHeaders(plan),
  };
  return { method, url: urlOf(plan), headers };
}

/** The header that carries the key; none for an empty key where the provider works without. */
export function authHeaders(provider: ProviderRow, key: string): Readonly<Record<string, string>> {
  if (key === '' && provider.keyOptional) return {};
  const value = headerValue('key', key);
  if (provider.auth === 'bearer') return { authorization: `Bearer ${value}` };
  return { [provider.auth]: value };
}

function channelHeaders(plan: RequestPlan): Readonly<Record<string, string>> {
  const { provider, organization = '', other = '', siteUrl = '' } = plan;
  const otherHeader = provider.other?.header;
  const lines: readonly (readonly [string | undefined, string, string])[] = [
    ['openai-organization', 'organization', organization],
    [otherHeader, 'other', other],
    [provider.headers?.['x-title'] && 'http-referer', 'site address', siteUrl],
  ];
  const said = lines.flatMap(([name, field, value]) =>
    name && value !== '' ? [[name, headerValue(field, value)] as const] : [],
  );
  return Object.fromEntries(said);
}

/** RFC 9110 5.5: a line break would begin another header; beyond Latin-1 there is no encoding. */
function headerValue(field: string, value: string): string {
  if (value !== '' && /^[\x20-\x7e\xa0-\xff]+$/.test(value)) return value;
  const problem = value === '' ? `${field} missing` : `${field} has characters no header can carry`;
  throw new AppError('channel_unusable', { problem });
}

function urlOf(plan: RequestPlan): UpstreamUrl {
  const { provider, other = '' } = plan;
  const baseUrl = plan.baseUrl === '' ? provider.baseUrl : plan.baseUrl;
  const path = pathOf(plan, baseUrl);
  if (path === undefined) {
    throw new AppError('endpoint_unsupported', { model: plan.model });
  }
  if (provider.urlForm === 'full') return fullUrl(baseUrl, plan.model);
  const tail = plan.pathTail === undefined ? '' : `/${encodeURIComponent(plan.pathTail)}`;
  const isAzure = provider.urlForm === 'azure';
  const model = isAzure ? azureDeployment(plan.model, plan.channelCreatedAtSec ?? 0) : plan.model;
  return joinUrl(baseUrl, withTail(withoutGatewayPrefix(provider, baseUrl, path), tail), {
    model,
    other,
  });
}

function pathOf(plan: RequestPlan, baseUrl: string): string | undefined {
  const { provider, endpoint, model } = plan;
  if (provider.urlForm === 'azure') {
    const apiVersion = plan.clientQuery?.['api-version'] ?? plan.other ?? '';
    return azurePath({ provider, endpoint, baseUrl, apiVersion });
  }
  const special = provider.pathsByModel?.find((row) => model.startsWith(row.prefix));
  return special?.paths[endpoint] ?? provider.paths[endpoint];
}

/** The query stays at the end. */
function withTail(path: string, tail: string): string {
  const query = path.indexOf('?');
  return query === -1 ? path + tail : path.slice(0, query) + tail + path.slice(query);
}

/**
 * A Cloudflare AI Gateway stands for the provider's own root: its OpenAI address has the version
 * inside, its Azure address begins with the deployment. Source: developers.cloudflare.com/ai-gateway.
 */
function withoutGatewayPrefix(provider: ProviderRow, baseUrl: string, path: string): string {
  if (hostOf(baseUrl) !== 'gateway.ai.cloudflare.com') return path;
  if (provider.urlForm === 'azure') return path.replace('/openai/deployments', '');
  return provider.slug === 'openai' ? path.replace('/v1', '') : path;
}
