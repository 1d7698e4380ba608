/** User names for accounts created by identity providers: at most 12 characters. */

const MAX_CHARS = 12;
const IN_ORDER = 6;
const AT_RANDOM = 6;
const RANDOM_BELOW = 1_000_000_000;

export interface PreferredName {
  /** The user's name at the provider; '' for none. */
  readonly name: string;
  /** Otherwise used as the prefix of a number. */
  readonly prefix: string;
  /** An estimate of the new account's id. */
  readonly nextId: number;
}

/**
 * Candidate names, best first: the preferred one, then with consecutive numbers, and finally with
 * random ones, so that a user cannot block others by taking the next few.
 */
export function* candidateUsernames(
  { name, prefix, nextId }: PreferredName,
  random: (size: number) => Buffer,
): Generator<string> {
  const preferred = usableName(name);
  if (preferred !== '') yield preferred;
  const stem = preferred === '' ? prefix : preferred;
  const first = preferred === '' ? nextId : 2;
  for (let number = first; number < first + IN_ORDER; number += 1) yield numbered(stem, number);
  for (let left = AT_RANDOM; left > 0; left -= 1)
    yield numbered(prefix, random(4).readUInt32BE() % RANDOM_BELOW);
}

function numbered(stem: string, number: number): string {
  const digits = String(number);
  return `${truncateText(stem, MAX_CHARS - digits.length)}${digits}`;
}

/**
 * Removes blanks and control characters and truncates; '' when nothing is left. Of an e-mail
 * address only the local part is used: users sign in with name or address, and one must not look
 * like the other.
 */
function usableName(name: string): string {
  const [local = ''] = name.replace(/[\s\p{C}]/gu, '').split('@');
  return truncateText(local, MAX_CHARS);
}

/** At most `length` UTF-16 units, without splitting a surrogate pair. */
export function truncateText(text: string, length: number): string {
  let cut = '';
  for (const character of text) {
    if (cut.length + character.length > length) return cut;
    cut += character;
  }
  return cut;
}
