/**
 * Upper bounds for all prices and ratios: real ones are far smaller, so a larger value is a typing
 * error, and its charges would exceed any balance.
 */

/** USD: per million tokens, per call, or per 1,000 uses of a tool. */
export const MAX_PRICE_USD = 1_000_000;

/** Maximum of every ratio and group factor; the same limit as above, because ratio 1 is 2 USD. */
export const MAX_RATIO = MAX_PRICE_USD / 2;
