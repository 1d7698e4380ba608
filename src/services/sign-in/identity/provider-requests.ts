/** HTTP calls to identity providers: JSON responses of at most a megabyte within five seconds. */
import type { Context } from '../../../context.ts';
import type { IdentityProvider } from '../../../domain/identity-providers.ts';
import {
  type EgressOptions,
  type FetchInit,
  type FetchResult,
  guardedFetch,
} from '../../network/egress.ts';
import { providerCallError, providerError } from './identity.ts';

export const PROVIDER_TIMEOUT_MS = 5_000;

export interface IdentityProviderRequest {
  readonly provider: IdentityProvider;
  readonly url: string;
  readonly init?: FetchInit;
  readonly egress?: EgressOptions;
}

export type ProviderResponse = Readonly<Record<string, unknown>>;

/**
 * The JSON object of the provider's 2xx response.
 * @throws AppError `oauth_failed`.
 */
export async function fetchProviderObject(
  ctx: Context,
  call: IdentityProviderRequest,
): Promise<ProviderResponse> {
  const answer = await fetchFromProvider(ctx, call);
  const json = jsonOf(call.provider, answer);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw providerError(call.provider, 'server_not_json');
  return json as ProviderResponse; // checked above
}

/** As `fetchProviderObject`, for a list. */
export async function fetchProviderList(
  ctx: Context,
  call: IdentityProviderRequest,
): Promise<unknown[]> {
  const json = jsonOf(call.provider, await fetchFromProvider(ctx, call));
  if (!Array.isArray(json)) throw providerError(call.provider, 'server_not_json');
  return json;
}

async function fetchFromProvider(
  ctx: Context,
  { provider, url, init, egress }: IdentityProviderRequest,
): Promise<FetchResult> {
  try {
    return await guardedFetch(ctx, url, { timeoutMs: PROVIDER_TIMEOUT_MS, ...init }, egress);
  } catch (cause) {
    throw providerCallError(provider, cause);
  }
}

function jsonOf(provider: IdentityProvider, answer: FetchResult): unknown {
  if (answer.status < 200 || answer.status > 299)
    throw providerError(provider, 'server_status', { status: answer.status });
  try {
    return JSON.parse(answer.text());
  } catch (cause) {
    throw providerError(provider, 'server_not_json', {}, cause);
  }
}

/** Body and content type of a form post. */
export function formPost(fields: Readonly<Record<string, string>>): FetchInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams(fields).toString(),
  };
}
