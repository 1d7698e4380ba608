/** Computes a call's cost independently of the gateway, with integers and one rounding. */
import type { Usage } from '../../upstream/content/usage.ts';

/** Prices in tenths, to keep all values integers. */
export const RATIO_TENTHS = 15n;
export const COMPLETION_TENTHS = 30n;

/** Quota units at ratio 1.5 and completion ratio 3, half up, at least 1. */
export function unitsOf({ prompt_tokens, completion_tokens = 0 }: Usage | Tokens): number {
  const weightTenths = BigInt(prompt_tokens) * 10n + BigInt(completion_tokens) * COMPLETION_TENTHS;
  const hundredths = weightTenths * RATIO_TENTHS;
  if (hundredths === 0n) return 0;
  const rounded = (hundredths + 50n) / 100n;
  return rounded < 1n ? 1 : Number(rounded);
}

export interface Tokens {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** Reproducible numbers in [0, 1) from a seed: Marsaglia's xorshift32. */
export function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
