/** Sign-in with LINUX DO Connect: OAuth 2.0, then one call for the forum account. */
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { type Identity, providerError, requireSubject, stringOr } from './identity.ts';
import { pkceChallenge, pkceVerifierFields } from './pkce.ts';
import { fetchProviderObject, formPost, type ProviderResponse } from './provider-requests.ts';
import type { Proofs } from './sign-in-state.ts';
import { redirectUri } from './sites.ts';

const LABEL = 'LINUX DO';
/** Set by the machine's operator. */
const egress = { allowPrivate: true } as const;

export function linuxdoSignInUrl(ctx: Context, state: string, proofs: Proofs): string {
  const page = new URL(`${ctx.config.linuxdoUrl}/oauth2/authorize`);
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: ctx.options().get('LinuxDOClientId'),
    redirect_uri: redirectUri(ctx, 'linuxdo'),
    state,
    ...pkceChallenge(proofs),
  }).toString();
  return page.href;
}

/** @throws AppError oauth_failed. */
export async function linuxdoIdentity(
  ctx: Context,
  code: string,
  proofs: Proofs | undefined,
): Promise<Identity> {
  const token = await exchange(ctx, code, proofs);
  const user = await fetchProviderObject(ctx, {
    provider: 'linuxdo',
    url: `${ctx.config.linuxdoUrl}/api/user`,
    egress,
    init: { headers: { authorization: `Bearer ${token}`, accept: 'application/json' } },
  });
  return {
    provider: 'linuxdo',
    subject: requireSubject('linuxdo', user.id),
    name: '',
    displayName: stringOr(user.name) || stringOr(user.username),
    // The forum does not report whether an address is verified.
    email: '',
    refusal: refusalOf(ctx, user),
  };
}

async function exchange(ctx: Context, code: string, proofs: Proofs | undefined): Promise<string> {
  const id = ctx.options().get('LinuxDOClientId');
  const secret = ctx.options().get('LinuxDOClientSecret');
  const form = formPost({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri(ctx, 'linuxdo'),
    ...pkceVerifierFields(proofs),
  });
  const basic = Buffer.from(`${id}:${secret}`).toString('base64');
  const answer = await fetchProviderObject(ctx, {
    provider: 'linuxdo',
    url: `${ctx.config.linuxdoUrl}/oauth2/token`,
    egress,
    init: { ...form, headers: { ...form.headers, authorization: `Basic ${basic}` } },
  });
  const token = stringOr(answer.access_token);
  if (token === '') throw providerError('linuxdo', 'server_no_access_token');
  return token;
}

/** Why a user may not create an account here; existing accounts are not checked again. */
function refusalOf(ctx: Context, user: ProviderResponse): AppError | undefined {
  if (user.active === false || user.silenced === true)
    return new AppError('oauth_account_inactive', { provider: LABEL });
  const level = typeof user.trust_level === 'number' ? user.trust_level : 0;
  const needed = ctx.options().get('LinuxDOMinimumTrustLevel');
  return level < needed ? new AppError('oauth_trust_low', { level, needed }) : undefined;
}
