import type * as z from 'zod/mini';
import {
  type Redemption as RedemptionReply,
  redemptionCalls,
} from '../../../../src/api/billing/redemption.ts';
import { REDEMPTION_STATUS } from '../../../../src/domain/statuses.ts';
import { client } from '../../lib/api/api.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type Redemption = z.output<typeof RedemptionReply>;

export const redemptions = client(redemptionCalls);
export const redemptionKeys = entityKeys('redemption');

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

/** The site's own address; undefined while it is still a loopback address. */
export function publicOrigin(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isLocal ? undefined : address.replace(/\/+$/, '');
}
