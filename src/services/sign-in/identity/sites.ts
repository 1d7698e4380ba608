/** The redirect URLs of this site and the identity providers it offers. */
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import {
  IDENTITY_PROVIDERS,
  type IdentityProvider,
  type RedirectProvider,
} from '../../../domain/identity-providers.ts';

/** The page to which a provider redirects the browser; it must be registered there. */
export function redirectUri(
  { options }: Pick<Context, 'options'>,
  provider: RedirectProvider,
): string {
  return `${options().get('ServerAddress').replace(/\/+$/, '')}/oauth/${provider}`;
}

/** @throws AppError `oauth_off` while the provider is disabled. */
export function requireProviderEnabled(
  { options }: Pick<Context, 'options'>,
  provider: IdentityProvider,
): void {
  const { enabledBy } = IDENTITY_PROVIDERS[provider];
  if (!options().get(enabledBy)) throw new AppError('oauth_off', { provider });
}
