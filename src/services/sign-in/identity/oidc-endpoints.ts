/**
 * An OpenID Connect provider with only its endpoints configured. Its keys are unknown, so the
 * signature of an ID token is not checked: it comes directly from the token endpoint (OpenID
 * Connect Core 1.0, 3.1.3.7, 6), and the identity is read from the userinfo endpoint. Over http
 * neither is protected; the console and `gateway doctor` warn.
 */
import { type Context, nowSec } from '../../../context.ts';
import { reasonParams } from '../../../domain/errors/error-reasons.ts';
import { AppError, type ErrorParams } from '../../../domain/errors/errors.ts';
import { requiredWebAddress } from '../../../domain/options/checks.ts';
import { parsedObject } from '../../../json/parse-json-object.ts';
import { type Identity, providerError, stringOr } from './identity.ts';
import { identityOf, type OidcCallback } from './oidc.ts';
import { pkceVerifierFields } from './pkce.ts';
import { fetchProviderObject, formPost, type ProviderResponse } from './provider-requests.ts';
import type { Proofs } from './sign-in-state.ts';
import { redirectUri } from './sites.ts';

const CLOCK_TOLERANCE_SEC = 60;

/** @throws AppError `oauth_failed`. */
export async function configuredOidcIdentity(
  ctx: Context,
  { code }: OidcCallback,
  proofs: Proofs | undefined,
): Promise<Identity> {
  const tokens = await exchange(ctx, code, proofs);
  const accessToken = stringOr(tokens.access_token);
  if (accessToken === '') throw providerError('oidc', 'server_no_access_token');
  const user = await fetchProviderObject(ctx, {
    provider: 'oidc',
    url: ctx.options().get('oidc.user_info_endpoint'),
    egress: egressOf(ctx),
    init: { headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' } },
  });
  if (tokens.id_token !== undefined) requireMatchingToken(ctx, tokens.id_token, user.sub, proofs);
  return identityOf(user);
}

/**
 * The endpoints in the discovery document at `url` (OpenID Connect Discovery 1.0, 3), fetched under
 * the same rules as at sign-in.
 * @throws AppError `discovery_failed`.
 */
export async function discoveredEndpoints(ctx: Context, url: string) {
  const document = await fetchProviderObject(ctx, {
    provider: 'oidc',
    url,
    egress: egressOf(ctx),
  }).catch((error: unknown) => {
    throw error instanceof AppError ? discoveryFailed(error.params) : error;
  });
  const endpointOf = (name: string): string => {
    const endpoint = stringOr(document[name]);
    if (requiredWebAddress(endpoint) !== undefined)
      throw discoveryFailed(reasonParams('server_no_endpoint', { name }));
    return endpoint;
  };
  return {
    authorization_endpoint: endpointOf('authorization_endpoint'),
    token_endpoint: endpointOf('token_endpoint'),
    userinfo_endpoint: endpointOf('userinfo_endpoint'),
  };
}

function discoveryFailed({ provider: _, ...params }: ErrorParams): AppError {
  return new AppError('discovery_failed', params, { param: 'url' });
}

function exchange(
  ctx: Context,
  code: string,
  proofs: Proofs | undefined,
): Promise<ProviderResponse> {
  const options = ctx.options();
  const secret = options.get('oidc.client_secret');
  return fetchProviderObject(ctx, {
    provider: 'oidc',
    url: options.get('oidc.token_endpoint'),
    egress: egressOf(ctx),
    init: formPost({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri(ctx, 'oidc'),
      client_id: options.get('oidc.client_id'),
      ...(secret === '' ? {} : { client_secret: secret }),
      ...pkceVerifierFields(proofs),
    }),
  });
}

function egressOf({ config }: Context) {
  return { allowPrivate: config.allowPrivateIdentityHosts };
}

/** Requires a valid token for this client, this sign-in and the same user. */
function requireMatchingToken(
  ctx: Context,
  idToken: unknown,
  subject: unknown,
  proofs: Proofs | undefined,
): void {
  const claims = claimsOf(stringOr(idToken));
  const audience = [claims.aud].flat();
  const fits =
    audience.includes(ctx.options().get('oidc.client_id')) &&
    claims.sub === subject &&
    typeof claims.exp === 'number' &&
    claims.exp > nowSec(ctx) - CLOCK_TOLERANCE_SEC &&
    (proofs === undefined || claims.nonce === proofs.nonce);
  if (!fits) throw providerError('oidc', 'server_id_token_foreign');
}

function claimsOf(jwt: string): ProviderResponse {
  return parsedObject(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
}
