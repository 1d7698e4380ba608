/** What the Telegram widget puts into the address it sends the browser back to. */
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

/** undefined when the address holds no answer of the widget. */
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
/** The parameter beside the answer that says which press of the button it answers. */
export const STATE = 'telegram_state';

/**
 * Marks that this tab asks, and answers the mark for the address to come back to: a link with
 * somebody else's answer must neither sign anybody in nor be tied to anybody's account.
 */
export function beginTelegram(): string {
  const mark = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  try {
    sessionStorage.setItem(KEY, mark);
  } catch {
    // Without the mark the answer is not taken, which is the safe side.
  }
  return mark;
}

/** The answer in the address, if this tab asked for it. */
export function ownTelegramAnswer(query: URLSearchParams): TelegramAnswer | undefined {
  const state = query.get(STATE);
  return state !== null && state === begunMark() ? telegramAnswer(query) : undefined;
}

/** An answer is good for once. */
export function endTelegram(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Then there never was a mark.
  }
}

function begunMark(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
