import type { ScryptCost } from './password-thread/protocol.ts';

/** OWASP password storage sheet: N=2^15, r=8, p=3 equals N=2^17 with a quarter of the memory. */
export const PASSWORD_COST: ScryptCost = { log2n: 15, r: 8, p: 3 };
