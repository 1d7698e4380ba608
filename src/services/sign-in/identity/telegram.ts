/**
 * Verifies the data of Telegram's login widget by its signature with the bot's token
 * (core.telegram.org/widgets/login, "Checking authorization").
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type * as z from 'zod/mini';
import type { Widget } from '../../../api/accounts/oauth.ts';
import { type Context, nowSec } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { DAY_SEC } from '../../../domain/logs/months.ts';
import { type Identity, requireSubject } from './identity.ts';

type WidgetData = z.output<typeof Widget>;

/** How far Telegram's clock may be ahead of the gateway's. */
const AHEAD_SEC = 300;

/** In alphabetical order, as they are signed. */
const SIGNED = ['auth_date', 'first_name', 'id', 'last_name', 'photo_url', 'username'] as const;
const SIGNED_WITH_LANGUAGE = [...SIGNED, 'lang' as const].sort();

/** @throws AppError `oauth_signature_wrong`, also for data signed more than a day ago. */
export function telegramIdentity(ctx: Context, data: WidgetData): Identity {
  const botToken = ctx.options().get('TelegramBotToken');
  // Clients send the language too, which the widget may or may not have signed.
  const isGenuine =
    botToken !== '' &&
    (isSigned(botToken, data, SIGNED) || isSigned(botToken, data, SIGNED_WITH_LANGUAGE));
  const ageSec = nowSec(ctx) - Number(data.auth_date);
  const isRecent = ageSec <= DAY_SEC && ageSec >= -AHEAD_SEC;
  if (!isGenuine || !isRecent || !/^\d+$/.test(data.id))
    throw new AppError('oauth_signature_wrong', { provider: 'telegram' });
  return {
    provider: 'telegram',
    subject: requireSubject('telegram', data.id),
    name: '',
    displayName: '',
    email: '',
  };
}

function isSigned(
  botToken: string,
  data: WidgetData,
  fields: readonly (keyof WidgetData)[],
): boolean {
  const text = fields
    .filter((field) => data[field] !== undefined)
    .map((field) => `${field}=${data[field]}`)
    .join('\n');
  const key = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(/^[0-9a-f]{64}$/i.test(data.hash) ? data.hash : '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
