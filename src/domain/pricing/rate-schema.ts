/** Schemas of rates and their variants, for options and the management API. */
import * as z from 'zod/mini';
import { CHANNEL_TYPE_LIST } from '../channels/channel-types.ts';
import type { ModelEntry, Rates, RateVariant } from './catalog/model-entry.ts';
import { MAX_PRICE_USD, MAX_RATIO } from './price-bounds.ts';
import { INPUT_KINDS } from './rates.ts';

/** @param amount the schema of every rate. */
function ratesSchema<T extends z.ZodMiniType<number>>(amount: T) {
  const usd = z.optional(amount);
  return z.strictObject({
    input: usd,
    cache_read: usd,
    cache_write: usd,
    cache_write_1h: usd,
    audio_input: usd,
    image_input: usd,
    output: usd,
    audio_output: usd,
    image_output: usd,
    web_search: usd,
    file_search: usd,
    code_session: usd,
    call: usd,
    second: usd,
    character: usd,
  } satisfies Record<keyof Rates, typeof usd>);
}

/** USD, by what a rate is for (docs/billing.md, "Rates"). */
export const RatesSchema = ratesSchema(z.number().check(z.nonnegative(), z.maximum(MAX_PRICE_USD)));

/** In replies: derived rates may exceed the bound of given ones. */
export const ShownRates = ratesSchema(z.number());

const Day = z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/));
const Time = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/));
const PROVIDERS: ReadonlySet<string> = new Set(CHANNEL_TYPE_LIST.map(({ slug }) => slug));

export const RateConditionSchema = z.strictObject({
  prompt_above: z.optional(z.int().check(z.positive())),
  is_marginal: z.optional(z.literal(true)),
  tier: z.optional(z.string().check(z.regex(/^[a-z][a-z_]{0,31}$/))),
  hours: z.optional(
    z.strictObject({
      zone: z.string().check(z.refine(isTimeZone)),
      days: z.optional(z.array(z.int().check(z.minimum(1), z.maximum(7)))),
      from: Time,
      until: Time,
    }),
  ),
  from: z.optional(Day),
  until: z.optional(Day),
  provider: z.optional(z.string().check(z.refine((slug) => PROVIDERS.has(slug)))),
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** A variant changes something under a condition; only input has a part above a limit. */
function isMeaningful({ when, rates, factor }: RateVariant): boolean {
  if (Object.keys(when).length === 0) return false;
  if (when.is_marginal && when.prompt_above === undefined) return false;
  const kinds: readonly string[] = Object.keys(rates ?? {});
  if (when.is_marginal) return kinds.length > 0 && kinds.every((kind) => isInput(kind));
  return kinds.length > 0 || factor !== undefined;
}

function isInput(kind: string): boolean {
  return INPUT_KINDS.some((input) => input === kind);
}

export const ShownVariants = z.array(
  z.object({
    when: RateConditionSchema,
    rates: z.optional(ShownRates),
    factor: z.optional(z.number()),
  }),
);

export const RateVariantSchema = z
  .strictObject({
    when: RateConditionSchema,
    rates: z.optional(RatesSchema),
    factor: z.optional(z.number().check(z.nonnegative(), z.maximum(MAX_RATIO))),
  })
  .check(z.refine(isMeaningful));

/** More than any vendor has, and few enough to try all of them for a call. */
const MOST_VARIANTS = 40;

export const RateVariantsSchema = z.array(RateVariantSchema).check(z.maxLength(MOST_VARIANTS));

/** Rates that make a price: per token or per call. */
const PriceRatesSchema = RatesSchema.check(z.refine(isPrice));

/** A whole price of a model. */
export const ModelRatesSchema = z.strictObject({
  rates: PriceRatesSchema,
  variants: z._default(RateVariantsSchema, []),
});

/** What the upstream of a channel charges, as in the column `cost` of a channel. */
export const ChannelCostSchema = z.strictObject({
  /** Factor on the list price: 0.8 is 20 % cheaper. */
  factor: z.optional(z.number().check(z.nonnegative(), z.maximum(MAX_RATIO))),
  /** By the model's price name or its name at the upstream. */
  rates: z.optional(z.record(z.string().check(z.minLength(1)), PriceRatesSchema)),
});

/** Tokens. */
const Limit = z.optional(z.int().check(z.positive()));

/** What an upstream publishes besides the price; the catalogue comes first. */
export const PublishedLimits = { context: Limit, output_limit: Limit };

/** A price that was taken from a price list. */
export const SyncedRatesSchema = z.strictObject({
  rates: PriceRatesSchema,
  variants: z._default(RateVariantsSchema, []),
  ...PublishedLimits,
  source: z.string().check(z.maxLength(255)),
  date: Day,
});

/** Exactly one way to charge: tokens, seconds, characters or calls. */
function isPrice({ input, second, character, call }: NonNullable<ModelEntry['rates']>): boolean {
  return [input, second, character, call].filter((rate) => rate !== undefined).length === 1;
}
