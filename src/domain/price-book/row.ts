import type { UsdPrice } from './usd.ts';

/** Prices in USD: per million tokens, or per call. `estimated`: no published price was known. */
export type BookRow = {
  readonly names: readonly string[];
  readonly estimated?: true;
} & (UsdPrice | { readonly perCall: number });
