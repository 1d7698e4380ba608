/**
 * Verification by mail: six-digit codes that confirm an address, and links that reset a password.
 * Codes are stored as keyed hashes, can be used once, and work on every node.
 */

import type { accountCalls } from '../../api/accounts/account.ts';
import type { Service, Visit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { USER_STATUS } from '../../domain/statuses.ts';
import { translator } from '../../locales/text.ts';
import { pruneExpired } from '../../store/tables/expired-rows.ts';
import {
  type CodePurpose,
  consumeCode,
  countCodeUse,
  deleteCode,
  isValidCode,
  putCode,
} from '../../store/tables/one-time-codes-table.ts';
import { type UserRow, updateUser, userByEmail } from '../../store/tables/users-table.ts';
import { mailLanguage } from '../access/account-language.ts';
import { changeUser } from '../accounts/user-changes.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import {
  addressKey,
  requireAllowedEmail,
  requireFreeEmail,
} from '../credentials/email-addresses.ts';
import { hashPassword } from '../credentials/passwords.ts';
import { endAllSessions } from '../credentials/sessions.ts';
import { ownId, recordAction } from '../logs/audit.ts';
import { isMailConfigured, sendMail } from '../messaging/mail.ts';
import { randomBetween } from '../random/random-number.ts';
import { randomText } from '../random/random-text.ts';

type Calls = Service<typeof accountCalls, Context>;

const VALID_SEC = { verification: 3 * 60, reset: 10 * 60 } as const;
const RESEND_SEC = 30;
const ATTEMPTS = 5;
const TOKEN_BYTES = 16;
const GENERATED_PASSWORD_LENGTH = 12;

/**
 * Resolves when the mail has been sent.
 * @throws AppError email_domain_denied, email_alias_denied, email_taken, email_code_wait,
 * mail_not_configured, mail_failed.
 */
export const sendCode: Calls['sendCode'] = async (ctx, _actor, { email }, visit) => {
  requireAllowedEmail(ctx, email);
  await requireFreeEmail(ctx, email, 0);
  const code = String(randomBetween(ctx.random, 0, 999_999)).padStart(6, '0');
  await mailCode(ctx, 'verification', email, { code, facts: { code } }, visit.language);
};

/**
 * Returns the same result at once for every address, so that the timing does not reveal accounts.
 * At a terminal the mail is awaited, because the process ends afterwards.
 * @throws AppError `mail_not_configured`.
 */
export const requestReset: Calls['requestReset'] = async (ctx, _actor, { email }, visit) => {
  // Refused for every address, so that the error does not reveal which are known.
  if (!isMailConfigured(ctx)) throw new AppError('mail_not_configured');
  const mailed = mailResetLink(ctx, email, visit.language).catch((error: Error) => {
    ctx.log.error({ err: error }, 'a reset link could not be mailed');
  });
  if (visit.via === 'terminal') await mailed;
};

async function mailResetLink(
  ctx: Context,
  email: string,
  language: Visit['language'],
): Promise<void> {
  const user = await userByEmail(ctx.reads, email);
  if (user === undefined || !mayReset(user)) return;
  const code = ctx.random(TOKEN_BYTES).toString('hex');
  const query = new URLSearchParams({ email: user.email, token: code });
  const link = `${ctx.options().get('ServerAddress')}/user/reset?${query}`;
  const facts = { link };
  await mailCode(ctx, 'reset', user.email, { code, facts }, mailLanguage(ctx, user, language));
}

function mayReset(user: UserRow): boolean {
  return user.deleted_at === null && user.status === USER_STATUS.enabled;
}

/** @throws AppError `reset_link_wrong`. */
export const resetPassword: Calls['resetPassword'] = async (ctx, _actor, input) => {
  const isChosen = input.password !== undefined && input.password !== '';
  const password = isChosen
    ? (input.password ?? '')
    : randomText(ctx.random, GENERATED_PASSWORD_LENGTH);
  // Avoids hashing for invalid links; the transaction below decides.
  const isLive = await isValidCode(
    ctx.db,
    keyOf(ctx, 'reset', input.email, input.token),
    nowSec(ctx),
  );
  if (!isLive) throw linkWrong();
  const hash = await hashPassword(password);
  await writing(ctx, async (ctx) => {
    const isRight = await consumeMailedCode(ctx, 'reset', input.email, input.token);
    const user = isRight ? await userByEmail(ctx.db, input.email) : undefined;
    if (user === undefined || !mayReset(user)) throw linkWrong();
    await updateUser(ctx.db, user.id, { password: hash });
    const actor = { kind: 'user', id: user.id, role: 1, group: user.group } as const;
    await recordAction(ctx, actor, {
      action: 'user_reset',
      event: { event: 'password_reset' },
      user,
    });
    await endAllSessions(ctx, user.id);
  });
  return isChosen ? '' : password;
};

