/** Names downloads after what they contain, so that several of them can be told apart. */

const FILE = /([\w-]+)\.(\w+)$/;
const MAX_LENGTH = 120;
const DATES = ['start_timestamp', 'since', 'end_timestamp', 'until'];
const UNNAMED = new Set([...DATES, 'language']);

/**
 * For a path that ends like a file name: `log-gpt-4o-2026-11-20_2026-11-21.csv` for `export.csv` of
 * the log with a filter on a model and a range. Undefined for other paths.
 */
export function downloadName(path: string, input: object): string | undefined {
  const [, stem = '', ending] = FILE.exec(path) ?? [];
  if (ending === undefined) return undefined;
  const given = new Map<string, unknown>(Object.entries(input));
  const filters = [...given]
    .filter(([field, value]) => !UNNAMED.has(field) && isPlain(value))
    .map(([field, value]) => (typeof value === 'number' ? `${field}-${value}` : String(value)));
  const days = DATES.flatMap((field) => dayOf(given.get(field)));
  const noun = path.split('/').at(2) ?? stem;
  const name = [stem === 'export' ? noun : stem, ...filters, days.join('_')]
    .map((part) => part.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('-');
  return `${name.slice(0, MAX_LENGTH)}.${ending}`;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function dayOf(epochSec: unknown): string[] {
  const date = typeof epochSec === 'number' ? new Date(epochSec * 1000) : undefined;
  if (date === undefined || Number.isNaN(date.getTime())) return [];
  return [date.toISOString().slice(0, 10)];
}
