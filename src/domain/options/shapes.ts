/**
 * The JSON shapes of options, by name. Parsed maps are frozen and have no prototype: they are
 * indexed by names that clients choose, and `map['constructor']` must be undefined.
 */
import * as z from 'zod/mini';
import { AlertDestinations } from '../alert-destinations.ts';
import { MAX_PRICE_USD, MAX_RATIO } from '../pricing/price-bounds.ts';
import { ModelRatesSchema, SyncedRatesSchema } from '../pricing/rate-schema.ts';

const ModelName = z.string().check(z.minLength(1), z.maxLength(255));

/** Group lists are comma-separated, and their columns hold 64 characters. */
const GroupName = z.string().check(z.regex(/^(?!\s)[^,\p{C}]{1,64}(?<!\s)$/u));

/** RFC 9110 5.6.2 token; values have no control characters, which prevents header injection. */
const HeaderName = z.string().check(z.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/));
const HeaderValue = z.string().check(z.regex(/^[\t\x20-\x7e\x80-\xff]*$/));

const TierName = z.string().check(z.regex(/^[a-z][a-z_]{0,31}$/));

const Price = z.number().check(z.nonnegative(), z.maximum(MAX_PRICE_USD));
const Ratio = z.number().check(z.nonnegative(), z.maximum(MAX_RATIO));
/** Names that Gemini documents; the last is in settings of compatible gateways, without effect. */
const HARM_CATEGORIES: ReadonlySet<string> = new Set([
  'default',
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
]);
const HarmCategory = z.string().check(z.refine((name) => HARM_CATEGORIES.has(name)));
const HarmThreshold = z.enum([
  'OFF',
  'BLOCK_NONE',
  'BLOCK_ONLY_HIGH',
  'BLOCK_MEDIUM_AND_ABOVE',
  'BLOCK_LOW_AND_ABOVE',
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
]);
const ApiVersion = z.string().check(z.regex(/^v\d\w*$/));
const Label = z.string().check(z.maxLength(255));

/** Links open in the browser with a user's key in them, so script URLs are rejected. */
const ChatLink = z
  .string()
  .check(z.regex(/^(?!(?:javascript|data|vbscript|file|about|blob):)[a-z][a-z0-9+.-]*:\S+$/i));

function withoutPrototype<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const bare: Record<string, T> = Object.create(null);
  for (const [name, value] of Object.entries(map)) bare[name] = value;
  return Object.freeze(bare);
}

function mapOf<T>(name: z.ZodMiniString, value: z.ZodMiniType<T>) {
  return z.pipe(
    z.record(name, value),
    z.transform((map: Readonly<Record<string, T>>) => withoutPrototype(map)),
  );
}

const ChatEntry = z
  .record(z.string().check(z.minLength(1)), ChatLink)
  .check(z.refine((entry) => Object.keys(entry).length === 1));

export const SHAPES = {
  model_prices: {
    text: 'a map from model names to US dollars from 0 to 1,000,000',
    schema: mapOf(ModelName, Price),
  },
  model_ratios: {
    text: 'a map from model names to numbers from 0 to 500,000',
    schema: mapOf(ModelName, Ratio),
  },
  model_rates: {
    text: 'a map from model names to prices, such as {"rates": {"input": 2, "output": 8}}',
    schema: mapOf(ModelName, ModelRatesSchema),
  },
  synced_rates: {
    text: 'a map from model names to prices with source and date',
    schema: mapOf(ModelName, SyncedRatesSchema),
  },
  group_ratios: {
    text: 'a map from group names (no commas, up to 64 characters) to numbers from 0 to 500,000',
    schema: mapOf(GroupName, Ratio),
  },
  group_counts: {
    text: 'a map from group names (no commas, up to 64 characters) to whole numbers of 1 or more',
    schema: mapOf(GroupName, z.int().check(z.positive(), z.maximum(1_000_000_000))),
  },
  group_labels: {
    text: 'a map from group names (no commas, up to 64 characters) to descriptions',
    schema: mapOf(GroupName, Label),
  },
  group_names: {
    text: 'a list of group names (no commas, up to 64 characters)',
    schema: z.readonly(z.array(GroupName)),
  },
  model_names: { text: 'a list of model names', schema: z.readonly(z.array(ModelName)) },
  model_counts: {
    text: 'a map from model names, or "default", to whole numbers of 1 or more',
    schema: mapOf(ModelName, z.int().check(z.positive())),
  },
  model_headers: {
    text: 'a map from model names to maps from header names to lists of values',
    schema: mapOf(ModelName, mapOf(HeaderName, z.readonly(z.array(HeaderValue)))),
  },
  tier_ratios: {
    text: 'a map from model names to maps from service tiers, such as "flex", to numbers from 0 to 500,000',
    schema: mapOf(ModelName, mapOf(TierName, Ratio)),
  },
  api_versions: {
    text: 'a map from model names, or "default", to API versions such as "v1beta"',
    schema: mapOf(ModelName, ApiVersion),
  },
  safety_settings: {
    text: 'a map from harm categories, or "default", to thresholds such as "OFF"',
    schema: mapOf(HarmCategory, HarmThreshold),
  },
  chat_links: {
    text: 'a list of one-entry maps from a name to a URL template',
    schema: z.readonly(z.array(z.readonly(ChatEntry))),
  },
  alert_destinations: {
    text: 'a list of up to 20 maps with a unique name, kind and address, and optionally secret and language',
    schema: AlertDestinations,
  },
} as const satisfies Readonly<Record<string, { text: string; schema: z.ZodMiniType }>>;

export type ShapeName = keyof typeof SHAPES;
export type ShapeValue<S extends ShapeName> = z.output<(typeof SHAPES)[S]['schema']>;
