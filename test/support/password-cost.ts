/**
 * Replaces the module of this name in `src` (vitest.config.ts), because tests hash hundreds of
 * passwords.
 */
import type { ScryptCost } from '../../src/services/credentials/password-thread/protocol.ts';

export const PASSWORD_COST: ScryptCost = { log2n: 10, r: 8, p: 1 };
