/** Sign-in with an external account, from the redirect to the session. */
import { type Actor, type Service, terminalVisit } from '../../../api/call.ts';
import type { oauthCalls } from '../../../api/oauth.ts';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import {
  IDENTITY_PROVIDERS,
  type IdentityProvider,
  type RedirectProvider,
} from '../../../domain/identity-providers.ts';
import { bind, enter, enterBound, unbindIdentity } from './enter.ts';
import { githubIdentity, githubPage } from './github.ts';
import type { Identity } from './identity.ts';
import { linuxdoIdentity, linuxdoPage } from './linuxdo.ts';
import { discoveredOidcIdentity, type OidcAnswer, oidcPage } from './oidc.ts';
import { configuredOidcIdentity, discoveredEndpoints } from './oidc-endpoints.ts';
import { newProofs } from './pkce.ts';
import {
  openState,
  type Proofs,
  takeState,
  takeStateOrAny,
  type Visitor,
} from './sign-in-state.ts';
import { requireOffered } from './sites.ts';
import { telegramIdentity } from './telegram.ts';
import { wechatIdentity } from './wechat.ts';

type Calls = Service<typeof oauthCalls, Context>;

interface Redirecting {
  /** URL of the provider's page to redirect the browser to. */
  readonly page: (ctx: Context, state: string, proofs: Proofs) => string | Promise<string>;
  readonly identify: (
    ctx: Context,
    answer: OidcAnswer,
    proofs: Proofs | undefined,
  ) => Promise<Identity>;
}

const REDIRECTING: Readonly<Record<RedirectProvider, Redirecting>> = {
  github: {
    page: githubPage,
    identify: (ctx, { code }, proofs) => githubIdentity(ctx, code, proofs),
  },
  oidc: {
    page: oidcPage,
    identify: (ctx, answer, proofs) =>
      ctx.options().get('oidc.well_known') === ''
        ? configuredOidcIdentity(ctx, answer, proofs)
        : discoveredOidcIdentity(ctx, answer, proofs),
  },
  linuxdo: {
    page: linuxdoPage,
    identify: (ctx, { code }, proofs) => linuxdoIdentity(ctx, code, proofs),
  },
};

export const state: Calls['state'] = (ctx, actor, { aff }, visit = terminalVisit()) =>
  openState(ctx, { actor, visit }, { affCode: aff });

export const start: Calls['start'] = async (ctx, actor, input, visit = terminalVisit()) => {
  const { provider, aff, return_to } = input;
  requireOffered(ctx, provider);
  const proofs = newProofs(ctx);
  const given = { provider, proofs, affCode: aff, returnTo: return_to };
  const state = await openState(ctx, { actor, visit }, given);
  return { url: await REDIRECTING[provider].page(ctx, state, proofs), state };
};

export const github: Calls['github'] = (ctx, actor, input, visit = terminalVisit()) =>
  comeBack(ctx, { actor, visit }, 'github', input);

export const oidc: Calls['oidc'] = (ctx, actor, input, visit = terminalVisit()) =>
  comeBack(ctx, { actor, visit }, 'oidc', input);

export const discover: Calls['discover'] = (ctx, _actor, { url }) => discoveredEndpoints(ctx, url);

export const linuxdo: Calls['linuxdo'] = (ctx, actor, input, visit = terminalVisit()) =>
  comeBack(ctx, { actor, visit }, 'linuxdo', input);

/**
 * Handles the browser's return with a code. Links the identity if a session exists, otherwise signs
 * in.
 */
async function comeBack(
  ctx: Context,
  visitor: Visitor,
  provider: RedirectProvider,
  input: Parameters<Calls['github']>[2],
) {
  const state = await takeState(ctx, visitor, { provider, state: input.state });
  requireOffered(ctx, provider);
  const { code, iss } = input;
  if (!code || input.error)
    throw new AppError('oauth_denied', { provider: IDENTITY_PROVIDERS[provider].label });
  const identity = await REDIRECTING[provider].identify(ctx, { code, iss }, state.proofs);
  const goOn = state.returnTo === '' ? {} : { return_to: state.returnTo };
  if (state.userId > 0) {
    await bind(ctx, state.userId, identity);
    return { message: 'bind', ...goOn };
  }
  return { message: '', data: await enter(ctx, visitor.visit, identity, state.affCode), ...goOn };
}

export const wechat: Calls['wechat'] = async (ctx, actor, input, visit = terminalVisit()) => {
  const back = { provider: 'wechat', state: input.state } as const;
  const { affCode } = await takeStateOrAny(ctx, { actor, visit }, back);
  return enter(ctx, visit, await wechatUser(ctx, input.code), affCode);
};

export const postWechat: Calls['postWechat'] = async (
  ctx,
  _actor,
  input,
  visit = terminalVisit(),
) => enter(ctx, visit, await wechatUser(ctx, input.code), input.aff ?? '');

export const bindWechat: Calls['bindWechat'] = async (
  ctx,
  actor,
  input,
  visit = terminalVisit(),
) => {
  await takeStateOrAny(ctx, { actor, visit }, { provider: 'wechat', state: input.state });
  await bind(ctx, userOf(actor), await wechatUser(ctx, input.code));
};

export const postBindWechat: Calls['postBindWechat'] = async (ctx, actor, { code }) => {
  await bind(ctx, userOf(actor), await wechatUser(ctx, code));
};

async function wechatUser(ctx: Context, code: string): Promise<Identity> {
  requireOffered(ctx, 'wechat');
  return wechatIdentity(ctx, code);
}

export const telegram: Calls['telegram'] = async (ctx, actor, input, visit = terminalVisit()) => {
  await takeStateOrAny(ctx, { actor, visit }, { provider: 'telegram', state: input.state });
  return enterBound(ctx, visit, telegramUser(ctx, input));
};

export const postTelegram: Calls['postTelegram'] = async (
  ctx,
  _actor,
  input,
  visit = terminalVisit(),
) => enterBound(ctx, visit, telegramUser(ctx, input));

/** The console page that shows linked identities. */
const PERSONAL_PAGE = '/app/me';

export const bindTelegram: Calls['bindTelegram'] = async (
  ctx,
  actor,
  input,
  visit = terminalVisit(),
) => {
  await takeStateOrAny(ctx, { actor, visit }, { provider: 'telegram', state: input.state });
  await bind(ctx, userOf(actor), telegramUser(ctx, input));
  return PERSONAL_PAGE;
};

export const postBindTelegram: Calls['postBindTelegram'] = async (ctx, actor, input) => {
  await bind(ctx, userOf(actor), telegramUser(ctx, input));
};

function telegramUser(ctx: Context, data: Parameters<typeof telegramIdentity>[1]): Identity {
  requireOffered(ctx, 'telegram');
  return telegramIdentity(ctx, data);
}

export const unbind: Calls['unbind'] = async (ctx, actor, { provider }) => {
  await unbindIdentity(ctx, userOf(actor), provider satisfies IdentityProvider);
};

/** @throws AppError `not_signed_in` at a terminal: owners link identities in a browser. */
function userOf(actor: Actor): number {
  if (actor.kind !== 'user' || actor.id === 0) throw new AppError('not_signed_in');
  return actor.id;
}
