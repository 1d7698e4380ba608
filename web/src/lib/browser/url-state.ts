/**
 * Filters, page, sort, tab and open record in the URL: one codec per screen, so that a reload, the
 * back button and a shared link show the same. Defaults are omitted.
 */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';
import { isRangeWord, type RangeWord } from '../../../../src/domain/logs/time-ranges.ts';

export interface Field<T> {
  readonly fallback: T;
  /** undefined for an invalid value: the fallback then applies. */
  readonly parse: (text: string) => T | undefined;
  readonly print: (value: T) => string;
  /** Filters the list; changing it returns to page 1. */
  readonly narrows: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of fields of different types, typed exactly by StateOf
type AnyFields = Readonly<Record<string, Field<any>>>;
export type StateOf<F extends AnyFields> = {
  readonly [N in keyof F]: F[N] extends Field<infer T> ? T : never;
};

export const field = {
  text: (fallback = ''): Field<string> => ({
    fallback,
    parse: (text) => text,
    print: (value) => value.trim(),
    narrows: true,
  }),
  choice: <T extends string>(allowed: readonly T[], fallback: T): Field<T> => ({
    fallback,
    parse: (text) => allowed.find((choice) => choice === text),
    print: (value) => value,
    narrows: true,
  }),
  /** A whole number; `undefined` is "any". */
  number: (): Field<number | undefined> => ({
    fallback: undefined,
    parse: wholeNumber,
    print: (value) => (value === undefined ? '' : String(value)),
    narrows: true,
  }),
  flag: (fallback = false): Field<boolean> => ({
    fallback,
    parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
    print: String,
    narrows: true,
  }),
  texts: (): Field<readonly string[]> => ({
    fallback: NO_TEXTS,
    parse: (text) => text.split(',').filter((part) => part !== ''),
    print: (value) => value.join(','),
    narrows: true,
  }),
  /** A time: a name of `RANGES`, or epoch seconds as text. '' is unbounded. */
  moment: (fallback = ''): Field<string> => ({
    fallback,
    parse: (text) => (text === 'all' || isMoment(text) ? text : undefined),
    print: (value) => value,
    narrows: true,
  }),
  page: (): Field<number> => ({
    fallback: 1,
    parse: (text) => {
      const page = wholeNumber(text);
      return page !== undefined && page > 0 ? page : undefined;
    },
    print: String,
    narrows: false,
  }),
  /** `created_at` or `-created_at`. A change returns to page 1. */
  sort: <T extends string>(allowed: readonly T[], fallback: T | `-${T}` | ''): Field<string> => ({
    fallback,
    parse: (text) => (allowed.some((by) => text === by || text === `-${by}`) ? text : undefined),
    print: (value) => value,
    narrows: true,
  }),
  tab: <T extends string>(allowed: readonly T[], fallback: T): Field<T> => ({
    ...field.choice(allowed, fallback),
    narrows: false,
  }),
  /** The record whose drawer is open, `new` for an empty one; '' is closed. */
  id: (): Field<string> => ({
    fallback: '',
    parse: (text) => (/^(new|[\w-]{1,64})$/.test(text) ? text : undefined),
    print: (value) => value,
    narrows: false,
  }),
} as const;

const NO_TEXTS: readonly string[] = [];

export function readState<F extends AnyFields>(fields: F, query: URLSearchParams): StateOf<F> {
  const entries = Object.entries(fields).map(([name, { fallback, parse }]) => {
    const text = query.get(name);
    return [name, text === null ? fallback : (parse(text) ?? fallback)];
  });
  return Object.fromEntries(entries) as StateOf<F>; // one value per field of the table
}

/** The query with the patch applied. Other parameters are unchanged. */
export function writeState<F extends AnyFields>(
  fields: F,
  query: URLSearchParams,
  patch: Partial<StateOf<F>>,
): URLSearchParams {
  const next = new URLSearchParams(query);
  const narrows = Object.keys(patch).some((name) => fields[name]?.narrows);
  if (narrows && 'page' in fields && !('page' in patch)) next.delete('page');
  for (const [name, value] of Object.entries(patch)) {
    const own = fields[name];
    if (own === undefined) continue;
    const text = own.print(value ?? own.fallback);
    if (text === own.print(own.fallback)) next.delete(name);
    else next.set(name, text);
  }
  return next;
}

export interface UrlState<F extends AnyFields> {
  readonly state: StateOf<F>;
  /** Adds one history entry; with `replace` none. */
  set(patch: Partial<StateOf<F>>, how?: { readonly replace?: boolean }): void;
  /** Resets every filter field to its default, except those given. */
  reset(keep?: readonly (keyof F)[]): void;
  /** Whether any filter field is set. */
  readonly isNarrowed: boolean;
}

/** @param fields a table outside the component, so that it is the same at every render. */
export function useUrlState<F extends AnyFields>(fields: F): UrlState<F> {
  const [query, setQuery] = useSearchParams();
  const state = useMemo(() => readState(fields, query), [fields, query]);
  const set = useCallback<UrlState<F>['set']>(
    (patch, { replace = false } = {}) => {
      // The page may not have rendered the last change yet, which the address has.
      const now = new URLSearchParams(window.location.search);
      setQuery(writeState(fields, now, patch), { replace, preventScrollReset: true });
    },
    [fields, setQuery],
  );
  const reset = useCallback<UrlState<F>['reset']>(
    (keep = []) => set(defaults(fields, keep)),
    [fields, set],
  );
  const isNarrowed = Object.entries(fields).some(
    ([name, own]) => own.narrows && own.print(state[name as keyof F]) !== own.print(own.fallback),
  );
  return { state, set, reset, isNarrowed };
}

function defaults<F extends AnyFields>(fields: F, keep: readonly (keyof F)[]) {
  const entries = Object.entries(fields)
    .filter(([name, own]) => own.narrows && !keep.includes(name))
    .map(([name, own]) => [name, own.fallback]);
  return Object.fromEntries(entries) as Partial<StateOf<F>>; // fallbacks of the same fields
}

const RANGE_SEC: Readonly<Record<Exclude<RangeWord, 'today'>, number>> = {
  '1h': 3_600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
};

/** Epoch seconds of a time from the URL; undefined if unbounded. */
export function momentSec(text: string, nowSec: number): number | undefined {
  if (!isRangeWord(text)) return wholeNumber(text);
  if (text === 'today') return new Date(nowSec * 1000).setHours(0, 0, 0, 0) / 1000;
  return nowSec - RANGE_SEC[text];
}

function isMoment(text: string): boolean {
  return isRangeWord(text) || wholeNumber(text) !== undefined;
}

function wholeNumber(text: string): number | undefined {
  const number = Number(text);
  return /^-?\d+$/.test(text) && Number.isSafeInteger(number) ? number : undefined;
}
