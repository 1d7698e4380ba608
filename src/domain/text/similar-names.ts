/** Suggestions for a mistyped name. */

const MAX_SUGGESTIONS = 3;
/** More are no help, and comparing them takes time. */
const MAX_LENGTH = 60;

/** The names closest to `word`, at most a third of its letters apart. */
export function similarNames(word: string, names: readonly string[]): string[] {
  const typed = word.toLowerCase().slice(0, MAX_LENGTH);
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const near = names
    .filter((name) => Math.abs(name.length - word.length) <= limit)
    .map((name) => ({ name, apart: lettersApart(typed, name.toLowerCase()) }))
    .filter(({ apart }) => apart <= limit)
    .sort((a, b) => a.apart - b.apart);
  const least = near[0]?.apart;
  return near
    .filter(({ apart }) => apart === least)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function lettersApart(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      if (i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(before, j - 2) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
