/** A local site with the fake providers enabled and helpers shared by all sign-in tests. */

import { afterAll } from 'vitest';
import type { ConfigFlags } from '../../../../src/config.ts';
import type { RedirectProvider } from '../../../../src/domain/identity-providers.ts';
import type { github } from '../../../../src/services/sign-in/identity/oauth.ts';
import type { Engine } from '../../../../src/store/connection/engine.ts';
import { createLocalSite, type LocalSite, OPERATOR } from '../../../support/local-site.ts';
import { aBrowser, type Browser } from './browser.ts';
import { type FakeProviders, type Granted, startFakeProviders } from './fake-providers.ts';

export interface SignInSite extends LocalSite {
  readonly fake: FakeProviders;
  option(key: string, value: string | boolean | number): Promise<void>;
  browser(): Browser;
  /** Runs a sign-in from start to result, at GitHub by default. */
  signIn(
    granted: Granted,
    given?: {
      readonly browser?: Browser;
      readonly provider?: RedirectProvider;
      readonly aff?: string;
      readonly return_to?: string;
    },
  ): Promise<Outcome>;
}

type Outcome = Awaited<ReturnType<typeof github>>;

export const BOT_TOKEN = '110201543:a-bot-token';

export async function createSignInSite(
  kind: Engine = 'sqlite',
  config: ConfigFlags = {},
): Promise<SignInSite> {
  const fake = await startFakeProviders();
  const { url } = fake;
  const there = await createLocalSite(kind, {
    githubUrl: url,
    githubApiUrl: url,
    linuxdoUrl: url,
    allowPrivateIdentityHosts: true,
    ...config,
  });
  const set = there.as(OPERATOR).option.set;
  const option: SignInSite['option'] = async (key, value) => {
    await set({ key, value: String(value) });
  };
  for (const [key, value] of Object.entries({ ...SETTINGS, WeChatServerAddress: url }))
    await option(key, value);
  for (const key of ENABLED) await option(key, true);
  const browser = () => aBrowser(there.ctx);
  return {
    ...there,
    fake,
    option,
    browser,
    async signIn(granted, { browser: used = browser(), provider = 'github', ...more } = {}) {
      const started = await used.call('start', { provider, ...more });
      const fields = new URL(started.url).searchParams;
      const code = fake.grant({
        challenge: fields.get('code_challenge') ?? '',
        ...granted,
        claims: { nonce: fields.get('nonce') ?? undefined, ...granted.claims },
      });
      return used.call(provider, { code, state: started.state });
    },
    async close() {
      await there.close();
      await fake.close();
    },
  };
}

const SETTINGS: Readonly<Record<string, string>> = {
  ServerAddress: 'https://gateway.example',
  GitHubClientId: 'gateway',
  GitHubClientSecret: 'github-secret',
  LinuxDOClientId: 'gateway',
  LinuxDOClientSecret: 'linuxdo-secret',
  'oidc.client_id': 'gateway',
  'oidc.client_secret': 'oidc-secret',
  WeChatServerToken: 'wechat-token',
  TelegramBotToken: BOT_TOKEN,
};

const ENABLED = [
  'GitHubOAuthEnabled',
  'LinuxDOOAuthEnabled',
  'oidc.enabled',
  'WeChatAuthEnabled',
  'TelegramOAuthEnabled',
];

/** One for all tests of a file, or of an async `describe`. */
export async function sharedSignInSite(
  ...options: Parameters<typeof createSignInSite>
): Promise<SignInSite> {
  const site = await createSignInSite(...options);
  afterAll(() => site.close());
  return site;
}
