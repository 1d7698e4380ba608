/**
 * Sign-in with GitHub or a GitHub Enterprise server (docs.github.com, "Authorizing OAuth apps").
 * Accounts are identified by their numeric id: login names can be changed and reassigned.
 */
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { type Identity, providerError, requireSubject, stringOr } from './identity.ts';
import { pkceChallenge, pkceVerifierFields } from './pkce.ts';
import {
  fetchProviderList,
  fetchProviderObject,
  type ProviderResponse,
} from './provider-requests.ts';
import type { Proofs } from './sign-in-state.ts';
import { redirectUri } from './sites.ts';

const LABEL = 'GitHub';
/** Set by the machine's operator, so a private Enterprise server is allowed. */
const egress = { allowPrivate: true } as const;

export function githubSignInUrl(ctx: Context, state: string, proofs: Proofs): string {
  const page = new URL(`${ctx.config.githubUrl}/login/oauth/authorize`);
  page.search = new URLSearchParams({
    client_id: ctx.options().get('GitHubClientId'),
    redirect_uri: redirectUri(ctx, 'github'),
    scope: 'read:user user:email',
    state,
    ...pkceChallenge(proofs),
  }).toString();
  return page.href;
}

/** @throws AppError oauth_failed, oauth_code_wrong. */
export async function githubIdentity(
  ctx: Context,
  code: string,
  proofs: Proofs | undefined,
): Promise<Identity> {
  const token = await exchange(ctx, code, proofs);
  const user = await fetchProviderObject(ctx, apiCall(ctx, '/user', token));
  const login = stringOr(user.login);
  return {
    provider: 'github',
    subject: requireSubject('github', user.id),
    // A login of digits only could equal another user's id.
    formerSubject: login === '' || /^\d+$/.test(login) ? undefined : login,
    name: '',
    displayName: stringOr(user.name),
    email: await verifiedEmail(ctx, token),
  };
}

async function exchange(ctx: Context, code: string, proofs: Proofs | undefined): Promise<string> {
  const answer = await fetchProviderObject(ctx, {
    provider: 'github',
    url: `${ctx.config.githubUrl}/login/oauth/access_token`,
    egress,
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        client_id: ctx.options().get('GitHubClientId'),
        client_secret: ctx.options().get('GitHubClientSecret'),
        code,
        redirect_uri: redirectUri(ctx, 'github'),
        ...pkceVerifierFields(proofs),
      }),
    },
  });
  // Errors come with status 200 as well.
  if (answer.error === 'bad_verification_code')
    throw new AppError('oauth_code_wrong', { provider: LABEL });
  const token = stringOr(answer.access_token);
  if (token === '') throw refusalOf(answer);
  return token;
}

function refusalOf({ error }: ProviderResponse): AppError {
  const name = stringOr(error);
  if (!/^[a-z_]{1,40}$/.test(name)) return providerError('github', 'server_no_access_token');
  return providerError('github', 'server_error', { text: name });
}

function apiCall(ctx: Context, path: string, token: string) {
  return {
    provider: 'github',
    url: `${ctx.config.githubApiUrl}${path}`,
    egress,
    init: {
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/vnd.github+json',
        // The API rejects requests without a user agent.
        'user-agent': 'ai-model-gateway',
      },
    },
  } as const;
}

/** The primary address if it is verified; '' if the app lacks the permission to read it. */
async function verifiedEmail(ctx: Context, token: string): Promise<string> {
  try {
    const emails = await fetchProviderList(ctx, apiCall(ctx, '/user/emails', token));
    const primary = emails.map(emailEntry).find((entry) => entry.primary && entry.verified);
    return primary?.email ?? '';
  } catch (error) {
    ctx.log.info({ err: error }, 'GitHub returned no e-mail address');
    return '';
  }
}

function emailEntry(entry: unknown) {
  const { email, primary, verified }: ProviderResponse = Object(entry);
  return { email: stringOr(email), primary: primary === true, verified: verified === true };
}
