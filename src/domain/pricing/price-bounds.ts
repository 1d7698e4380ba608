/**
 * The largest prices and ratios that are taken, whoever enters them: no real one comes near, so more
 * is a slip of the keyboard, and its charges would not fit a balance.
 */

/** USD: per million tokens, per call, or per 1,000 uses of a tool. */
export const MAX_PRICE_USD = 1_000_000;

/** Every ratio and factor of a group; of an input price the same, as ratio 1 is 2 USD. */
export const MAX_RATIO = MAX_PRICE_USD / 2;
