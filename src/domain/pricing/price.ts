/** The price of a call, as found for a model at one moment. */
import type { RateCondition, Rates, RateVariant } from './catalog/model-entry.ts';
import { TOKEN_KINDS, type TokenRates } from './rates.ts';

/** The price of a model before the moment of a call and its channel are known. */
export interface ListPrice {
  readonly rates: Rates;
  readonly variants: readonly RateVariant[];
}

/** Which name or rule determined the price. */
export type PriceRule = 'requested' | 'mapped' | 'fallback' | 'unset';

export interface PerCallPrice {
  readonly kind: 'per_call';
  /** The price name used, which is recorded with the charge. */
  readonly name: string;
  readonly rule: PriceRule;
  /** USD per call. */
  readonly model_price: number;
}

/** USD per 1,000 uses of the vendor's tools. */
export type ToolRates = Readonly<Record<'web_search' | 'file_search' | 'code_session', number>>;

export interface PerTokenPrice {
  readonly kind: 'per_token';
  readonly name: string;
  readonly rule: PriceRule;
  /** For a short prompt at the standard tier. */
  readonly rates: TokenRates;
  readonly tools: ToolRates;
  /** Present if the length of the prompt or the tier of the answer changes the rates. */
  readonly byAnswer?: {
    /** What the variants change, without derived rates. */
    readonly base: Rates;
    /** Those that hold at the moment and the channel of the call, in order. */
    readonly variants: readonly RateVariant[];
  };
  /** Conditions of the moment and the channel that changed the rates. */
  readonly conditions?: readonly RateCondition[];
}

export type Price = PerCallPrice | PerTokenPrice;

export function isFree(price: Price, groupRatio: number): boolean {
  if (groupRatio === 0) return true;
  if (price.kind === 'per_call') return price.model_price === 0;
  return price.byAnswer === undefined && TOKEN_KINDS.every((kind) => price.rates[kind] === 0);
}

/** A price per call, unless it has rates per token. */
export function isPerCall({ rates }: Pick<ListPrice, 'rates'>): boolean {
  return rates.call !== undefined && rates.input === undefined;
}
