/** What the table of a noun says about a column, and what follows from it. */

/**
 * How values of a column are stored, read and typed. `list` is text with commas, `json` the text of
 * an object, `switch` 0 or 1.
 */
export type ColumnKind = 'text' | 'list' | 'json' | 'number' | 'switch' | 'boolean';

export interface NounColumn {
  readonly kind: ColumnKind;
  /** Bounds of a number; `most` also of the length of a text, without which none can be sent. */
  readonly least?: number;
  readonly most?: number;
  /** Of a new row. Without it the value must be sent. */
  readonly default?: string | number | boolean;
  /** The flag of the commands `create` and `edit`. */
  readonly flag?: string;
  /** Also in an export if it has its default. */
  readonly isAlwaysExported?: true;
}

export type NounColumns = Readonly<Record<string, NounColumn>>;

/** Columns of which nothing but their kind is known. */
export const TEXT_COLUMN = { kind: 'text' } as const;
export const NUMBER_COLUMN = { kind: 'number' } as const;

interface Sent {
  readonly text: string;
  readonly list: string;
  readonly json: string;
  readonly number: number;
  readonly switch: 0 | 1;
  readonly boolean: boolean;
}

/** The fields of a body that writes the table. */
export type SentFields<T extends NounColumns> = { readonly [K in keyof T]: Sent[T[K]['kind']] };

interface Stored extends Omit<Sent, 'switch'> {
  readonly switch: number;
}

/** A row of the table as stored. */
export type StoredFields<T extends NounColumns> = { readonly [K in keyof T]: Stored[T[K]['kind']] };

/** A new row: the defaults; columns without one are empty. */
export function defaultFields<T extends NounColumns>(columns: T): StoredFields<T> {
  const fields = eachColumn(columns, ({ default: initial = '' }) => initial);
  return fields as StoredFields<T>; // the default of a row is a value of its kind
}

/** Only the columns of the table. */
export function pickColumns<T extends NounColumns>(
  columns: T,
  row: StoredFields<T>,
): StoredFields<T> {
  return eachColumn(columns, (_, name) => row[name]) as StoredFields<T>; // each under its own name
}

export function eachColumn<T extends NounColumns, R>(
  columns: T,
  of: (column: T[keyof T & string], name: keyof T & string) => R,
): Record<keyof T & string, R> {
  const names = columnNames(columns);
  return Object.fromEntries(names.map((name) => [name, of(columns[name], name)])) as Record<
    keyof T & string,
    R
  >; // one entry per name
}

export function columnNames<T extends object>(columns: T): (keyof T & string)[] {
  return Object.keys(columns) as (keyof T & string)[]; // tables are literals, without other keys
}
