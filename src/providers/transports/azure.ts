/**
 * Azure OpenAI has two addresses for a call: the dated one names deployment and API version, the v1
 * one is OpenAI's own under `/openai/v1`. Source: learn.microsoft.com, "Azure OpenAI API version
 * lifecycle".
 */
import { headerValue } from '../auth-headers.ts';
import { ENDPOINT_PATHS, type ProviderEndpoint } from '../row.ts';
import { baseUrlOf, joined } from './plain.ts';
import type { Auth, RequestPlan, Transport } from './transport.ts';

/** The last dated version that is generally available. */
const LAST_STABLE_VERSION = '2024-10-21';

/** Words instead of a date: they mean the undated API. */
const UNDATED = new Set(['v1', 'latest', 'preview']);

/** Until then deployments were created under names without dots, and channels rely on it. */
const DOTS_KEPT_SINCE_SEC = Date.UTC(2025, 4, 10) / 1000;

/** A token of Microsoft Entra ID in place of a key: three parts of base64, the first a JSON object. */
const ENTRA_TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** Endpoints whose address does not name a deployment. */
const OWN_ADDRESSES: ReadonlySet<ProviderEndpoint> = new Set(['models', 'responses', 'realtime']);

export const AZURE: Transport = {
  offers: (provider, endpoint) =>
    OWN_ADDRESSES.has(endpoint) || provider.paths[endpoint] !== undefined,
  url: (plan) => joined(plan, azurePath(plan), deploymentOf(plan)),
  auth({ key }): Auth {
    const value = headerValue('key', key);
    const isToken = ENTRA_TOKEN.test(value);
    return { headers: isToken ? { authorization: `Bearer ${value}` } : { 'api-key': value } };
  },
};

/** With its query, to be joined to the base URL; undefined when Azure has none. */
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
  const said = [clientQuery?.['api-version'], other, azureApiVersion];
  return said.find((version) => version !== undefined && version !== '') ?? LAST_STABLE_VERSION;
}

/** The deployment a model means. */
function deploymentOf({ model, channelCreatedAtSec = 0 }: RequestPlan): string {
  const isOld = channelCreatedAtSec > 0 && channelCreatedAtSec < DOTS_KEPT_SINCE_SEC;
  return isOld ? model.replaceAll('.', '') : model;
}
