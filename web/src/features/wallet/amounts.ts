/** What may be topped up, and how long a balance lasts. */
import type { Status } from '../../lib/site-status.ts';
import { PACE_DAYS } from './calls.ts';

/** Dollars offered. */
const PICKS = [5, 10, 20, 50, 100] as const;

type Rules = Pick<Status, 'min_topup' | 'display_in_currency' | 'quota_per_unit'>;

/** The least amount: whole dollars, or units on a site that shows units. */
export function leastAmount({ min_topup, display_in_currency, quota_per_unit }: Rules): number {
  const least = display_in_currency ? min_topup : min_topup * quota_per_unit;
  return Math.max(1, Math.ceil(least));
}

/** In the unit of the input; those below the minimum are left out. */
export function amountPicks(rules: Rules): number[] {
  const unit = rules.display_in_currency ? 1 : rules.quota_per_unit;
  const least = leastAmount(rules);
  return PICKS.map((usd) => usd * unit).filter((amount) => amount >= least);
}

/** A whole number of at least 1, whatever was typed. */
export function flooredAmount(typed: string | number): number {
  const amount = Math.floor(Number(typed));
  return Number.isSafeInteger(amount) && amount >= 1 ? amount : 1;
}

/** Days a balance lasts at the pace of the last ones; undefined when nothing was spent. */
export function daysLeft(units: number, spentLately: number): number | undefined {
  if (spentLately <= 0) return undefined;
  return Math.max(0, Math.floor((units * PACE_DAYS) / spentLately));
}
