/** HTTP calls to identity providers: JSON responses of at most a megabyte within five seconds. */
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import type { IdentityProvider } from '../../../domain/identity-providers.ts';
import {
  type EgressOptions,
  type Fetched,
  type FetchInit,
  guardedFetch,
} from '../../network/egress.ts';
import { providerFailed } from './identity.ts';

export const PROVIDER_TIMEOUT_MS = 5_000;

export interface ProviderCall {
  readonly provider: IdentityProvider;
  readonly url: string;
  readonly init?: FetchInit;
  readonly egress?: EgressOptions;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The JSON object of the provider's 2xx response.
 * @throws AppError `oauth_failed`.
 */
export async function askProvider(ctx: Context, call: ProviderCall): Promise<JsonObject> {
  const answer = await fetchFromProvider(ctx, call);
  const json = jsonOf(call.provider, answer);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw providerFailed(call.provider, 'its answer is no JSON object');
  return json as JsonObject; // checked above
}

/** As `askProvider`, for a list. */
export async function askProviderForList(ctx: Context, call: ProviderCall): Promise<unknown[]> {
  const json = jsonOf(call.provider, await fetchFromProvider(ctx, call));
  if (!Array.isArray(json)) throw providerFailed(call.provider, 'its answer is no list');
  return json;
}

async function fetchFromProvider(
  ctx: Context,
  { provider, url, init, egress }: ProviderCall,
): Promise<Fetched> {
  try {
    return await guardedFetch(ctx, url, { timeoutMs: PROVIDER_TIMEOUT_MS, ...init }, egress);
  } catch (cause) {
    const problem = cause instanceof AppError ? String(cause.params.problem ?? '') : '';
    throw providerFailed(provider, problem || 'no answer', cause);
  }
}

function jsonOf(provider: IdentityProvider, answer: Fetched): unknown {
  if (answer.status < 200 || answer.status > 299)
    throw providerFailed(provider, `it answered with status ${answer.status}`);
  try {
    return JSON.parse(answer.text());
  } catch (cause) {
    throw providerFailed(provider, 'its answer is no JSON', cause);
  }
}

/** Body and content type of a form post. */
export function formOf(fields: Readonly<Record<string, string>>): FetchInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams(fields).toString(),
  };
}
