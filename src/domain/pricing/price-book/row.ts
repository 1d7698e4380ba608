import type { UsdPrice } from '../price-file/usd.ts';

/** Prices in USD: per million tokens, or per call. */
export type PriceBookRow = {
  readonly names: readonly string[];
  /** No published price was known. */
  readonly estimated?: true;
  /** Catalogue, entry and date of a price that is not from the page named at the file's head. */
  readonly source?: string;
} & (UsdPrice | { readonly perCall: number });
