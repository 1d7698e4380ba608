/** Settings that users choose themselves: notifications, and pricing and logging of their calls. */

import type * as z from 'zod/mini';
import type { accountCalls, UserSetting } from '../../api/accounts/account.ts';
import type { Service } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { definedFields } from '../../domain/defined-fields.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { isPostKind, isUsableAddress } from '../../domain/notification-kinds.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { endAlert } from '../../store/tables/alert-states-table.ts';
import { updateUser, userById } from '../../store/tables/users-table.ts';
import { ownId } from '../logs/audit.ts';
import { userSubject } from '../messaging/notify/targets.ts';
import { requirePublicUrl } from '../network/egress.ts';
import { changeUser } from './user-changes.ts';

type Calls = Service<typeof accountCalls, Context>;

const RECEIVER_FIELDS = [
  'notify_type',
  'webhook_url',
  'webhook_secret',
  'notification_email',
] as const;

export const changeSetting: Calls['changeSetting'] = async (ctx, actor, sent) => {
  const { webhook_secret, ...fields } = sent;
  await requireUsableWebhook(ctx, ownId(actor), fields);
  await changeUser(ctx, ownId(actor), async (ctx, user) => {
    const before = parsedObject(user.setting);
    const after: Record<string, unknown> = { ...before, ...definedFields(fields) };
    requireAddress(after);
    if (fields.language === null) delete after.language;
    if (fields.quiet_hours === null) delete after.quiet_hours;
    if (webhook_secret === null) delete after.webhook_secret;
    else if (webhook_secret) after.webhook_secret = ctx.secrets.encrypt(webhook_secret);
    await updateUser(ctx.db, user.id, { setting: JSON.stringify(after) });
    // The next notification shows whether the new receiver works.
    if (RECEIVER_FIELDS.some((field) => sent[field] !== undefined))
      await endAlert(ctx.db, 'receiver', userSubject(user.id));
  });
};

/**
 * A new address is checked, and the stored one if notices go there. While they go by mail, a stored
 * address that no longer resolves prevents no other change.
 */
async function requireUsableWebhook(
  ctx: Context,
  userId: number,
  fields: z.output<typeof UserSetting>,
): Promise<void> {
  const { notify_type, webhook_url } = fields;
  if (!webhook_url && !isPostKind(notify_type)) return;
  const before = parsedObject((await userById(ctx.reads, userId))?.setting ?? '');
  const url = webhook_url ?? before.webhook_url;
  const isUsed = isPostKind(notify_type ?? before.notify_type);
  if (typeof url === 'string' && url !== '' && (isUsed || url !== before.webhook_url))
    await requireWebhookUrl(ctx, url);
}

/** @throws AppError input_invalid if the chosen kind has no address, or one that it cannot use. */
function requireAddress({ notify_type, webhook_url }: Readonly<Record<string, unknown>>): void {
  if (!isPostKind(notify_type)) return;
  if (typeof webhook_url !== 'string' || webhook_url === '')
    throw invalidInput('webhook_url', 'empty');
  if (!isUsableAddress(notify_type, webhook_url)) throw invalidInput('webhook_url', 'no_chat_id');
}

async function requireWebhookUrl(ctx: Context, url: string): Promise<void> {
  if (!/^https:\/\//i.test(url)) throw invalidInput('webhook_url', 'not_https_url');
  await requirePublicUrl(ctx, url, 'webhook_url');
}

/** The stored settings without the webhook secret, as shown to the user. */
export function settingView(setting: string): { setting: string; has_webhook_secret: boolean } {
  const { webhook_secret, ...shown } = parsedObject(setting);
  return { setting: JSON.stringify(shown), has_webhook_secret: Boolean(webhook_secret) };
}
