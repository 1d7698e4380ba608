/** Who gets a notification, where and in which language: an account, or a destination of the site. */
import { createHash } from 'node:crypto';
import type { Context } from '../../../context.ts';
import type { AlertDestination } from '../../../domain/alert-destinations.ts';
import { USER_STATUS } from '../../../domain/statuses.ts';
import type { EventAudience } from '../../../locales/event-text.ts';
import { userById } from '../../../store/tables/users-table.ts';
import { mailLanguage } from '../../access/account-language.ts';
import { eventAudience } from '../../logs/audit.ts';
import { isQuietNow, type NotificationReceiver, receiverOf } from './receiver.ts';

export interface NotificationTarget {
  /** Of its row in `alert_states` while notifications do not arrive. */
  readonly subject: string;
  /** 0 for a destination of the site. */
  readonly userId: number;
  /** The name of a destination of the site. */
  readonly name?: string;
  readonly receiver: NotificationReceiver;
  readonly reader: EventAudience;
}

export function userSubject(userId: number): string {
  return `user:${userId}`;
}

export function siteSubject(name: string): string {
  return `site:${name}`;
}

/** Undefined for a closed account, and for one without an address. */
export async function userTarget(
  ctx: Context,
  userId: number,
): Promise<NotificationTarget | undefined> {
  const user = await userById(ctx.reads, userId);
  if (user === undefined || user.deleted_at !== null || user.status !== USER_STATUS.enabled)
    return undefined;
  const receiver = isQuietNow(user, ctx.now())
    ? ({ kind: 'inbox', userId } as const)
    : receiverOf(ctx, user);
  const reader = eventAudience(ctx, mailLanguage(ctx, user));
  return receiver && { subject: userSubject(userId), userId, receiver, reader };
}

export function siteTarget(ctx: Context, destination: AlertDestination): NotificationTarget {
  const { name, kind, address, secret = '', language } = destination;
  const receiver =
    kind === 'email' ? ({ kind, to: address } as const) : { kind, url: address, secret };
  const reader = eventAudience(ctx, language ?? ctx.options().get('DefaultLanguage'));
  return { subject: siteSubject(name), userId: 0, name, receiver, reader };
}

/** The type under which a notification to this target counts against its limit. */
export function claimType({ name }: NotificationTarget, type: string): string {
  if (name === undefined) return type;
  const short = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${short}:${type}`;
}
