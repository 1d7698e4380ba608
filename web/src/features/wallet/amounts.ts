/** Top-up amounts. */
import type { Status } from '../../lib/site/site-status.ts';

/** Suggested amounts in dollars. */
const PICKS = [5, 10, 20, 50, 100] as const;

type Rules = Pick<Status, 'min_topup' | 'display_in_currency' | 'quota_per_unit'>;

/** The minimum amount: whole dollars, or units on a site that shows units. */
export function leastAmount({ min_topup, display_in_currency, quota_per_unit }: Rules): number {
  const least = display_in_currency ? min_topup : min_topup * quota_per_unit;
  return Math.max(1, Math.ceil(least));
}

/** Suggested amounts in the unit of the input, without those below the minimum. */
export function amountPicks(rules: Rules): number[] {
  const unit = rules.display_in_currency ? 1 : rules.quota_per_unit;
  const least = leastAmount(rules);
  return PICKS.map((usd) => usd * unit).filter((amount) => amount >= least);
}

/** Rounds the input down to a whole number of at least 1. */
export function flooredAmount(typed: string | number): number {
  const amount = Math.floor(Number(typed));
  return Number.isSafeInteger(amount) && amount >= 1 ? amount : 1;
}
