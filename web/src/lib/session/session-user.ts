import type * as z from 'zod/mini';
import type { SignedIn } from '../../../../src/api/accounts/account.ts';

/** The user signed in at this browser. */
export type SessionUser = z.output<typeof SignedIn>;
