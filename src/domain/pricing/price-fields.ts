/** The current price in the fields in which an operator enters one. */
import type { KnownPrice } from './price-file/rate-changes.ts';

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

type PriceField = keyof typeof SHOWN_AS;

const PRICE_FIELDS = Object.keys(SHOWN_AS) as readonly PriceField[]; // keys of the literal

type ShownPrice = Pick<KnownPrice, 'source'> &
  Readonly<Record<(typeof SHOWN_AS)[PriceField], number>>;

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
