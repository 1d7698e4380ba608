/** Third-party sign-in methods, in display order. */
import type { IdentityProvider } from '../../../../src/domain/identity-providers.ts';
import type { Status } from '../../lib/site/site-status.ts';

const SWITCHES: readonly (readonly [IdentityProvider, (status: Status) => boolean])[] = [
  ['github', (status) => status.github_oauth],
  ['oidc', (status) => status.oidc_enabled],
  ['linuxdo', (status) => status.linuxdo_oauth],
  ['wechat', (status) => status.wechat_login],
  ['telegram', (status) => status.telegram_oauth],
];

export function enabledProviders(status: Status | undefined): IdentityProvider[] {
  if (status === undefined) return [];
  return SWITCHES.filter(([, isOn]) => isOn(status)).map(([provider]) => provider);
}
