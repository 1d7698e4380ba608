/**
 * The fields many calls share. What comes in a query string is text, so numbers and switches of a
 * filter are read leniently; what comes in a body keeps its JSON type.
 */
import * as z from 'zod/mini';
import { MAX_PRICE_USD, MAX_RATIO } from '../domain/pricing/price-bounds.ts';
import { splitList } from '../domain/text/comma-list.ts';
import { isTooDeep } from '../domain/text/json-depth.ts';
import { because } from './input-problem.ts';

/**
 * The caller's own password, for what needs proof that the owner acts. A session younger than ten
 * minutes goes without.
 */
export const OwnPassword = z.optional(z.string().check(z.maxLength(1000)));

/** A filter's text: absent and empty both mean "any". */
export const FilterText = z.optional(z.string().check(z.trim(), z.maxLength(200)));

/** A filter's whole number, also as text: absent and empty both mean "any". */
export const FilterInt = z.optional(
  z.pipe(
    z.union([z.number(), z.string()]),
    z.transform((value, payload): number | undefined => {
      if (value === '') return undefined;
      const number = Number(value);
      const isPlain = typeof value === 'number' || /^\s*[+-]?\d+\s*$/.test(value);
      if (isPlain && Number.isSafeInteger(number)) return number;
      payload.issues.push({ code: 'custom', message: because('not_int'), input: value });
      return z.NEVER;
    }),
  ),
);

/** A whole number of 0 or more, also as the digits of a query string. */
export const Count = z
  .pipe(
    z.union([z.number(), z.string().check(z.regex(/^\d+$/, because('not_int')))]),
    z.transform(Number),
  )
  .check(z.int(), z.nonnegative());

/** A switch, also as the text of a query string. */
export const Flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0', ''])]),
  z.transform((value) => value === true || value === 'true' || value === '1'),
);

/** Quota units that may be negative. */
export const Units = z.int();

/** A balance or limit in quota units. */
export const Quota = z.int().check(z.nonnegative());

/** Calls that may run at the same time; 0 for no limit. */
export const MaxConcurrency = z.int().check(z.nonnegative(), z.maximum(1_000_000));

/** Tokens of prompts and answers in 60 seconds; 0 for no limit. */
export const TokensPerMinute = z.int().check(z.nonnegative(), z.maximum(1_000_000_000));

/** USD per million tokens, or per call. */
export const PriceUsd = z.number().check(z.nonnegative(), z.maximum(MAX_PRICE_USD));

/** A factor of a price. */
export const Ratio = z.number().check(z.nonnegative(), z.maximum(MAX_RATIO));

/** A comma list, also given as a JSON list; trimmed, without blanks and repetitions. */
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
    const message = because('not_json_object');
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

/** What a JSON column or a log's `other` holds: any object. */
export const AnyObject = z.record(z.string(), z.unknown());
