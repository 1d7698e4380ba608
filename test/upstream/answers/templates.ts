/**
 * Answers from `frames/<name>.jsonl`: each line is a JSON value as on the wire, and what it stands for.
 * A text `$name` is replaced by that value, `${name}` within a text too, `...$name` in a list by the
 * entries of that list, and the field `...` by the fields of its value. Where the value is absent, the
 * field is left out, and with `$name` the whole entry of the next list (not with `$name?`). A function is
 * called with the piece.
 */
import { readFileSync } from 'node:fs';

export type Values = Readonly<Record<string, unknown>>;

export interface Template {
  readonly for: string;
  /** Only where this value is true; with `!`, where it is not. */
  readonly when?: string;
  readonly body: Values;
}

/** The type of the lines is that of the file, which is our own. */
export function templates<Line extends Template = Template>(name: string): readonly Line[] {
  const text = readFileSync(new URL(`../frames/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));
}

export function applies({ when }: Template, values: Values): boolean {
  if (when === undefined) return true;
  return when.startsWith('!') ? !values[when.slice(1)] : Boolean(values[when]);
}

/** The first line for this part that applies, filled; undefined without one. */
export function filledFor(
  lines: readonly Template[],
  part: string,
  values: Values = {},
): Values | undefined {
  const line = lines.find((one) => one.for === part && applies(one, values));
  return line && filled(line.body, values);
}

export function filled(template: Values, values: Values): Values {
  const fields = Object.entries(template).flatMap(([name, given]): [string, unknown][] => {
    const value = replaced(given, values);
    return name === '...' ? Object.entries({ ...Object(value) }) : [[name, value]];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function replaced(given: unknown, values: Values): unknown {
  if (typeof given === 'string') {
    const name = /^\$(\w+)\??$/.exec(given)?.[1];
    if (name === undefined)
      return given.replace(/\$\{(\w+)\}/g, (_, part: string) => String(values[part]));
    const value = values[name];
    return typeof value === 'function' ? value(values.piece) : value;
  }
  if (Array.isArray(given)) return given.flatMap((entry) => entriesOf(entry, values));
  const isObject = typeof given === 'object' && given !== null;
  return isObject ? filled(Object.fromEntries(Object.entries(given)), values) : given;
}

function entriesOf(entry: unknown, values: Values): unknown[] {
  const list = /^\.\.\.\$(\w+)$/.exec(String(entry))?.[1];
  if (list !== undefined) return [values[list] ?? []].flat();
  const outsideLists = JSON.stringify(entry, (_, value) => (Array.isArray(value) ? [] : value));
  const needed = outsideLists.matchAll(/"\$(\w+)"/g);
  const isWhole = [...needed].every(([, name = '']) => values[name] !== undefined);
  return isWhole ? [replaced(entry, values)] : [];
}
