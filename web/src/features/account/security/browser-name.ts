/** The first match wins: most browsers also name the older ones. */
const BROWSERS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /(Chrome|CriOS)\//],
  ['Safari', /Safari\//],
];

const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
];

/** `Firefox · Linux`; the text itself for other programs, undefined if there is none. */
export function browserName(userAgent: string): string | undefined {
  const parts = [BROWSERS, SYSTEMS].map(
    (rows) => rows.find(([, mark]) => mark.test(userAgent))?.[0],
  );
  const known = parts.filter((part) => part !== undefined);
  if (known.length > 0) return known.join(' · ');
  return userAgent.trim() === '' ? undefined : userAgent.slice(0, 60);
}
