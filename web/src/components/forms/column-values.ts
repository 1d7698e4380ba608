/** The values of a form from the columns of its noun, and the request body from these values. */
import {
  eachColumn,
  type NounColumns,
  type SentFields,
  type StoredFields,
} from '../../../../src/domain/nouns/columns.ts';
import { splitList } from '../../../../src/domain/text/comma-list.ts';

interface FormValue {
  readonly text: string;
  readonly list: readonly string[];
  readonly json: string;
  /** An empty field is ''. */
  readonly number: number | string;
  readonly switch: boolean;
  readonly boolean: boolean;
}

export type FormValues<T extends NounColumns> = {
  readonly [K in keyof T]: FormValue[T[K]['kind']];
};

type Stored = string | number | boolean;

const SHOW = {
  text: String,
  list: (stored: Stored) => splitList(String(stored)),
  json: (stored: Stored) => indented(String(stored)),
  number: Number,
  switch: (stored: Stored) => stored === 1,
  boolean: Boolean,
};

const SEND = {
  text: (value: unknown) => String(value).trim(),
  list: String,
  json: (value: unknown) => String(value).trim(),
  number: Number,
  switch: (value: unknown) => (value === true ? 1 : 0),
  boolean: Boolean,
};

export function formValues<T extends NounColumns>(columns: T, row: StoredFields<T>): FormValues<T> {
  return eachColumn(columns, ({ kind }, name) => SHOW[kind](row[name])) as FormValues<T>; // by kind
}

/** Of a new object: the defaults; columns without one are empty. */
export function freshValues<T extends NounColumns>(columns: T): FormValues<T> {
  return eachColumn(columns, ({ kind, default: initial = '' }) =>
    SHOW[kind](initial),
  ) as FormValues<T>; // by kind
}

export function sentValues<T extends NounColumns>(
  columns: T,
  values: FormValues<T>,
): SentFields<T> {
  return eachColumn(columns, ({ kind }, name) => SEND[kind](values[name])) as SentFields<T>; // by kind
}

/** The fields of `now` that differ from `was`. */
export function changedFields<T extends object>(now: T, was: T): Partial<T> {
  const before = new Map<string, unknown>(Object.entries(was));
  const changed = Object.entries(now).filter(([name, value]) => value !== before.get(name));
  return Object.fromEntries(changed) as Partial<T>; // a subset of the fields
}

function indented(json: string): string {
  try {
    return json === '' ? '' : JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
