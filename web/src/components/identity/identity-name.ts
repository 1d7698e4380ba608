import type { TFunction } from 'i18next';
import {
  IDENTITY_PROVIDERS,
  type IdentityProvider,
} from '../../../../src/domain/identity-providers.ts';

/** `GitHub`; some have a name of their own in Chinese. */
export function identityName(provider: IdentityProvider, t: TFunction): string {
  return t(`part.identity.${IDENTITY_PROVIDERS[provider].column}`);
}
