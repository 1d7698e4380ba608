/** What a provider told about somebody, checked, in one form for all of them. */
import { AppError } from '../../../domain/errors/errors.ts';
import { IDENTITY_PROVIDERS, type IdentityProvider } from '../../../domain/identity-providers.ts';

export interface Identity {
  readonly provider: IdentityProvider;
  /** Never changes and is never given to anybody else. */
  readonly subject: string;
  /** What older installations kept instead of `subject`. */
  readonly formerSubject?: string | undefined;
  /** Wished for as user name; '' for none. */
  readonly name: string;
  readonly displayName: string;
  /** Verified by the provider, else ''. */
  readonly email: string;
  /** Why no account may be made for it. */
  readonly refusal?: AppError | undefined;
}

const MAX_SUBJECT = 255;

/**
 * A subject as it may be stored and compared: MySQL ignores blanks at the end, so one that has any
 * could stand for another.
 * @throws AppError `oauth_failed`.
 */
export function subjectOf(provider: IdentityProvider, value: unknown): string {
  const subject = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const isUsable =
    typeof subject === 'string' &&
    subject !== '' &&
    subject.length <= MAX_SUBJECT &&
    subject.trim() === subject &&
    !/\p{C}/u.test(subject);
  if (isUsable) return subject;
  throw providerFailed(provider, 'it names nobody');
}

/** The provider did not answer, or not as it should; `problem` is for the operator's log as well. */
export function providerFailed(
  provider: IdentityProvider,
  problem: string,
  cause?: unknown,
): AppError {
  const { label } = IDENTITY_PROVIDERS[provider];
  // Of an address that may not be fetched the reason is known, and worded in the reader's language.
  const reason = cause instanceof AppError ? cause.params.reason : undefined;
  return new AppError(
    'oauth_failed',
    { provider: label, problem, ...(reason !== undefined && { reason }) },
    { cause },
  );
}

export function textOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}
