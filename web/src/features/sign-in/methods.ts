/** Third-party sign-in methods, in display order. */
import {
  IDENTITY_PROVIDERS,
  type IdentityProvider,
} from '../../../../src/domain/identity-providers.ts';
import type { Status } from '../../lib/site/site-status.ts';

export interface OutsideMethod {
  readonly provider: IdentityProvider;
  readonly label: string;
}

const SWITCHES: readonly (readonly [IdentityProvider, (status: Status) => boolean])[] = [
  ['github', (status) => status.github_oauth],
  ['oidc', (status) => status.oidc_enabled],
  ['linuxdo', (status) => status.linuxdo_oauth],
  ['wechat', (status) => status.wechat_login],
  ['telegram', (status) => status.telegram_oauth],
];

export function outsideMethods(status: Status | undefined): OutsideMethod[] {
  if (status === undefined) return [];
  return SWITCHES.filter(([, isOn]) => isOn(status)).map(([provider]) => ({
    provider,
    label: IDENTITY_PROVIDERS[provider].label,
  }));
}
