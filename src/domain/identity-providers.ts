/** External identity providers. Each row defines where an account stores its identity. */

export const IDENTITY_PROVIDERS = {
  github: {
    column: 'github_id',
    enabledBy: 'GitHubOAuthEnabled',
    namePrefix: 'github_',
    nameless: 'GitHub User',
  },
  oidc: {
    column: 'oidc_id',
    enabledBy: 'oidc.enabled',
    namePrefix: 'oidc_',
    nameless: 'OIDC User',
  },
  linuxdo: {
    column: 'linux_do_id',
    enabledBy: 'LinuxDOOAuthEnabled',
    namePrefix: 'linuxdo_',
    nameless: 'LINUX DO User',
  },
  wechat: {
    column: 'wechat_id',
    enabledBy: 'WeChatAuthEnabled',
    namePrefix: 'wechat_',
    nameless: 'WeChat User',
  },
  telegram: {
    column: 'telegram_id',
    enabledBy: 'TelegramOAuthEnabled',
    namePrefix: 'telegram_',
    nameless: 'Telegram User',
  },
} as const;

export type IdentityProvider = keyof typeof IDENTITY_PROVIDERS;

/** The providers that sign in by redirect with an authorization code. */
export const REDIRECT_PROVIDERS = ['github', 'oidc', 'linuxdo'] as const;
export type RedirectProvider = (typeof REDIRECT_PROVIDERS)[number];

export const IDENTITY_PROVIDER_NAMES = Object.keys(IDENTITY_PROVIDERS) as IdentityProvider[]; // its own keys
