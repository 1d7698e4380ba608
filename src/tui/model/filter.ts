/**
 * Parses and applies filters (`/`): all words must match. `field:value` searches one column, plain
 * text any, `!` negates a word, double quotes keep spaces.
 */
export interface Term {
  /** Lower case; undefined matches any column. */
  readonly field: string | undefined;
  readonly value: string;
  readonly not: boolean;
}

export function parseFilter(text: string): readonly Term[] {
  const words = text.match(/!?(?:[\w.-]+:)?(?:"[^"]*"?|\S+)/gu) ?? [];
  return words.flatMap((word): Term[] => {
    const not = word.startsWith('!');
    const [, field, rest] = /^([a-z_]+):(.*)$/iu.exec(not ? word.slice(1) : word) ?? [];
    const value = (rest ?? (not ? word.slice(1) : word)).replaceAll('"', '');
    // An unfinished word filters nothing.
    if (value === '') return [];
    return [{ field: field?.toLowerCase(), value, not }];
  });
}

/** Filter terms that the server evaluates; for `undefined`, loaded rows are searched. */
export type ServerFilters = Readonly<Record<string, (value: string) => object | undefined>>;

/** Key of `ServerFilters` for plain text. */
const ANY_FIELD = '*';

export interface SplitFilter {
  readonly query: object;
  readonly rest: readonly Term[];
}

export function splitFilter(terms: readonly Term[], server: ServerFilters): SplitFilter {
  const query: Record<string, unknown> = {};
  const rest: Term[] = [];
  for (const term of terms) {
    const serverQuery = term.not ? undefined : server[term.field ?? ANY_FIELD]?.(term.value);
    const isFree =
      serverQuery !== undefined && Object.keys(serverQuery).every((name) => !(name in query));
    if (isFree) Object.assign(query, serverQuery);
    else rest.push(term);
  }
  return { query, rest };
}

/** Whether a row matches all terms. `textOf` returns the text of a column, or of all columns. */
export function matches(
  terms: readonly Term[],
  textOf: (field: string | undefined) => string,
): boolean {
  return terms.every(({ field, value, not }) => {
    const holds = textOf(field).toLowerCase().includes(value.toLowerCase());
    return holds !== not;
  });
}
