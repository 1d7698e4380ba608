/** A verified identity, in one form for all providers. */

import { type ErrorReason, reasonParams } from '../../../domain/errors/error-reasons.ts';
import { AppError, type ErrorParams } from '../../../domain/errors/errors.ts';
import type { IdentityProvider } from '../../../domain/identity-providers.ts';

export interface Identity {
  readonly provider: IdentityProvider;
  /** Permanent and never reassigned. */
  readonly subject: string;
  /** The identifier that older installations stored instead of `subject`. */
  readonly formerSubject?: string | undefined;
  /** Preferred user name; '' for none. */
  readonly name: string;
  readonly displayName: string;
  /** Verified by the provider, else ''. */
  readonly email: string;
  /** Why no account may be created for it. */
  readonly refusal?: AppError | undefined;
}

const MAX_SUBJECT = 255;

/**
 * Validates a subject before it is stored and compared: MySQL ignores trailing blanks, so a subject
 * with them could match another one.
 * @throws AppError `oauth_failed`.
 */
export function requireSubject(provider: IdentityProvider, value: unknown): string {
  const subject = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const isUsable =
    typeof subject === 'string' &&
    subject !== '' &&
    subject.length <= MAX_SUBJECT &&
    subject.trim() === subject &&
    !/\p{C}/u.test(subject);
  if (isUsable) return subject;
  throw providerError(provider, 'server_no_user');
}

/** The provider did not respond, or not as expected. */
export function providerError(
  provider: IdentityProvider,
  reason: ErrorReason,
  params: ErrorParams = {},
  cause?: unknown,
): AppError {
  return new AppError('oauth_failed', reasonParams(reason, { ...params, provider }), { cause });
}

/** The same for a failed call to the provider: with the reason, but not the host, which may be private. */
export function providerCallError(provider: IdentityProvider, cause: unknown): AppError {
  const { host: _, ...params } = cause instanceof AppError ? cause.params : {};
  if (params.reason === undefined) return providerError(provider, 'server_silent', {}, cause);
  return new AppError('oauth_failed', { ...params, provider }, { cause });
}

export function stringOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}
