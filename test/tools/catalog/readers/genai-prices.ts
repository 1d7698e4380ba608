/** The `data.json` of genai-prices: USD per million tokens, with dates and hours. */
import { definedFields } from '../../../../src/domain/defined-fields.ts';
import { isFields, type JsonFields } from '../../../../src/domain/json-fields.ts';
import type { Rates, RateVariant } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import {
  isPriced,
  knownRates,
  positive,
  pricedVariants,
} from '../../../../src/domain/pricing/price-file/offer.ts';
import { amountOf } from '../../../../src/domain/pricing/price-file/row.ts';
import type { CatalogueOffer } from '../source-model.ts';

/** @param date the day whose rates are the general ones, `YYYY-MM-DD`; later ones become variants. */
export function readGenaiPrices(list: readonly unknown[], date: string): readonly CatalogueOffer[] {
  return list.filter(isProvider).flatMap(({ id, models }) =>
    models.filter(isFields).flatMap((model) =>
      namesOf(model).map((name) => ({
        provider: id,
        name,
        ...priceOf(model.prices, date),
        ...definedFields({ context: positive(model.context_window) }),
      })),
    ),
  );
}

interface Provider {
  readonly id: string;
  readonly models: readonly unknown[];
}

function isProvider(value: unknown): value is Provider {
  return isFields(value) && typeof value.id === 'string' && Array.isArray(value.models);
}

/** The id and the further names that are given as such, not as patterns. */
function namesOf({ id, match }: JsonFields): readonly string[] {
  const rules: readonly unknown[] = isFields(match) && Array.isArray(match.or) ? match.or : [match];
  const equal = rules.flatMap((rule) => (isFields(rule) ? [rule.equals] : []));
  return [...new Set([id, ...equal].filter((name) => typeof name === 'string'))];
}

interface DatedPrices {
  readonly when: JsonFields;
  readonly prices: JsonFields;
}

function datedPrices(prices: unknown): readonly DatedPrices[] {
  if (!Array.isArray(prices)) return [{ when: {}, prices: isFields(prices) ? prices : {} }];
  return prices.filter(isFields).map(({ constraint, prices: amounts }) => ({
    when: isFields(constraint) ? constraint : {},
    prices: isFields(amounts) ? amounts : {},
  }));
}

/** The rates in force on the day, and what is conditional. */
function priceOf(listed: unknown, date: string): Pick<CatalogueOffer, 'rates' | 'variants'> {
  const all = datedPrices(listed);
  const base = all.findLast(({ when }) => isInForce(when, date))?.prices ?? {};
  return {
    rates: basicRates(base),
    variants: pricedVariants([
      ...longPrompts(base),
      ...all.flatMap(({ when, prices }) => {
        const condition = conditionOf(when, date);
        return condition === undefined ? [] : [{ when: condition, rates: basicRates(prices) }];
      }),
    ]),
  };
}

function isInForce({ start_date, start_time }: JsonFields, date: string): boolean {
  if (typeof start_date === 'string') return start_date <= date;
  return start_time === undefined;
}

function conditionOf(
  { start_date, start_time, end_time }: JsonFields,
  date: string,
): RateVariant['when'] | undefined {
  if (typeof start_time === 'string' && typeof end_time === 'string')
    return { hours: { zone: 'UTC', from: clock(start_time), until: clock(end_time) } };
  if (typeof start_date === 'string' && start_date > date) return { from: start_date };
  return undefined;
}

function clock(time: string): string {
  return time.slice(0, 'HH:MM'.length);
}

/** Amounts with a base have other amounts above lengths of the prompt. */
interface Step {
  readonly start: number;
  readonly price: unknown;
}

function stepsOf(amount: unknown): readonly Step[] {
  const tiers = isFields(amount) && Array.isArray(amount.tiers) ? amount.tiers : [];
  return tiers.filter(isFields).flatMap(({ start, price }) => {
    return typeof start === 'number' ? [{ start, price }] : [];
  });
}

function baseOf(amount: unknown): unknown {
  return isFields(amount) ? amount.base : amount;
}

function longPrompts(prices: JsonFields): readonly RateVariant[] {
  const starts = Object.values(prices).flatMap((amount) =>
    stepsOf(amount).map(({ start }) => start),
  );
  return [...new Set(starts)]
    .sort((one, other) => one - other)
    .map((start) => ({
      when: { prompt_above: start },
      rates: ratesIn(prices, (amount) => {
        const step = stepsOf(amount).findLast((tier) => tier.start <= start);
        return step === undefined ? baseOf(amount) : step.price;
      }),
    }));
}

function basicRates(prices: JsonFields): Rates {
  const basic = ratesIn(prices, baseOf);
  return isPriced(basic) ? basic : {};
}

function ratesIn(prices: JsonFields, read: (amount: unknown) => unknown): Rates {
  const rate = (field: string) => amountOf(read(prices[field]));
  return knownRates({
    input: rate('input_mtok'),
    output: rate('output_mtok'),
    cache_read: rate('cache_read_mtok'),
    cache_write: rate('cache_write_mtok'),
    audio_input: rate('input_audio_mtok'),
    audio_output: rate('output_audio_mtok'),
  });
}
