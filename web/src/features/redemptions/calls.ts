import type * as z from 'zod/mini';
import {
  type Redemption as RedemptionReply,
  redemptionCalls,
} from '../../../../src/api/billing/redemption.ts';
import { client } from '../../lib/api/api.ts';

export type Redemption = z.output<typeof RedemptionReply>;

export const redemptions = client(redemptionCalls);

/** No longer redeemable. */
export function isSpent({ state }: Redemption): boolean {
  return state !== 'unused' && state !== 'upcoming';
}

/** Link for redeeming: the wallet with the code filled in. */
export function redeemLink(origin: string, key: string): string {
  return `${origin}/app/wallet?code=${encodeURIComponent(key)}`;
}

/** Newly created codes. */
export interface NewCodes {
  readonly name: string;
  /** Units per code. */
  readonly quota: number;
  readonly keys: readonly string[];
}
