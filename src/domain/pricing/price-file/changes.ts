/** What a price of a file would change about the price in force. */
import type { KnownPrice } from './on-known.ts';
import type { FilePrice } from './row.ts';

/** Fields of a price as it is entered, and what the management API shows of them. */
const SHOWN_AS = {
  in: 'usd_in',
  out: 'usd_out',
  ratio: 'model_ratio',
  completion: 'completion_ratio',
  cache: 'cache_ratio',
  cacheWrite: 'cache_creation_ratio',
  audio: 'audio_ratio',
  audioCompletion: 'audio_completion_ratio',
  perCall: 'model_price',
} as const;

export type PriceField = keyof typeof SHOWN_AS;

export const PRICE_FIELDS = Object.keys(SHOWN_AS) as readonly PriceField[]; // the table's own keys

export type ShownPrice = KnownPrice & Readonly<Record<(typeof SHOWN_AS)[PriceField], number>>;

/** The price in force by the fields of an entry; undefined where the model has none. */
export function priceFieldsOf(price: ShownPrice): Readonly<Record<PriceField, number>> | undefined {
  if (price.source === 'unset' || price.source === 'fallback') return undefined;
  const amounts = PRICE_FIELDS.map((field) => [field, roundedPrice(price[SHOWN_AS[field]])]);
  return Object.fromEntries(amounts) as Record<PriceField, number>; // each field of the table
}

/** A price per million tokens becomes a ratio and back: what a float adds on the way is no change. */
export function roundedPrice(amount: number): number {
  return Number(amount.toPrecision(12));
}

export interface PriceChange {
  readonly field: PriceField;
  /** Null where the model has no price. */
  readonly from: number | null;
  readonly to: number;
}

export function priceChangesOf(price: FilePrice, known: ShownPrice): readonly PriceChange[] {
  const now = priceFieldsOf(known);
  return PRICE_FIELDS.flatMap((field) => {
    const amount = price[field];
    if (amount === undefined) return [];
    const to = roundedPrice(amount);
    const from = now?.[field] ?? null;
    return from === to ? [] : [{ field, from, to }];
  });
}
