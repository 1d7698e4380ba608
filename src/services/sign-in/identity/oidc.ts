/**
 * Sign-in with an OpenID Connect provider (OpenID Connect Core 1.0, 3.1). With a discovery
 * document, issuer, signature, audience, nonce and times are checked. With only the endpoints
 * configured, issuer and keys are unknown: see `oidc-endpoints.ts`.
 */

import type { Configuration, CustomFetch, IDToken, UserInfoResponse } from 'openid-client';
import type { Context } from '../../../context.ts';
import { parsedUrl } from '../../../domain/addresses/parsed-url.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { usesPlainHttp } from '../../../domain/oidc-address.ts';
import { guardedFetch } from '../../network/egress.ts';
import {
  type Identity,
  providerCallError,
  providerError,
  requireSubject,
  stringOr,
} from './identity.ts';
import { pkceChallenge } from './pkce.ts';
import { PROVIDER_TIMEOUT_MS } from './provider-requests.ts';
import type { Proofs } from './sign-in-state.ts';
import { redirectUri } from './sites.ts';

/** Parameters with which the browser came back. */
export interface OidcCallback {
  readonly code: string;
  /** The issuer, if the provider sends it (RFC 9207). */
  readonly iss: string | undefined;
}

/** Claims of the ID token or the userinfo endpoint. */
export type OidcClaims = Readonly<Record<string, unknown>>;

/** Loaded on demand: most commands and sites do not need it. */
const library = () => import('openid-client');

/** @throws AppError `oauth_failed`. */
export async function oidcSignInUrl(ctx: Context, state: string, proofs: Proofs): Promise<string> {
  const page = new URL(await authorizationEndpoint(ctx));
  const fields = {
    response_type: 'code',
    client_id: ctx.options().get('oidc.client_id'),
    redirect_uri: redirectUri(ctx, 'oidc'),
    scope: 'openid profile email',
    state,
    nonce: proofs.nonce,
    ...pkceChallenge(proofs),
  };
  for (const [name, value] of Object.entries(fields)) page.searchParams.set(name, value);
  return page.href;
}

async function authorizationEndpoint(ctx: Context): Promise<string> {
  const configured = ctx.options().get('oidc.authorization_endpoint');
  const endpoint =
    ctx.options().get('oidc.well_known') === ''
      ? configured
      : (await discoverProvider(ctx)).serverMetadata().authorization_endpoint;
  if (endpoint && parsedUrl(endpoint)) return endpoint;
  throw providerError('oidc', 'server_no_endpoint', { name: 'authorization_endpoint' });
}

/**
 * The identity for a code, from a provider with a discovery document.
 * @throws AppError `oauth_failed`.
 */
export async function discoveredOidcIdentity(
  ctx: Context,
  { code, iss }: OidcCallback,
  proofs: Proofs | undefined,
): Promise<Identity> {
  const client = await library();
  const provider = await discoverProvider(ctx);
  const answer = new URL(redirectUri(ctx, 'oidc'));
  answer.searchParams.set('code', code);
  // Some consoles pass on only code and state. Their redirect URL is used by this provider only.
  answer.searchParams.set('iss', iss ?? provider.serverMetadata().issuer);
  return mapErrors(async () => {
    const tokens = await client.authorizationCodeGrant(provider, answer, {
      expectedState: client.skipStateCheck,
      idTokenExpected: true,
      ...(proofs === undefined
        ? {}
        : { pkceCodeVerifier: proofs.verifier, expectedNonce: proofs.nonce }),
    });
    const claims = tokens.claims();
    if (claims === undefined) throw providerError('oidc', 'server_no_id_token');
    const profile = await profileOf(provider, tokens.access_token, claims);
    return identityOf({ ...claims, ...profile });
  });
}

async function profileOf(
  provider: Configuration,
  accessToken: string,
  claims: IDToken,
): Promise<UserInfoResponse | undefined> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return undefined;
  const { fetchUserInfo } = await library();
  return fetchUserInfo(provider, accessToken, claims.sub);
}

/** The identity in the claims. An e-mail address counts only if the provider has verified it. */
export function identityOf(claims: OidcClaims): Identity {
  return {
    provider: 'oidc',
    subject: requireSubject('oidc', claims.sub),
    name: stringOr(claims.preferred_username),
    displayName: stringOr(claims.name),
    email: claims.email_verified === true ? stringOr(claims.email) : '',
  };
}

async function discoverProvider(ctx: Context): Promise<Configuration> {
  const client = await library();
  const { customFetch, allowInsecureRequests, enableNonRepudiationChecks } = client;
  const options = ctx.options();
  const transport = usesPlainHttp((key) => options.get(key)) ? [allowInsecureRequests] : [];
  return mapErrors(() =>
    client.discovery(
      new URL(options.get('oidc.well_known')),
      options.get('oidc.client_id'),
      undefined,
      clientAuth(client, options.get('oidc.client_secret')),
      {
        // The ID token's signature is checked although it comes directly from the provider.
        execute: [...transport, enableNonRepudiationChecks],
        timeout: PROVIDER_TIMEOUT_MS / 1000,
        [customFetch]: fetchVia(ctx),
      },
    ),
  );
}

/** In the body, as most providers accept it, unless the provider requires a header. */
function clientAuth(client: Awaited<ReturnType<typeof library>>, secret: string) {
  if (secret === '') return client.None();
  const [inBody, inHeader] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  const auth: typeof inBody = (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_post'];
    const chosen = methods.includes('client_secret_post') ? inBody : inHeader;
    chosen(server, ...request);
  };
  return auth;
}

/** Sends the library's requests through the egress guard. */
function fetchVia(ctx: Context): CustomFetch {
  return async (url, { method, headers, body }) => {
    const sent = body === undefined || body === null ? {} : { body: String(body) };
    const answer = await guardedFetch(
      ctx,
      url,
      {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        timeoutMs: PROVIDER_TIMEOUT_MS,
        ...sent,
      },
      { allowPrivate: ctx.config.allowPrivateIdentityHosts },
    );
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.bytes), {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

/** Maps any error of the library to the error catalogue; the details go to the log. */
async function mapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'oauth_failed') throw error;
    const reason = isInsecure(error) ? 'server_not_https' : 'server_answer_wrong';
    throw refusedFetchIn(error) ?? providerError('oidc', reason, {}, error);
  }
}

/** The library's refusal to send a secret over http. */
function isInsecure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'OAUTH_HTTP_REQUEST_FORBIDDEN';
}

/** The failure of the egress guard that caused the error. */
function refusedFetchIn(error: unknown): AppError | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof AppError) return providerCallError('oidc', at);
  return undefined;
}
