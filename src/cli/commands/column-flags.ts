/** The flags of a noun's columns, and the fields that their values give. */
import type { ColumnKind, NounColumns, SentFields } from '../../domain/nouns/columns.ts';
import type { Cli } from '../cli.ts';
import { flagName, inputName } from '../command.ts';

type Flagged<T extends NounColumns> = {
  [K in keyof T]: T[K] extends { readonly flag: string } ? K : never;
}[keyof T];

type FlagOf<T extends NounColumns> = Extract<T[keyof T], { readonly flag: string }>['flag'];

/** In the order of the table. */
export function columnFlags<T extends NounColumns>(columns: T): readonly FlagOf<T>[] {
  return Object.values(columns).flatMap(({ flag }) => flag ?? []) as FlagOf<T>[]; // of these rows
}

/** Undefined where the flag was not given. */
export function columnValues<T extends NounColumns>(
  values: Cli['values'],
  columns: T,
  flags: Readonly<Record<string, string | boolean | undefined>>,
): Partial<Pick<SentFields<T>, Flagged<T>>> {
  const entries = Object.entries(columns).flatMap(([column, { kind, flag }]) => {
    const name = flag === undefined ? '' : flagName(flag);
    const given = flags[inputName(name)];
    return given === undefined ? [] : [[column, PARSE[kind](values, `--${name}`, String(given))]];
  });
  return Object.fromEntries(entries) as Partial<SentFields<T>>; // each parsed by its kind
}

type Parse = (values: Cli['values'], flag: string, text: string) => string | number | boolean;

const PARSE: Readonly<Record<ColumnKind, Parse>> = {
  text: (_values, _flag, text) => text.trim(),
  list: (_values, _flag, text) => text,
  json: (values, flag, text) => values.json(flag, text),
  number: (values, flag, text) => values.wholeNumber(flag, text),
  switch: (values, flag, text) => (values.choice(flag, text, ['on', 'off']) === 'on' ? 1 : 0),
  boolean: (_values, _flag, text) => text === 'true',
};
