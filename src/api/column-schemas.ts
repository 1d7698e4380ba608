/** Schemas of bodies and replies, from the table of a noun. */
import * as z from 'zod/mini';
import {
  type ColumnKind,
  eachColumn,
  type NounColumn,
  type NounColumns,
} from '../domain/nouns/columns.ts';
import { CommaList, JsonObjectText } from './fields.ts';

/** How a value of each kind is checked, unless the column has a schema of its own. */
const INPUTS = {
  /** Null and empty both mean "not set". */
  text: ({ most = 0 }: NounColumn) =>
    z.pipe(
      z.union([z.string().check(z.maxLength(most)), z.null()]),
      z.transform((value) => (value ?? '').trim()),
    ),
  list: () => CommaList,
  json: () => JsonObjectText,
  number: ({ least = 0, most = Number.MAX_SAFE_INTEGER }: NounColumn) =>
    z.int().check(z.minimum(least), z.maximum(most)),
  switch: () => z.union([z.literal(0), z.literal(1)]),
  boolean: () => z.boolean(),
} as const satisfies Record<ColumnKind, (column: NounColumn) => z.ZodMiniType>;

type Shape = Readonly<Record<string, z.ZodMiniType>>;

type InputShape<T extends NounColumns, Own> = {
  readonly [K in keyof T]: K extends keyof Own ? Own[K] : ReturnType<(typeof INPUTS)[T[K]['kind']]>;
};

/** Schemas of a body that writes the columns; `own` has those with rules of their own. */
export function inputShape<
  T extends NounColumns,
  const Own extends Partial<Record<keyof T, z.ZodMiniType>>,
>(columns: T, own: Own) {
  const shape = eachColumn(columns, (column, name) => own[name] ?? INPUTS[column.kind](column));
  return shape as InputShape<T, Own>; // each from its row
}

type NewShape<T extends NounColumns, S extends Shape> = {
  readonly [K in keyof T & keyof S]: T[K] extends { readonly default: unknown }
    ? z.ZodMiniDefault<S[K]>
    : S[K];
};

/** The same for a new row, where columns with a default may be absent. */
export function newShape<
  T extends NounColumns,
  S extends { readonly [K in keyof T]: z.ZodMiniType },
>(columns: T, inputs: S) {
  const shape = eachColumn(columns, (row, name) => optionalIn(row, inputs[name]));
  return shape as NewShape<T, S>; // each from its row
}

function optionalIn({ default: initial }: NounColumn, schema: z.ZodMiniType): z.ZodMiniType {
  return initial === undefined ? schema : z._default(schema, initial);
}

const REPLIES = {
  text: z.string(),
  list: z.string(),
  json: z.string(),
  number: z.int(),
  switch: z.int(),
  boolean: z.boolean(),
} as const satisfies Record<ColumnKind, z.ZodMiniType>;

/** Schemas of a reply that shows the columns as stored. */
export function replyShape<T extends NounColumns>(columns: T) {
  const shape = eachColumn(columns, ({ kind }) => REPLIES[kind]);
  return shape as { readonly [K in keyof T]: (typeof REPLIES)[T[K]['kind']] }; // each from its row
}

/** Of a document that a person may edit: lists are lists and objects are objects. */
const EXPORTS = {
  ...REPLIES,
  list: z.array(z.string()),
  json: z.union([z.string(), z.record(z.string(), z.unknown())]),
} as const satisfies Record<ColumnKind, z.ZodMiniType>;

type Exported<C extends NounColumn> = C extends { readonly isAlwaysExported: true }
  ? (typeof EXPORTS)[C['kind']]
  : z.ZodMiniOptional<(typeof EXPORTS)[C['kind']]>;

/** Schemas of an export, which leaves out most columns that have their default. */
export function exportShape<T extends NounColumns>(columns: T) {
  const shape = eachColumn(columns, ({ kind, isAlwaysExported }) =>
    isAlwaysExported ? EXPORTS[kind] : z.optional(EXPORTS[kind]),
  );
  return shape as { readonly [K in keyof T]: Exported<T[K]> }; // each from its row
}
