/** Sign-in with external accounts, and linking them to the current account. */
import * as z from 'zod/mini';
import { IDENTITY_PROVIDER_NAMES, REDIRECT_PROVIDERS } from '../../domain/identity-providers.ts';
import { call } from '../call.ts';
import { problemMessage } from '../input-problem.ts';
import { SignedIn } from './account.ts';

const NO_CONTROL = z.regex(/^\P{Cc}*$/u, problemMessage('has_controls'));
const Code = z.string().check(z.minLength(1), z.maxLength(2048), NO_CONTROL);
const State = z.string().check(z.maxLength(128));
const AffCode = z.string().check(z.trim(), z.maxLength(32));
/** A path of this site. Not `//host` or `/\host`, which browsers resolve to another site. */
const ReturnTo = z
  .string()
  .check(
    z.maxLength(500),
    z.regex(/^(|\/(?![/\\])[^\\\p{C}]*)$/u, problemMessage('not_site_path')),
  );

/** The provider's callback parameters: a code, or an error. */
const Answer = z.object({
  code: z.optional(z.string().check(z.maxLength(2048))),
  state: z.optional(State),
  /** Issuer, if the provider sends it (RFC 9207). */
  iss: z.optional(z.string().check(z.maxLength(2048))),
  error: z.optional(z.string().check(z.maxLength(256))),
  error_description: z.optional(z.string()),
});

const Outcome = z.object({
  /** `bind` when the identity was linked to the signed-in account. */
  message: z.optional(z.string()),
  /** The account that is now signed in; absent after linking. */
  data: z.optional(SignedIn),
  /** Where the browser wanted to go when it started; absent if not given. */
  return_to: z.optional(z.string()),
});

const WithCode = z.object({ code: Code });
const WithCodeAndState = z.object({ code: Code, state: z.optional(State) });

/** The widget sends text values in the query; its script sends numbers where possible. */
const Given = z.pipe(
  z.union([z.string().check(z.maxLength(2048), NO_CONTROL), z.int()]),
  z.transform((value: string | number) => String(value)),
);
export const Widget = z.object({
  id: Given,
  first_name: z.optional(Given),
  last_name: z.optional(Given),
  username: z.optional(Given),
  photo_url: z.optional(Given),
  auth_date: Given,
  hash: Given,
  lang: z.optional(Given),
});
const WidgetAndState = z.extend(Widget, { state: z.optional(State) });

const callback = {
  input: Answer,
  reply: Outcome,
  wire: 'flat',
  critical: true,
  changesData: true,
} as const;
const guestGet = { critical: true, changesData: true } as const;
const guestPost = { critical: true } as const;
const ownGet = { ...guestGet, sessionOnly: true } as const;
const ownPost = { ...guestPost, sessionOnly: true } as const;

export const oauthCalls = {
  state: call.guest('GET /api/oauth/state', {
    ...guestGet,
    summary: 'Starts a sign-in with an identity provider and returns its state',
    input: z.object({ aff: z.optional(AffCode) }),
    reply: z.string(),
  }),
  start: call.guest('GET /api/oauth/:provider/start', {
    ...guestGet,
    summary: 'Starts a sign-in with an identity provider and returns the address to open',
    input: z.object({
      provider: z.enum(REDIRECT_PROVIDERS),
      aff: z.optional(AffCode),
      return_to: z.optional(ReturnTo),
    }),
    reply: z.object({ url: z.string(), state: z.string() }),
  }),
  github: call.guest('GET /api/oauth/github', {
    ...callback,
    summary: 'Signs in, registers or binds with the answer of GitHub',
  }),
  oidc: call.guest('GET /api/oauth/oidc', {
    ...callback,
    summary: 'Signs in, registers or binds with the answer of the OpenID Connect provider',
  }),
  discover: call.superAdmin('POST /api/oauth/oidc/discover', {
    summary: 'Reads the endpoints of an OpenID Connect provider from its discovery document',
    input: z.object({ url: z.string().check(z.trim(), z.maxLength(2000)) }),
    reply: z.object({
      authorization_endpoint: z.string(),
      token_endpoint: z.string(),
      userinfo_endpoint: z.string(),
    }),
  }),
  linuxdo: call.guest('GET /api/oauth/linuxdo', {
    ...callback,
    summary: 'Signs in, registers or binds with the answer of LINUX DO',
  }),
  wechat: call.guest('GET /api/oauth/wechat', {
    ...guestGet,
    summary: 'Signs in or registers with a code from the WeChat account',
    input: WithCodeAndState,
    reply: SignedIn,
  }),
  postWechat: call.guest('POST /api/oauth/wechat', {
    ...guestPost,
    summary: 'Signs in or registers with a code from the WeChat account',
    input: z.extend(WithCode, { aff: z.optional(AffCode) }),
    reply: SignedIn,
  }),
  bindWechat: call.user('GET /api/oauth/wechat/bind', {
    ...ownGet,
    summary: "Binds the WeChat account to the caller's account",
    input: WithCodeAndState,
  }),
  postBindWechat: call.user('POST /api/oauth/wechat/bind', {
    ...ownPost,
    summary: "Binds the WeChat account to the caller's account",
    input: WithCode,
  }),
  telegram: call.guest('GET /api/oauth/telegram/login', {
    ...guestGet,
    summary: 'Signs in to the account that a Telegram account is bound to',
    input: WidgetAndState,
    reply: SignedIn,
  }),
  postTelegram: call.guest('POST /api/oauth/telegram/login', {
    ...guestPost,
    summary: 'Signs in to the account that a Telegram account is bound to',
    input: Widget,
    reply: SignedIn,
  }),
  bindTelegram: call.user('GET /api/oauth/telegram/bind', {
    ...ownGet,
    summary:
      "Binds the Telegram account to the caller's account and redirects to the personal settings",
    input: WidgetAndState,
    reply: z.string(),
    wire: 'redirect',
  }),
  postBindTelegram: call.user('POST /api/oauth/telegram/bind', {
    ...ownPost,
    summary: "Binds the Telegram account to the caller's account",
    input: Widget,
  }),
  unbind: call.user('POST /api/oauth/unbind', {
    sessionOnly: true,
    summary: "Unbinds an identity from the caller's account",
    input: z.object({ provider: z.enum(IDENTITY_PROVIDER_NAMES) }),
  }),
};
