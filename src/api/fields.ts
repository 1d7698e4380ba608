/**
 * Fields shared by many calls. Query strings contain only text, so numbers and booleans of filters
 * are parsed leniently; fields of a body keep their JSON type.
 */
import * as z from 'zod/mini';
import { MAX_PRICE_USD, MAX_RATIO } from '../domain/pricing/price-bounds.ts';
import { splitList } from '../domain/text/comma-list.ts';
import { isTooDeep } from '../domain/text/json-depth.ts';
import { isTimeZone } from '../domain/time-zones.ts';
import { problemMessage } from './input-problem.ts';

/**
 * The caller's own password, for actions that require re-authentication. Not needed in a session
 * younger than ten minutes.
 */
export const OwnPassword = z.optional(z.string().check(z.maxLength(1000)));

/** One line as it is read: nothing that controls a terminal, a line or the direction of text. */
export const PlainLine = z.regex(
  /^[^\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]*$/u,
  problemMessage('has_controls'),
);

/** Text filter: absent and empty both mean "any". */
export const FilterText = z.optional(z.string().check(z.trim(), z.maxLength(200)));

/** What scripts send for a filter without a value. */
const NO_VALUE: ReadonlySet<string> = new Set(['', 'NaN', 'null', 'undefined']);

/** Filter by the name of a group: as `FilterText`. */
export const FilterGroup = z.optional(
  z.pipe(
    z.string().check(z.trim(), z.maxLength(200)),
    z.transform((value) => (NO_VALUE.has(value) ? '' : value)),
  ),
);

/** Integer filter, also as text: absent and text that is no number both mean "any". */
export const FilterInt = z.optional(
  z.pipe(
    z.union([z.number(), z.string()]),
    z.transform((value, payload): number | undefined => {
      if (typeof value === 'string' && !/^\s*[+-]?\d+(\.\d*)?\s*$/.test(value)) return undefined;
      const number = Number(value);
      if (Number.isSafeInteger(number)) return number;
      payload.issues.push({ code: 'custom', message: problemMessage('not_int'), input: value });
      return z.NEVER;
    }),
  ),
);

/** Bound of a time filter: 0 is none. */
export const FilterTime = z.pipe(
  FilterInt,
  z.transform((value) => value || undefined),
);

/** An integer of 0 or more, also as decimal text of a query string. */
export const Count = z
  .pipe(
    z.union([z.number(), z.string().check(z.regex(/^\d+$/, problemMessage('not_int')))]),
    z.transform(Number),
  )
  .check(z.int(), z.nonnegative());

/** A boolean, also as the text of a query string. */
export const Flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0', ''])]),
  z.transform((value) => value === true || value === 'true' || value === '1'),
);

/**
 * `ask`: if groups, models or prices in use would be affected, nothing is changed and the error
 * names them. Without it the call goes through, and `warnings` name them.
 */
export const Impact = z.optional(z.literal('ask'));

/** Quota units that may be negative. */
export const Units = z.int();

/** A balance or limit in quota units. */
export const Quota = z.int().check(z.nonnegative());

/** USD per million tokens, or per call. */
export const PriceUsd = z.number().check(z.nonnegative(), z.maximum(MAX_PRICE_USD));

/** A price factor. */
export const Ratio = z.number().check(z.nonnegative(), z.maximum(MAX_RATIO));

/** A comma-separated list, or a JSON list; trimmed, without empty items and duplicates. */
export const CommaList = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((value) => splitList([value].flat().join(',')).join(',')),
);

/** JSON text or a JSON object, stored as text; empty stays empty. */
export const JsonObjectText = z.pipe(
  z.union([z.string(), z.record(z.string(), z.unknown()), z.null()]),
  z.transform((value, payload): string => {
    const text = jsonText(value);
    if (text === '' || isJsonObject(text)) return text;
    const message = problemMessage('not_json_object');
    payload.issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  }),
);

function jsonText(value: string | Record<string, unknown> | null): string {
  if (value === null) return '';
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}

function isJsonObject(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject && !isTooDeep(parsed);
  } catch {
    return false;
  }
}

/** Content of a JSON column or a log entry's `other`: any object. */
export const AnyObject = z.record(z.string(), z.unknown());

/** A field that was accepted but probably was not meant so, in the form of a wrong field. */
export const Warning = z.object({
  field: z.optional(z.string()),
  code: z.union([z.string(), z.number()]),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.readonly(z.array(z.string()))])),
  message: z.string(),
});

/** Absent without any. */
export const Warnings = z.optional(z.array(Warning));

/** The name of a time zone (IANA); '' counts as none. */
export const TimeZone = z.string().check(z.refine(isTimeZone));
