/** The changes that an imported price would make to the current price. */
import type { KnownPrice } from './known-models.ts';
import type { FilePrice } from './row.ts';

/** Fields of an entered price, and the management API's names for them. */
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

export const PRICE_FIELDS = Object.keys(SHOWN_AS) as readonly PriceField[]; // keys of the literal

export type ShownPrice = KnownPrice & Readonly<Record<(typeof SHOWN_AS)[PriceField], number>>;

/** The current price by entry field; undefined if the model has none. */
export function priceFieldsOf(price: ShownPrice): Readonly<Record<PriceField, number>> | undefined {
  if (price.source === 'unset' || price.source === 'fallback') return undefined;
  const amounts = PRICE_FIELDS.map((field) => [field, roundedPrice(price[SHOWN_AS[field]])]);
  return Object.fromEntries(amounts) as Record<PriceField, number>; // one entry per field
}

/** Removes the float error of converting a price per million tokens to a ratio and back. */
export function roundedPrice(amount: number): number {
  return Number(amount.toPrecision(12));
}

export interface PriceChange {
  readonly field: PriceField;
  /** Null if the model has no price. */
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
