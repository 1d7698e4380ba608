/** The identities linked to an account, and those it may still link. */
import {
  IDENTITY_PROVIDERS,
  type IdentityProvider,
} from '../../../../../src/domain/identity-providers.ts';
import type { Self } from '../../../lib/api/account.ts';
import type { Status } from '../../../lib/site/site-status.ts';

export interface Binding {
  readonly provider: IdentityProvider;
  /** The provider's id of the account; '' is not linked. */
  readonly value: string;
  /** The site offers this sign-in method. */
  readonly isOffered: boolean;
}

const IS_OFFERED: Record<IdentityProvider, (status: Status) => boolean> = {
  wechat: (status) => status.wechat_login,
  github: (status) => status.github_oauth,
  oidc: (status) => status.oidc_enabled,
  telegram: (status) => status.telegram_oauth,
  linuxdo: (status) => status.linuxdo_oauth,
};

/** In display order. */
const BINDABLE = ['wechat', 'github', 'oidc', 'telegram', 'linuxdo'] as const;

export function bindingsOf(self: Self, status: Status | undefined): Binding[] {
  return BINDABLE.map((provider) => ({
    provider,
    value: self[IDENTITY_PROVIDERS[provider].column],
    isOffered: status !== undefined && IS_OFFERED[provider](status),
  }));
}
