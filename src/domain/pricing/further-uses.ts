/** Prices the passes of a call that its own counts leave out, such as those of another model. */
import type { PerTokenPrice, Price } from './price.ts';
import type { Usage } from './usage.ts';

export interface FurtherUse {
  /** Absent: the model of the call. */
  readonly model?: string;
  readonly price: PerTokenPrice;
  readonly usage: Usage;
}

export const NO_FURTHER: readonly FurtherUse[] = [];

/**
 * `priceOf`: the price of another model; without one, and for the same model, the price of the call
 * applies. A price per call includes these passes.
 */
export function furtherUses(
  { further }: Usage,
  price: Price,
  priceOf: (model: string) => Price | undefined,
): readonly FurtherUse[] {
  if (further === undefined) return NO_FURTHER;
  return further.flatMap(({ model, usage }) => {
    const own = (model === undefined ? undefined : priceOf(model)) ?? price;
    return own.kind === 'per_call' ? [] : [{ model, price: own, usage }];
  });
}
