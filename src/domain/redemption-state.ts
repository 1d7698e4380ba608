/** Whether a redemption code can be redeemed, from its stored status, its uses and the time. */
import { REDEMPTION_STATUS, statusWord } from './statuses.ts';

/** `upcoming`: not yet valid. `used`: redeemed, or a gift without uses left. */
export const REDEMPTION_STATES = ['unused', 'upcoming', 'expired', 'used', 'disabled'] as const;
export type RedemptionState = (typeof REDEMPTION_STATES)[number];

export function redemptionState(
  code: {
    readonly status: number;
    readonly is_gift: boolean;
    readonly max_uses: number;
    readonly used_count: number;
    readonly valid_from: number;
    readonly valid_until: number;
  },
  nowSec: number,
): RedemptionState {
  const isUsedUp = code.is_gift && code.max_uses > 0 && code.used_count >= code.max_uses;
  const word = statusWord(REDEMPTION_STATUS, code.status);
  if (word === 'disabled' || word === 'unknown') return 'disabled';
  if (word === 'used' || isUsedUp) return 'used';
  if (code.valid_from > nowSec) return 'upcoming';
  return code.valid_until > 0 && code.valid_until < nowSec ? 'expired' : 'unused';
}
