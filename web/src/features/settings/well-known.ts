import type { Draft } from './draft.ts';

const PATIENCE_MS = 15_000;

/** The endpoints a provider's discovery document names; undefined when it cannot be had. */
export async function fetchEndpoints(address: string): Promise<Draft | undefined> {
  try {
    const answer = await fetch(address, {
      credentials: 'omit',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return answer.ok ? endpointsOf(await answer.json()) : undefined;
  } catch {
    // Out of reach, forbidden to this page, or no JSON: to the reader it is all the same.
    return undefined;
  }
}

/** OpenID Connect Discovery 1.0, section 3. */
export function endpointsOf(document: unknown): Draft | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const facts: Readonly<Record<string, unknown>> = { ...document };
  const { authorization_endpoint, token_endpoint, userinfo_endpoint } = facts;
  if (typeof authorization_endpoint !== 'string' || typeof token_endpoint !== 'string')
    return undefined;
  if (typeof userinfo_endpoint !== 'string') return undefined;
  return {
    'oidc.authorization_endpoint': authorization_endpoint,
    'oidc.token_endpoint': token_endpoint,
    'oidc.user_info_endpoint': userinfo_endpoint,
  };
}
