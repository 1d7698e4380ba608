/** How the identity providers look, and which of them a site offers. */
import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconFingerprint,
  IconUsersGroup,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { IdentityProvider } from '../../../../src/domain/identity-providers.ts';
import type { Status } from '../../lib/site/site-status.ts';

export const PROVIDER_ICONS: Record<IdentityProvider, ReactNode> = {
  github: <IconBrandGithub size={18} />,
  oidc: <IconFingerprint size={18} />,
  linuxdo: <IconUsersGroup size={18} />,
  wechat: <IconBrandWechat size={18} />,
  telegram: <IconBrandTelegram size={18} />,
};

/** The field of the status. */
const OFFERS = {
  github: 'github_oauth',
  oidc: 'oidc_enabled',
  linuxdo: 'linuxdo_oauth',
  wechat: 'wechat_login',
  telegram: 'telegram_oauth',
} as const satisfies Record<IdentityProvider, keyof Status>;

/** In the order of the sign-in page. */
export function offeredProviders(status: Status | undefined): readonly IdentityProvider[] {
  const all = Object.keys(OFFERS) as (keyof typeof OFFERS)[]; // its own keys
  return all.filter((provider) => status?.[OFFERS[provider]] === true);
}
