/** Sign-in with an external account, from the redirect to the session. */

import type { oauthCalls } from '../../../api/accounts/oauth.ts';
import type { Service } from '../../../api/call.ts';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import type { IdentityProvider, RedirectProvider } from '../../../domain/identity-providers.ts';
import { ownId } from '../../logs/audit.ts';
import { githubIdentity, githubSignInUrl } from './github.ts';
import type { Identity } from './identity.ts';
import {
  bindIdentity,
  signInWithBoundIdentity,
  signInWithIdentity,
  unbindIdentity,
} from './identity-sign-in.ts';
import { linuxdoIdentity, linuxdoSignInUrl } from './linuxdo.ts';
import { discoveredOidcIdentity, type OidcCallback, oidcSignInUrl } from './oidc.ts';
import { configuredOidcIdentity, discoveredEndpoints } from './oidc-endpoints.ts';
import { newPkceProofs } from './pkce.ts';
import {
  consumeState,
  consumeStateOrAny,
  type Proofs,
  startSignInState,
  type Visitor,
} from './sign-in-state.ts';
import { requireProviderEnabled } from './sites.ts';
import { telegramIdentity } from './telegram.ts';
import { wechatIdentity } from './wechat.ts';

type Calls = Service<typeof oauthCalls, Context>;

interface RedirectFlow {
  /** URL of the provider's page to redirect the browser to. */
  readonly page: (ctx: Context, state: string, proofs: Proofs) => string | Promise<string>;
  readonly identify: (
    ctx: Context,
    answer: OidcCallback,
    proofs: Proofs | undefined,
  ) => Promise<Identity>;
}

const REDIRECT_FLOWS: Readonly<Record<RedirectProvider, RedirectFlow>> = {
  github: {
    page: githubSignInUrl,
    identify: (ctx, { code }, proofs) => githubIdentity(ctx, code, proofs),
  },
  oidc: {
    page: oidcSignInUrl,
    identify: (ctx, answer, proofs) =>
      ctx.options().get('oidc.well_known') === ''
        ? configuredOidcIdentity(ctx, answer, proofs)
        : discoveredOidcIdentity(ctx, answer, proofs),
  },
  linuxdo: {
    page: linuxdoSignInUrl,
    identify: (ctx, { code }, proofs) => linuxdoIdentity(ctx, code, proofs),
  },
};

export const state: Calls['state'] = (ctx, actor, { aff }, visit) =>
  startSignInState(ctx, { actor, visit }, { affCode: aff });

export const start: Calls['start'] = async (ctx, actor, input, visit) => {
  const { provider, aff, return_to } = input;
  requireProviderEnabled(ctx, provider);
  const proofs = newPkceProofs(ctx);
  const given = { provider, proofs, affCode: aff, returnTo: return_to };
  const state = await startSignInState(ctx, { actor, visit }, given);
  return { url: await REDIRECT_FLOWS[provider].page(ctx, state, proofs), state };
};

export const github: Calls['github'] = (ctx, actor, input, visit) =>
  handleRedirect(ctx, { actor, visit }, 'github', input);

export const oidc: Calls['oidc'] = (ctx, actor, input, visit) =>
  handleRedirect(ctx, { actor, visit }, 'oidc', input);

export const discover: Calls['discover'] = (ctx, _actor, { url }) => discoveredEndpoints(ctx, url);

export const linuxdo: Calls['linuxdo'] = (ctx, actor, input, visit) =>
  handleRedirect(ctx, { actor, visit }, 'linuxdo', input);

/**
 * Handles the browser's return with a code. Links the identity if a session exists, otherwise signs
 * in.
 */
async function handleRedirect(
  ctx: Context,
  visitor: Visitor,
  provider: RedirectProvider,
  input: Parameters<Calls['github']>[2],
) {
  const state = await consumeState(ctx, visitor, { provider, state: input.state });
  requireProviderEnabled(ctx, provider);
  const { code, iss } = input;
  if (!code || input.error) throw new AppError('oauth_denied', { provider });
  const identity = await REDIRECT_FLOWS[provider].identify(ctx, { code, iss }, state.proofs);
  const returnTo = state.returnTo === '' ? {} : { return_to: state.returnTo };
  if (state.userId > 0) {
    await bindIdentity(ctx, state.userId, identity);
    return { message: 'bind', ...returnTo };
  }
  return {
    message: '',
    data: await signInWithIdentity(ctx, visitor.visit, identity, state.affCode),
    ...returnTo,
  };
}

export const wechat: Calls['wechat'] = async (ctx, actor, input, visit) => {
  const back = { provider: 'wechat', state: input.state } as const;
  const { affCode } = await consumeStateOrAny(ctx, { actor, visit }, back);
  return signInWithIdentity(ctx, visit, await wechatUser(ctx, input.code), affCode);
};

export const postWechat: Calls['postWechat'] = async (ctx, _actor, input, visit) =>
  signInWithIdentity(ctx, visit, await wechatUser(ctx, input.code), input.aff ?? '');

export const bindWechat: Calls['bindWechat'] = async (ctx, actor, input, visit) => {
  await consumeStateOrAny(ctx, { actor, visit }, { provider: 'wechat', state: input.state });
  await bindIdentity(ctx, ownId(actor), await wechatUser(ctx, input.code));
};

export const postBindWechat: Calls['postBindWechat'] = async (ctx, actor, { code }) => {
  await bindIdentity(ctx, ownId(actor), await wechatUser(ctx, code));
};

async function wechatUser(ctx: Context, code: string): Promise<Identity> {
  requireProviderEnabled(ctx, 'wechat');
  return wechatIdentity(ctx, code);
}

export const telegram: Calls['telegram'] = async (ctx, actor, input, visit) => {
  await consumeStateOrAny(ctx, { actor, visit }, { provider: 'telegram', state: input.state });
  return signInWithBoundIdentity(ctx, visit, telegramUser(ctx, input));
};

export const postTelegram: Calls['postTelegram'] = async (ctx, _actor, input, visit) =>
  signInWithBoundIdentity(ctx, visit, telegramUser(ctx, input));

/** The console page that shows linked identities. */
const PERSONAL_PAGE = '/app/me';

export const bindTelegram: Calls['bindTelegram'] = async (ctx, actor, input, visit) => {
  await consumeStateOrAny(ctx, { actor, visit }, { provider: 'telegram', state: input.state });
  await bindIdentity(ctx, ownId(actor), telegramUser(ctx, input));
  return PERSONAL_PAGE;
};

export const postBindTelegram: Calls['postBindTelegram'] = async (ctx, actor, input) => {
  await bindIdentity(ctx, ownId(actor), telegramUser(ctx, input));
};

function telegramUser(ctx: Context, data: Parameters<typeof telegramIdentity>[1]): Identity {
  requireProviderEnabled(ctx, 'telegram');
  return telegramIdentity(ctx, data);
}

export const unbind: Calls['unbind'] = async (ctx, actor, { provider }) => {
  await unbindIdentity(ctx, ownId(actor), provider satisfies IdentityProvider);
};
