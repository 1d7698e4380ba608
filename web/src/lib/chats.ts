/** Chat programs that open in a frame: one name and one address template each. */
export interface ChatEntry {
  readonly name: string;
  /** With `{address}` and `{key}` to fill in. */
  readonly url: string;
}

/** Entries that are no single name and address are left out but keep their place in the count. */
export interface Chats {
  readonly entries: readonly (ChatEntry | undefined)[];
  readonly isBroken: boolean;
}

/** @param text JSON of a list of `{ name: address }`, as the site's option holds it. */
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

/** @param id the entry's place in the list, as an address has it. */
export function chatAt({ entries }: Chats, id: string): ChatEntry | undefined {
  return /^\d+$/.test(id) ? entries[Number(id)] : undefined;
}

/** Whether an entry speaks with a key of the reader's, so that only who is signed in can open it. */
export function needsKey({ url }: ChatEntry): boolean {
  return url.includes('{key}');
}

/** Schemes that would run in this page instead of leaving it. */
const UNSAFE = /^\s*(javascript|data|vbscript|blob):/i;

/** The entry's address with the gateway's address (percent-encoded) and the whole key in their places. */
export function chatPlace(
  template: string,
  { address, key }: { readonly address: string; readonly key: string },
): string | undefined {
  const place = template
    .replaceAll('{address}', encodeURIComponent(address))
    .replaceAll('{key}', key);
  return UNSAFE.test(place) || !URL.canParse(place) ? undefined : place;
}
