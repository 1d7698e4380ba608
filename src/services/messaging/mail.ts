/** Sends mail through the server configured in the options. */

import type { Context } from '../../context.ts';
import { type ErrorReason, reasonParams } from '../../domain/errors/error-reasons.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { trustedAuthorities } from '../network/egress.ts';
import type { MailAccount, MailServer } from './mailer.ts';

export interface Mail {
  /** One address, or several separated by semicolons. */
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  /** The plain-text alternative. */
  readonly text: string;
}

type MailContext = Pick<Context, 'config' | 'options' | 'mailer' | 'random' | 'log'>;

const TLS_PORT = 465;
const MAX_RECEIVERS = 50;
const CONTROL = /\p{Cc}/u;
/** No spaces, and nothing that would make a header hold more than one address. */
const ADDRESS = /^[^\s@<>()[\],;:"\\\p{Cc}]+@[^\s@<>()[\],;:"\\\p{Cc}]+$/u;
/** Needs SMTPUTF8 (RFC 6531), without which the library sends it all the same. */
const NEEDS_SMTPUTF8 = /[^\p{ASCII}].*@/u;
/** OpenSSL's words when only one side of the connection begins with TLS. */
const TLS_DIFFERS = /SSL routines|EPROTO|wrong version number/i;
/** Microsoft's servers offer PLAIN but reject it. */
const WANTS_LOGIN = /outlook|onmicrosoft/i;
const AZURE_SERVER = 'smtp.azurecomm.net';

export function isMailConfigured(ctx: Pick<Context, 'options'>): boolean {
  return ctx.options().get('SMTPServer') !== '' && senderOf(ctx) !== '';
}

/**
 * Resolves when the server has accepted the mail for at least one recipient.
 * @throws AppError mail_not_configured; input_invalid for an address or subject that would break
 * out of its header; mail_failed with a short reason.
 */
export async function sendMail(ctx: MailContext, mail: Mail): Promise<void> {
  if (!isMailConfigured(ctx)) throw new AppError('mail_not_configured');
  const to = receiversOf(mail.to);
  if (CONTROL.test(mail.subject)) throw invalidInput('subject', 'has_line_breaks');
  const address = senderOf(ctx);
  if (!ADDRESS.test(address)) throw failed('mail_sender');
  const letter = {
    from: {
      name: ctx
        .options()
        .get('SystemName')
        .replaceAll(/\p{Cc}/gu, ' '),
      address,
    },
    to,
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    messageId: `<${ctx.random(16).toString('hex')}@${address.slice(address.indexOf('@') + 1)}>`,
  };
  try {
    await ctx.mailer.send(serverOf(ctx), letter);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    ctx.log.warn({ err: cause, receivers: to.length }, 'a mail could not be sent');
    throw failed(reasonOf(cause), cause);
  }
}

function receiversOf(text: string): string[] {
  const receivers = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (receivers.length === 0 || receivers.length > MAX_RECEIVERS)
    throw invalidInput('to', 'receiver_count', { most: MAX_RECEIVERS });
  if (receivers.some((receiver) => NEEDS_SMTPUTF8.test(receiver)))
    throw invalidInput('to', 'receiver_not_ascii');
  if (CONTROL.test(text) || !receivers.every((receiver) => ADDRESS.test(receiver)))
    throw invalidInput('to', 'receiver_wrong');
  return [...new Set(receivers)];
}

function senderOf(ctx: Pick<Context, 'options'>): string {
  return ctx.options().get('SMTPFrom') || ctx.options().get('SMTPAccount');
}

function serverOf(ctx: MailContext): MailServer {
  const options = ctx.options();
  const host = options.get('SMTPServer');
  const port = options.get('SMTPPort');
  return {
    host,
    port,
    isSecure: port === TLS_PORT || options.get('SMTPSSLEnabled'),
    account: accountOf(host, options.get('SMTPAccount'), options.get('SMTPToken')),
    ca: trustedAuthorities(ctx),
  };
}

function accountOf(host: string, user: string, pass: string): MailAccount | undefined {
  if (user === '' || pass === '') return undefined;
  const wantsLogin = WANTS_LOGIN.test(user) || host.toLowerCase() === AZURE_SERVER;
  return { user, pass, method: wantsLogin ? 'LOGIN' : undefined };
}

const REASONS: Readonly<Record<string, ErrorReason>> = {
  EAUTH: 'mail_account_refused',
  ENOAUTH: 'mail_account_needed',
  EDNS: 'mail_host_unknown',
  ECONNECTION: 'mail_closed',
  ESOCKET: 'mail_unreachable',
  ETIMEDOUT: 'mail_slow',
  EABORT: 'mail_slow',
  ETLS: 'mail_unreachable',
  EENVELOPE: 'mail_address_refused',
  EMESSAGE: 'mail_refused',
};

/**
 * A reason safe for anyone to see, without the server's text, which may name hosts and accounts.
 */
function reasonOf(error: unknown): ErrorReason {
  if (error instanceof Error && TLS_DIFFERS.test(error.message)) return 'mail_tls_differs';
  const isMethod = error instanceof Error && 'responseCode' in error && error.responseCode === 504;
  if (isMethod) return 'mail_method_unknown';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? 'mail_error';
}

const EXPLAINED: ReadonlySet<ErrorReason> = new Set(['mail_tls_differs', 'mail_method_unknown']);

/** The mail server's own message, for administrators; undefined when none says more than `error`. */
export function mailServerMessage(error: AppError): string | undefined {
  const { cause } = error;
  if (!(cause instanceof Error) || EXPLAINED.has(reasonOf(cause))) return undefined;
  const words = 'response' in cause && cause.response ? String(cause.response) : cause.message;
  return words.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 300);
}

function failed(reason: ErrorReason, cause?: unknown): AppError {
  return new AppError('mail_failed', reasonParams(reason), { cause });
}
