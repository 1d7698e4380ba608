/**
 * Azure OpenAI has two URL forms: the dated one contains deployment and API version, the v1 form is
 * OpenAI's own under `/openai/v1`. Source: learn.microsoft.com, "Azure OpenAI API version
 * lifecycle".
 */
import { headerValue } from '../requests/auth-headers.ts';
import { ENDPOINT_PATHS, type ProviderEndpoint } from '../rows/provider-row.ts';
import { baseUrlOf, joinedUrl } from './plain.ts';
import type { Auth, RequestPlan, Transport } from './transport.ts';

/** The last dated version that is generally available. */
const LAST_STABLE_VERSION = '2024-10-21';

/** Values other than a date, which select the undated API. */
const UNDATED = new Set(['v1', 'latest', 'preview']);

/** Until then deployments were created under names without dots, and channels rely on it. */
const DOTS_KEPT_SINCE_SEC = Date.UTC(2025, 4, 10) / 1000;

/** A Microsoft Entra ID token instead of a key: three base64 parts, the first a JSON object. */
const ENTRA_TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** Endpoints whose path does not contain a deployment. */
const OWN_ADDRESSES: ReadonlySet<ProviderEndpoint> = new Set(['models', 'responses', 'realtime']);

export const AZURE: Transport = {
  offers: (provider, endpoint) =>
    OWN_ADDRESSES.has(endpoint) || provider.paths[endpoint] !== undefined,
  url: (plan) => joinedUrl(plan, azurePath(plan), deploymentOf(plan)),
  auth({ key }): Auth {
    const value = headerValue('key', key);
    const isToken = ENTRA_TOKEN.test(value);
    return { headers: isToken ? { authorization: `Bearer ${value}` } : { 'api-key': value } };
  },
};

/** Path and query, to be joined to the base URL; undefined if Azure has no such endpoint. */
function azurePath(plan: RequestPlan): string | undefined {
  const { endpoint, provider } = plan;
  const version = versionOf(plan);
  const isUndated = UNDATED.has(version) || /\/openai\/v1\/?$/.test(baseUrlOf(plan));
  if (isUndated || endpoint === 'models') {
    const path = `/openai/v1${ENDPOINT_PATHS[endpoint]}`;
    return version === 'preview' ? withQuery(path, 'api-version=preview') : path;
  }
  const dated = `api-version=${encodeURIComponent(version)}`;
  if (endpoint === 'realtime') return `/openai/realtime?${dated}&deployment={model}`;
  const path = endpoint === 'responses' ? '/openai/responses' : provider.paths[endpoint];
  return path === undefined ? undefined : withQuery(path, dated);
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The client's `api-version`, then the channel's, then the installation's. */
function versionOf({ clientQuery, other, azureApiVersion }: RequestPlan): string {
  const versions = [clientQuery?.['api-version'], other, azureApiVersion];
  return versions.find((version) => version !== undefined && version !== '') ?? LAST_STABLE_VERSION;
}

/** The deployment name for a model. */
function deploymentOf({ model, channelCreatedAtSec = 0 }: RequestPlan): string {
  const isOld = channelCreatedAtSec > 0 && channelCreatedAtSec < DOTS_KEPT_SINCE_SEC;
  return isOld ? model.replaceAll('.', '') : model;
}
