/** A verified identity, in one form for all providers. */
import { AppError } from '../../../domain/errors/errors.ts';
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
  throw providerError(provider, 'it names no user');
}

/** The provider did not respond, or not as expected; `problem` also goes to the operator's log. */
export function providerError(
  provider: IdentityProvider,
  problem: string,
  cause?: unknown,
): AppError {
  // For a refused address the reason is known and translated.
  const reason = cause instanceof AppError ? cause.params.reason : undefined;
  return new AppError(
    'oauth_failed',
    { provider, problem, ...(reason !== undefined && { reason }) },
    { cause },
  );
}

export function stringOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}
