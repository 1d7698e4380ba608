import type * as z from 'zod/mini';
import {
  type Redemption as RedemptionReply,
  redemptionCalls,
} from '../../../../src/api/billing/redemption.ts';
import { REDEMPTION_STATUS } from '../../../../src/domain/statuses.ts';
import { client } from '../../lib/api/api.ts';

export type Redemption = z.output<typeof RedemptionReply>;

export const redemptions = client(redemptionCalls);

/** No longer redeemable, or not at present. */
export function isSpent({ status, is_gift, max_uses, used_count }: Redemption): boolean {
  const isExhausted = is_gift && max_uses > 0 && used_count >= max_uses;
  return status !== REDEMPTION_STATUS.unused || isExhausted;
}

export function isExpired({ valid_until }: Redemption, nowSec: number): boolean {
  return valid_until > 0 && valid_until < nowSec;
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
