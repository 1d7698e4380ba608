/** Chat applications that open in a frame: each has a name and an address template. */
export interface ChatEntry {
  readonly name: string;
  /** With the placeholders `{address}` and `{key}`. */
  readonly url: string;
}

/** Invalid entries are skipped but keep their index. */
export interface Chats {
  readonly entries: readonly (ChatEntry | undefined)[];
  readonly isBroken: boolean;
}

/** @param text JSON of a list of `{ name: address }`, the format of the site's option. */
export function chatsOf(text: string): Chats {
  if (text === '') return { entries: [], isBroken: false };
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return { entries: [], isBroken: true };
    return { entries: list.map(entryOf), isBroken: false };
  } catch {
    return { entries: [], isBroken: true };
  }
}

function entryOf(value: unknown): ChatEntry | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [pair] = Object.entries(value);
  return pair !== undefined && typeof pair[1] === 'string'
    ? { name: pair[0], url: pair[1] }
    : undefined;
}

/** @param id the entry's index, from the URL. */
export function chatAt({ entries }: Chats, id: string): ChatEntry | undefined {
  return /^\d+$/.test(id) ? entries[Number(id)] : undefined;
}

/** Whether an entry contains a key of the user, so that it needs a signed-in user. */
export function needsKey({ url }: ChatEntry): boolean {
  return url.includes('{key}');
}

/** Schemes that would run code in this page instead of navigating. */
const UNSAFE = /^\s*(javascript|data|vbscript|blob):/i;

/** The entry's address with the percent-encoded gateway address and the whole key filled in. */
export function chatUrl(
  template: string,
  { address, key }: { readonly address: string; readonly key: string },
): string | undefined {
  const url = template
    .replaceAll('{address}', encodeURIComponent(address))
    .replaceAll('{key}', key);
  return UNSAFE.test(url) || !URL.canParse(url) ? undefined : url;
}
