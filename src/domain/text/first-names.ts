/** Most names that a sentence lists. */
const MOST_NAMES = 10;

/** The first names, and how many more there are: `a, b, c, +12`. */
export function firstNames(names: readonly string[]): readonly string[] {
  const more = names.length - MOST_NAMES;
  return [...names.slice(0, MOST_NAMES), ...(more > 0 ? [`+${more}`] : [])];
}
