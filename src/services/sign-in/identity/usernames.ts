/** User names for accounts that an identity provider's users get: 12 characters at most. */

const LONGEST = 12;
const IN_ORDER = 6;
const AT_RANDOM = 6;
const RANDOM_BELOW = 1_000_000_000;

export interface NameWish {
  /** What the provider calls them; '' for nothing. */
  readonly name: string;
  /** Stands before a number otherwise. */
  readonly prefix: string;
  /** A guess at the new account's id. */
  readonly nextId: number;
}

/**
 * Names to try, best first: the wished one, then with following numbers, and at last with random ones,
 * so that nobody can keep others out by taking the next few.
 */
export function* usernames(
  { name, prefix, nextId }: NameWish,
  random: (size: number) => Buffer,
): Generator<string> {
  const wished = usableName(name);
  if (wished !== '') yield wished;
  const stem = wished === '' ? prefix : wished;
  const first = wished === '' ? nextId : 2;
  for (let number = first; number < first + IN_ORDER; number += 1) yield numbered(stem, number);
  for (let left = AT_RANDOM; left > 0; left -= 1)
    yield numbered(prefix, random(4).readUInt32BE() % RANDOM_BELOW);
}

function numbered(stem: string, number: number): string {
  const digits = String(number);
  return `${firstOf(stem, LONGEST - digits.length)}${digits}`;
}

/**
 * Without blanks and control characters, cut to length; '' when nothing is left. Of an e-mail address
 * only what stands before the @: people sign in with either, and one must not look like the other.
 */
function usableName(name: string): string {
  const [local = ''] = name.replace(/[\s\p{C}]/gu, '').split('@');
  return firstOf(local, LONGEST);
}

/** At most `length` UTF-16 units, none of them half a character. */
export function firstOf(text: string, length: number): string {
  let cut = '';
  for (const character of text) {
    if (cut.length + character.length > length) return cut;
    cut += character;
  }
  return cut;
}
