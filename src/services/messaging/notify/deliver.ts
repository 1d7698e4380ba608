/** Delivers a notice to its receiver, with or without retries. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { AppError, asAppError } from '../../../domain/errors/errors.ts';
import { fetchForUser } from '../../network/worker-fetch.ts';
import { sendMail } from '../mail.ts';
import { deliverToInbox } from './inbox.ts';
import { htmlText, type Notification, plainText } from './notification.ts';
import { buildPost, refusalIn } from './post-forms.ts';
import type { NotificationReceiver } from './receiver.ts';

const WEBHOOK_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 65_536;
/** Pauses between attempts. */
const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000];

/** A temporary failure that is worth a retry, unlike a refused address or a wrong setting. */
class TemporaryFailure extends Error {
  readonly status: string;
  constructor(status: string) {
    super(`status ${status}`);
    this.status = status;
  }
}

/**
 * Delivers once.
 * @throws AppError notice_failed, mail_not_configured, mail_failed, fetch_refused, fetch_failed.
 */
export async function deliverNotification(
  ctx: Context,
  receiver: NotificationReceiver,
  notice: Notification,
): Promise<void> {
  try {
    await attempt(ctx, receiver, notice);
  } catch (error) {
    throw error instanceof TemporaryFailure
      ? new AppError('notice_failed', { status: error.status })
      : error;
  }
}

/**
 * Delivers with up to three attempts; once the signal fires, retries run without pauses.
 * @throws as `deliverNotification`.
 */
export async function deliverWithRetries(
  ctx: Context,
  receiver: NotificationReceiver,
  notice: Notification,
  signal: AbortSignal,
): Promise<void> {
  for (const pauseMs of RETRY_DELAYS_MS) {
    try {
      return await attempt(ctx, receiver, notice);
    } catch (error) {
      if (!isTemporary(error)) throw error;
    }
    await pause(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  await deliverNotification(ctx, receiver, notice);
}

function isTemporary(error: unknown): boolean {
  if (error instanceof TemporaryFailure) return true;
  const { code } = asAppError(error);
  return code === 'fetch_failed' || code === 'mail_failed';
}

async function attempt(
  ctx: Context,
  receiver: NotificationReceiver,
  notice: Notification,
): Promise<void> {
  if (receiver.kind === 'email') {
    const mail = { to: receiver.to, subject: notice.title };
    return sendMail(ctx, { ...mail, html: htmlText(notice), text: plainText(notice) });
  }
  if (receiver.kind === 'inbox') return deliverToInbox(ctx, receiver.userId, notice);
  const { url, body, headers } = buildPost(receiver.kind, notice, receiver, ctx.now());
  const answer = await fetchForUser(
    ctx,
    url,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    },
    { https: true },
  );
  const refusal = refusalIn(receiver.kind, answer);
  if (refusal === undefined) return;
  throw refusal.isTemporary
    ? new TemporaryFailure(refusal.status)
    : new AppError('notice_failed', { status: refusal.status });
}
