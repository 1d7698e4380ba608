/** Rules for the e-mail addresses of accounts. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { isEmailTaken } from '../../store/tables/users-table.ts';

/** Addresses are compared case-insensitively. */
export function addressKey(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Checks an address entered by a visitor or user; administrators may set any address.
 * @throws AppError email_domain_denied, email_alias_denied.
 */
export function requireAllowedEmail({ options }: Pick<Context, 'options'>, email: string): void {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1).toLowerCase()];
  const rules = options();
  const accepted = acceptedDomains(rules);
  if (accepted !== undefined && !accepted.includes(domain))
    throw new AppError('email_domain_denied', { domain }, { param: 'email' });
  if (rules.get('EmailAliasRestrictionEnabled') && /[+.]/.test(local))
    throw new AppError('email_alias_denied', {}, { param: 'email' });
}

/** In lower case; undefined if every domain is allowed. */
export function acceptedDomains(rules: OptionValues): string[] | undefined {
  if (!rules.get('EmailDomainRestrictionEnabled')) return undefined;
  return rules.get('EmailDomainWhitelist').map((name) => name.toLowerCase());
}

/** @throws AppError `email_taken`, also when a closed account has it. */
export async function requireFreeEmail(
  { db }: Pick<Context, 'db'>,
  email: string,
  except: number,
): Promise<void> {
  if (await isEmailTaken(db, email, except)) throw emailTaken();
}

function emailTaken(): AppError {
  return new AppError('email_taken', {}, { param: 'email' });
}
