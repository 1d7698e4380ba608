/** Sends notices in the background: selects the receivers, applies rate limits and delivers. */
import { type Context, nowSec } from '../../../context.ts';
import { asAppError } from '../../../domain/errors/errors.ts';
import { USER_STATUS } from '../../../domain/statuses.ts';
import type { EventAudience } from '../../../locales/event-text.ts';
import { errorText } from '../../../locales/text.ts';
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
import { isQuietNow, receiverOf } from './receiver.ts';

/** A recurring event is reported twice, and then not for a while. */
const USUAL_LIMIT: NotificationLimit = { count: 2, windowSec: 600 };

/** Sent in the background. Call after the commit, never in a transaction. */
export function notifyUser(
  ctx: Context,
  userId: number,
  notice: NotificationFacts,
  limit: NotificationLimit = USUAL_LIMIT,
): void {
  const outside = withoutFence(ctx);
  ctx.background.run(`notice ${notice.type}`, (signal) =>
    sendNotification(outside, userId, notice, limit, signal),
  );
}

/** Notifies each super admin by their own settings; `compose` runs when the work starts. */
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
    await Promise.all(ids.map((id) => sendNotification(outside, id, notice, limit, signal)));
  });
}

/** The lease of the work that triggered a notice may have ended when the notice is sent. */
function withoutFence({ fence: _, ...ctx }: Context): Context {
  return ctx;
}

async function sendNotification(
  ctx: Context,
  userId: number,
  notice: NotificationFacts,
  limit: NotificationLimit,
  signal: AbortSignal,
): Promise<void> {
  const user = await userById(ctx.reads, userId);
  if (user === undefined || user.deleted_at !== null || user.status !== USER_STATUS.enabled) return;
  const receiver = isQuietNow(user, ctx.now())
    ? ({ kind: 'inbox', userId } as const)
    : receiverOf(ctx, user);
  if (receiver === undefined) return;
  const claim = { userId, type: notice.type, atSec: nowSec(ctx) };
  if (!(await claimNotification(ctx.db, claim, limit))) return;
  const reader = eventAudience(ctx, mailLanguage(ctx, user));
  const worded = notificationIn(reader, notice);
  try {
    await deliverWithRetries(ctx, receiver, worded, signal);
  } catch (error) {
    await releaseNotificationClaim(ctx.db, claim);
    ctx.log.warn(
      { err: error, userId, type: notice.type },
      'a notification could not be delivered',
    );
    await reportUndelivered(ctx, userId, { reader, worded, error });
  }
}

/** Once a day, so that the owner of a receiver that fails learns of it. */
const UNDELIVERED_LIMIT: NotificationLimit = { count: 1, windowSec: 86_400 };

interface Undelivered {
  readonly reader: EventAudience;
  readonly worded: Notification;
  readonly error: unknown;
}

/** Puts the notification into the inbox of its receiver, with the reason. */
async function reportUndelivered(
  ctx: Context,
  userId: number,
  { reader, worded, error }: Undelivered,
): Promise<void> {
  const claim = { userId, type: 'undelivered', atSec: nowSec(ctx) };
  if (!(await claimNotification(ctx.db, claim, UNDELIVERED_LIMIT))) return;
  const reason = errorText(asAppError(error), reader.language);
  const values = [reason, worded.title, plainText(worded)];
  const report = notificationIn(reader, { type: 'undelivered', text: 'undelivered', values });
  await deliverToInbox(ctx, userId, report);
}
