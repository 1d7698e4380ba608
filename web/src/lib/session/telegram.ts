import { readTab, writeTab } from '../browser/tab-storage.ts';

/** The parameters the Telegram widget adds to its redirect. */
const FIELDS = [
  'id',
  'first_name',
  'last_name',
  'username',
  'photo_url',
  'auth_date',
  'hash',
  'lang',
] as const;

export interface TelegramAnswer {
  readonly id: string;
  readonly auth_date: string;
  readonly hash: string;
  readonly [field: string]: string;
}

/** undefined if the URL holds no result of the widget. */
export function telegramAnswer(query: URLSearchParams): TelegramAnswer | undefined {
  const [id, at, hash] = [query.get('id'), query.get('auth_date'), query.get('hash')];
  if (id === null || at === null || hash === null) return undefined;
  const rest = FIELDS.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(rest), id, auth_date: at, hash };
}

const KEY = 'telegram-state';
/** The parameter that identifies the press of the button the result belongs to. */
export const TELEGRAM_STATE = 'telegram_state';

/**
 * Stores a random state for this tab and returns it for the redirect URL, so that a link with
 * another person's result can neither sign in nor be linked to an account.
 */
export function beginTelegram(): string {
  const mark = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  // If it cannot be stored, the result is ignored.
  writeTab(KEY, mark);
  return mark;
}

/** The result in the URL, if this tab requested it. */
export function ownTelegramAnswer(query: URLSearchParams): TelegramAnswer | undefined {
  const state = query.get(TELEGRAM_STATE);
  return state !== null && state === readTab(KEY) ? telegramAnswer(query) : undefined;
}

/** A result is valid once. */
export function endTelegram(): void {
  writeTab(KEY, undefined);
}
