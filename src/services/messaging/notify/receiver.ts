/** Where a user receives notices: by mail, in the inbox or at an address of their own. */
import type { Context } from '../../../context.ts';
import { isPostKind, type PostKind } from '../../../domain/notification-kinds.ts';
import { offsetsOf } from '../../../domain/time-zones.ts';
import { parsedObject } from '../../../json/parse-json-object.ts';
import { numberIn, objectIn } from '../../../json/read-json.ts';
import type { UserRow } from '../../../store/tables/users-table.ts';

export type NotificationReceiver =
  | { readonly kind: 'email'; readonly to: string }
  | { readonly kind: 'inbox'; readonly userId: number }
  | { readonly kind: PostKind; readonly url: string; readonly secret: string };

const DAY_SEC = 86_400;
const HOUR_SEC = 3600;
const ENCRYPTED_PREFIX = 'v1:';

/** Undefined for a user without an address. */
export function receiverOf(
  ctx: Pick<Context, 'secrets'>,
  user: Pick<UserRow, 'id' | 'email' | 'setting'>,
): NotificationReceiver | undefined {
  const setting = parsedObject(user.setting);
  const url = textIn(setting.webhook_url);
  const kind = setting.notify_type;
  if (kind === 'inbox') return { kind, userId: user.id };
  if (isPostKind(kind) && url !== '')
    return { kind, url, secret: decryptSecret(ctx, textIn(setting.webhook_secret)) };
  const to = textIn(setting.notification_email) || user.email;
  return to === '' ? undefined : { kind: 'email', to };
}

/** Whether it is within the quiet hours of the user, in which notifications wait in the inbox. */
export function isQuietNow({ setting }: Pick<UserRow, 'setting'>, nowMs: number): boolean {
  const quiet = objectIn(parsedObject(setting), 'quiet_hours');
  const [from, to] = [numberIn(quiet, 'from'), numberIn(quiet, 'to')];
  if (from === undefined || to === undefined) return false;
  const hour = localHour(nowMs / 1000, textIn(quiet?.time_zone));
  return from <= to ? hour >= from && hour < to : hour >= from || hour < to;
}

function localHour(sec: number, timeZone: string): number {
  const local = sec + (offsetsOf(timeZone)?.(sec) ?? 0);
  return Math.floor((local % DAY_SEC) / HOUR_SEC);
}

/** Settings from an older installation hold the secret in plain text. */
function decryptSecret({ secrets }: Pick<Context, 'secrets'>, stored: string): string {
  return stored.startsWith(ENCRYPTED_PREFIX) ? secrets.decrypt(stored) : stored;
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