/** @throws AppError email_code_wrong, email_domain_denied, email_alias_denied, email_taken. */
export const bindEmail: Calls['bindEmail'] = async (ctx, actor, { email, code }) => {
  const id = ownId(actor);
  requireAllowedEmail(ctx, email);
  await countCodeAttempt(ctx, email);
  await changeUser(ctx, id, async (ctx, user) => {
    await consumeVerificationCode(ctx, email, code);
    await requireFreeEmail(ctx, email, id);
    await updateUser(ctx.db, id, { email });
    await recordAction(ctx, actor, { action: 'user_email', event: { event: 'email_bound' }, user });
  });
};

/**
 * Call before the transaction that uses a code, so that a wrong attempt counts even if that
 * transaction is rolled back, and concurrent attempts all count.
 * @throws AppError `email_code_wrong` without a valid code or remaining attempts.
 */
export async function countCodeAttempt(ctx: Context, email: string): Promise<void> {
  const key = { purpose: 'verification', address: addressKey(email) } as const;
  const limits = { attempts: ATTEMPTS, nowSec: nowSec(ctx) };
  if (!(await countCodeUse(ctx.db, key, limits))) throw codeWrong();
}

/** Uses up the code in this transaction. @throws AppError `email_code_wrong`. */
export async function consumeVerificationCode(
  ctx: TxContext,
  email: string,
  code: string,
): Promise<void> {
  if (!(await consumeMailedCode(ctx, 'verification', email, code))) throw codeWrong();
}

function consumeMailedCode(
  ctx: TxContext,
  purpose: CodePurpose,
  email: string,
  code: string,
): Promise<boolean> {
  return consumeCode(ctx.db, keyOf(ctx, purpose, email, code), nowSec(ctx));
}

function keyOf(ctx: Context, purpose: CodePurpose, email: string, code: string) {
  const address = addressKey(email);
  return { purpose, address, code_hash: hashOf(ctx, purpose, address, code) };
}

interface CodeMail {
  readonly code: string;
  /** Values for the mail's text. */
  readonly facts: Readonly<Record<string, string>>;
}

async function mailCode(
  ctx: Context,
  purpose: CodePurpose,
  email: string,
  { code, facts }: CodeMail,
  language: Visit['language'],
): Promise<void> {
  const key = keyOf(ctx, purpose, email, code);
  const sent_at = nowSec(ctx);
  const isStored = await writing(ctx, async (ctx) => {
    await pruneExpired(ctx.db, 'one_time_codes', sent_at - RESEND_SEC);
    const row = { ...key, sent_at, expires_at: sent_at + VALID_SEC[purpose] };
    return putCode(ctx.db, row, sent_at - RESEND_SEC);
  });
  if (!isStored)
    throw new AppError('email_code_wait', { seconds: RESEND_SEC }, { retryAfterSec: RESEND_SEC });
  try {
    await sendMail(ctx, { to: email, ...codeMail(ctx, purpose, facts, language) });
  } catch (error) {
    await deleteCode(ctx.db, key);
    throw error;
  }
}

function codeMail(
  ctx: Context,
  purpose: CodePurpose,
  facts: CodeMail['facts'],
  language: Visit['language'],
): { subject: string; text: string; html: string } {
  const t = translator(language);
  const site = ctx
    .options()
    .get('SystemName')
    .replaceAll(/\p{Cc}/gu, ' ');
  const values = { ...facts, site, minutes: VALID_SEC[purpose] / 60 };
  const html = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, markup(name, String(value))]),
  );
  return {
    subject: t(`account_mail.${purpose}_subject`, values),
    text: t(`account_mail.${purpose}`, values),
    html: `<p>${t(`account_mail.${purpose}`, html)}</p>`,
  };
}

function markup(name: string, value: string): string {
  const text = value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  if (name === 'link') return `<a href="${text}">${text}</a>`;
  return name === 'code' ? `<strong>${text}</strong>` : text;
}

function hashOf(ctx: Context, purpose: CodePurpose, address: string, code: string): string {
  return ctx.secrets.hash(`${purpose}:${address}:${code.trim()}`);
}

function linkWrong(): AppError {
  return new AppError('reset_link_wrong', {}, { param: 'token' });
}

function codeWrong(): AppError {
  return new AppError('email_code_wrong');
}
