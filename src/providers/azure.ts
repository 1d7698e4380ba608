/**
 * Azure OpenAI has two addresses for a call: the dated one names deployment and API version, the v1
 * one is OpenAI's own under `/openai/v1`. Source: learn.microsoft.com, "Azure OpenAI API version
 * lifecycle".
 */
import { ENDPOINT_PATHS, type Endpoint, type ProviderRow } from './row.ts';

/** The last dated version that is generally available. */
const DEFAULT_API_VERSION = '2024-10-21';

/** Words instead of a date: they mean the undated API. */
const UNDATED = new Set(['v1', 'latest', 'preview']);

/** Until then deployments were created under names without dots, and channels rely on it. */
const DOTS_KEPT_SINCE_SEC = Date.UTC(2025, 4, 10) / 1000;

export interface AzureCall {
  readonly provider: ProviderRow;
  readonly endpoint: Endpoint;
  readonly baseUrl: string;
  /** The client's `api-version`, else the channel's; '' when neither says. */
  readonly apiVersion: string;
}

/** The path with its query, to be joined to the base URL; undefined when Azure has none. */
export function azurePath(call: AzureCall): string | undefined {
  const version = call.apiVersion === '' ? DEFAULT_API_VERSION : call.apiVersion;
  const isUndated = UNDATED.has(version) || /\/openai\/v1\/?$/.test(call.baseUrl);
  if (isUndated || call.endpoint === 'models') {
    const query = version === 'preview' ? '?api-version=preview' : '';
    return `/openai/v1${ENDPOINT_PATHS[call.endpoint]}${query}`;
  }
  const path =
    call.endpoint === 'responses' ? '/openai/responses' : call.provider.paths[call.endpoint];
  return path === undefined ? undefined : `${path}?api-version=${encodeURIComponent(version)}`;
}

/** The deployment a model means. `createdAtSec` is when the channel was made, 0 when not known. */
export function azureDeployment(model: string, createdAtSec: number): string {
  const isOld = createdAtSec > 0 && createdAtSec < DOTS_KEPT_SINCE_SEC;
  return isOld ? model.replaceAll('.', '') : model;
}
