/** Compares names as people see them, so that a new name cannot be mistaken for another. */

/** Without differences of width, composition and case. */
export function comparedName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Names that readers take for those of the site. */
const RESERVED = ['root', 'admin', 'administrator', 'system', 'support', 'operator', 'official'];

/** Letters and digits that look like a Latin letter, by that letter (Unicode TR 39, confusables). */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'ЬƄ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еҽ',
  g: 'ɡ',
  h: 'һ',
  j: 'јϳ',
  k: 'кκ',
  l: 'iı1|іιӏ',
  m: 'м',
  n: 'ոп',
  o: '0оοσօ',
  p: 'рρ',
  q: 'ԛ',
  r: 'гꭇ',
  s: 'ѕ5$',
  t: 'тτ',
  u: 'υս',
  v: 'ѵν',
  w: 'ԝш',
  x: 'хχ×',
  y: 'уγ',
  z: 'ᴢ',
};
const LATIN = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([letter, others]) =>
    [...others].map((other) => [other, letter] as const),
  ),
);

/** Without accents; look-alikes become their Latin letter. */
function skeleton(name: string): string {
  const letters = comparedName(name).normalize('NFD').replaceAll(/\p{M}/gu, '');
  return [...letters].map((letter) => LATIN.get(letter) ?? letter).join('');
}

/**
 * Whether the name imitates a reserved one or one of `others`, such as those of administrators. The
 * reserved names themselves do not imitate anything.
 */
export function imitates(name: string, others: readonly string[]): boolean {
  const own = comparedName(name);
  const looks = skeleton(name);
  return [...RESERVED, ...others.map(comparedName)].some(
    (other) => other !== own && skeleton(other) === looks,
  );
}
