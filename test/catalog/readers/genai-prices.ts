/** Data of the npm package @pydantic/genai-prices: USD per million tokens, with dates and hours. */
import { definedFields } from '../../../src/domain/defined-fields.ts';
import type { Rates, RateVariant } from '../../../src/domain/pricing/catalog/model-entry.ts';
import type { SourceModel } from '../source-model.ts';
import { isPriced, positive, pricedVariants, ratesOf } from './amounts.ts';

type Amount =
  | number
  | {
      readonly base: number;
      readonly tiers: readonly { readonly start: number; readonly price: number }[];
    };

type Prices = Readonly<Partial<Record<string, Amount>>>;

interface DatedPrices {
  readonly constraint?: {
    readonly start_date?: string;
    readonly start_time?: string;
    readonly end_time?: string;
  };
  readonly prices: Prices;
}

interface Model {
  readonly id: string;
  /** Further names of the model. */
  readonly equals: readonly string[];
  readonly prices: Prices | readonly DatedPrices[];
  readonly context_window?: number;
}

export type GenaiPricesFile = Readonly<Record<string, readonly Model[]>>;

export function readGenaiPrices(file: GenaiPricesFile, source: string): readonly SourceModel[] {
  return Object.entries(file).flatMap(([provider, models]) =>
    models.flatMap((model) =>
      [...new Set([model.id, ...model.equals])].map((name) => ({
        source,
        provider,
        name,
        ...priceOf(model, source.slice(source.lastIndexOf(' ') + 1)),
        ...definedFields({ context: positive(model.context_window) }),
      })),
    ),
  );
}

/** The rates in force on the catalogue's date, and what is conditional. */
function priceOf({ prices }: Model, date: string): Pick<SourceModel, 'rates' | 'variants'> {
  const all: readonly DatedPrices[] = isDated(prices) ? prices : [{ prices }];
  const base = all.findLast(({ constraint: when }) => isBase(when, date)) ?? { prices: {} };
  const hourly = all.filter(({ constraint }) => constraint?.start_time !== undefined);
  return {
    rates: basicRates(base.prices),
    variants: pricedVariants([
      ...longPrompts(base.prices),
      ...hourly.map(({ constraint, prices: amounts }) => ({
        when: {
          hours: {
            zone: 'UTC',
            from: clock(constraint?.start_time),
            until: clock(constraint?.end_time),
          },
        },
        rates: basicRates(amounts),
      })),
    ]),
  };
}

function isDated(prices: Model['prices']): prices is readonly DatedPrices[] {
  return Array.isArray(prices);
}

function isBase(when: DatedPrices['constraint'], date: string): boolean {
  return when === undefined || (when.start_date !== undefined && when.start_date <= date);
}

function clock(time = ''): string {
  return time.slice(0, 'HH:MM'.length);
}

function longPrompts(prices: Prices): readonly RateVariant[] {
  const starts = Object.values(prices).flatMap((amount) =>
    typeof amount === 'object' ? amount.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)]
    .sort((a, b) => a - b)
    .map((start) => ({
      when: { prompt_above: start },
      rates: rates(prices, (amount) =>
        typeof amount === 'number'
          ? amount
          : (amount.tiers.findLast((tier) => tier.start <= start)?.price ?? amount.base),
      ),
    }));
}

function basicRates(prices: Prices): Rates {
  const basic = rates(prices, (amount) => (typeof amount === 'number' ? amount : amount.base));
  return isPriced(basic) ? basic : {};
}

function rates(prices: Prices, amountOf: (amount: Amount) => number): Rates {
  const read = (field: string) => {
    const amount = prices[field];
    return amount === undefined ? undefined : amountOf(amount);
  };
  return ratesOf({
    input: read('input_mtok'),
    output: read('output_mtok'),
    cache_read: read('cache_read_mtok'),
    cache_write: read('cache_write_mtok'),
    audio_input: read('input_audio_mtok'),
    audio_output: read('output_audio_mtok'),
  });
}
