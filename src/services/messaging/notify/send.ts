/** Sends notices in the background: selects the receivers, applies rate limits and delivers. */
import { type Context, nowSec } from '../../../context.ts';
import { asAppError } from '../../../domain/errors/errors.ts';
import { storedError } from '../../../locales/event-text.ts';
import { errorText } from '../../../locales/text.ts';
import { beginAlert, endAlert, noteAlert } from '../../../store/tables/alert-states-table.ts';
import {
  claimNotification,
  type NotificationLimit,
  releaseNotificationClaim,
  superAdminIds,
} from '../../../store/tables/notices-table.ts';
import { userById } from '../../../store/tables/users-table.ts';
import { mailLanguage } from '../../access/account-language.ts';
import { eventAudience } from '../../logs/audit.ts';
import { deliverWithRetries } from './deliver.ts';
import { deliverToInbox } from './inbox.ts';
import {
  type Notification,
  type NotificationFacts,
  notificationIn,
  plainText,
} from './notification.ts';
import { claimType, type NotificationTarget, siteTarget, userTarget } from './targets.ts';

/** A recurring event is reported twice, and then not for a while. */
const USUAL_LIMIT: NotificationLimit = { count: 2, windowSec: 600 };

/** Sent in the background. Call after the commit, never in a transaction. */
export function notifyUser(
  ctx: Context,
  userId: number,
  notice: NotificationFacts,
  limit: NotificationLimit = USUAL_LIMIT,
): void {
  ctx.background.run(`notice ${notice.type}`, (signal) =>
    sendToUser(ctx, userId, notice, limit, signal),
  );
}

/**
 * Notifies each super admin by their own settings, and the destinations of the site; `compose` runs
 * when the work starts.
 */
export function notifySuperAdmins(
  ctx: Context,
  type: string,
  compose: (ctx: Context) => Promise<NotificationFacts>,
  limit: NotificationLimit = USUAL_LIMIT,
): void {
  const outside = withoutFence(ctx);
  ctx.background.run(`notice ${type}`, async (signal) => {
    const ids = await superAdminIds(outside.reads);
    const notice = await compose(outside);
    await Promise.all([
      ...ids.map((id) => sendToUser(outside, id, notice, limit, signal)),
      sendToDestinations(outside, notice, limit, signal),
    ]);
  });
}

/** Resolves when each destination of the site got the notification, or was marked as failing. */
export async function sendToDestinations(
  ctx: Context,
  notice: NotificationFacts,
  limit: NotificationLimit,
  signal: AbortSignal,
): Promise<void> {
  const outside = withoutFence(ctx);
  const targets = ctx
    .options()
    .get('AlertDestinations')
    .map((each) => siteTarget(ctx, each));
  await Promise.all(targets.map((target) => sendTo(outside, target, notice, limit, signal)));
}

/** The lease of the work that triggered a notice may have ended when the notice is sent. */
function withoutFence({ fence: _, ...ctx }: Context): Context {
  return ctx;
}

/** The same for an account, by its own settings. */
export async function sendToUser(
  ctx: Context,
  userId: number,
  notice: NotificationFacts,
  limit: NotificationLimit,
  signal: AbortSignal,
): Promise<void> {
  const target = await userTarget(ctx, userId);
  if (target !== undefined) await sendTo(withoutFence(ctx), target, notice, limit, signal);
}

async function sendTo(
  ctx: Context,
  target: NotificationTarget,
  notice: NotificationFacts,
  limit: NotificationLimit,
  signal: AbortSignal,
): Promise<void> {
  const { userId, receiver, reader, subject } = target;
  const claim = { userId, type: claimType(target, notice.type), atSec: nowSec(ctx) };
  if (!(await claimNotification(ctx.db, claim, limit))) return;
  const worded = notificationIn(reader, notice);
  try {
    await deliverWithRetries(ctx, receiver, worded, signal);
    if (receiver.kind !== 'inbox') await endAlert(ctx.db, 'receiver', subject);
  } catch (error) {
    if (!limit.keepsFailed) await releaseNotificationClaim(ctx.db, claim);
    ctx.log.warn(
      { err: error, subject, type: notice.type },
      'a notification could not be delivered',
    );
    await markFailing(ctx, subject, error);
    await reportUndelivered(ctx, target, worded, error);
  }
}

/** Until a notification or a test arrives, the receiver is shown as failing. */
async function markFailing(ctx: Context, subject: string, error: unknown): Promise<void> {
  const state = { subject, since_at: nowSec(ctx), note: storedError(asAppError(error)) };
  if (!(await beginAlert(ctx.db, 'receiver', state))) await noteAlert(ctx.db, 'receiver', state);
}

/** Once a day, so that the owner of a receiver that fails learns of it. */
const UNDELIVERED_LIMIT: NotificationLimit = { count: 1, windowSec: 86_400 };

/** Puts the notification into the inbox of its receiver, or of super administrators, with the reason. */
async function reportUndelivered(
  ctx: Context,
  target: NotificationTarget,
  worded: Notification,
  error: unknown,
): Promise<void> {
  const { name, userId } = target;
  const owners = name === undefined ? [userId] : await superAdminIds(ctx.reads);
  const type = claimType(target, 'undelivered');
  for (const owner of owners) {
    const claim = { userId: owner, type, atSec: nowSec(ctx) };
    if (!(await claimNotification(ctx.db, claim, UNDELIVERED_LIMIT))) continue;
    const user = await userById(ctx.reads, owner);
    if (user === undefined) continue;
    const reader = eventAudience(ctx, mailLanguage(ctx, user));
    const reason = errorText(asAppError(error), reader.language);
    const what = [reason, worded.title, plainText(worded)];
    const report =
      name === undefined
        ? notificationIn(reader, { type, text: 'undelivered', values: what })
        : notificationIn(reader, { type, text: 'destination_failed', values: [name, ...what] });
    await deliverToInbox(ctx, owner, report);
  }
}
