/** The identities linked to an account, and those it may still link. */
import {
  IDENTITY_PROVIDERS,
  type IdentityProvider,
} from '../../../../../src/domain/identity-providers.ts';
import { offeredProviders } from '../../../components/identity/providers.tsx';
import type { Self } from '../../../lib/api/account.ts';
import type { Status } from '../../../lib/site/site-status.ts';

export interface Binding {
  readonly provider: IdentityProvider;
  /** The provider's id of the account; '' is not linked. */
  readonly value: string;
  /** The site offers this sign-in method. */
  readonly isOffered: boolean;
}

/** In display order. */
const BINDABLE = ['wechat', 'github', 'oidc', 'telegram', 'linuxdo'] as const;

export function bindingsOf(self: Self, status: Status | undefined): Binding[] {
  const offered = offeredProviders(status);
  return BINDABLE.map((provider) => ({
    provider,
    value: self[IDENTITY_PROVIDERS[provider].column],
    isOffered: offered.includes(provider),
  }));
}
