/** How long a balance lasts at the recent net spend, and whether its owner should top up. */

/** The days whose net spend is the measure. */
export const OUTLOOK_DAYS = 7;
const HOURS_PER_DAY = 24;
/** A balance that lasts for fewer days is low. */
const LOW_DAYS = 3;

export interface BalanceFacts {
  readonly quota: number;
  /** The balance below which the account is warned. */
  readonly warnBelow: number;
  /** The net spend of the last days. */
  readonly spent: number;
  /** Since the first call within these days. */
  readonly hours: number;
}

export interface BalanceOutlook {
  /** Undefined without spending, or within less than a day of it, which says nothing about the next ones. */
  readonly daysLeft: number | undefined;
  readonly isLow: boolean;
}

export function balanceOutlook({ quota, warnBelow, spent, hours }: BalanceFacts): BalanceOutlook {
  const isKnown = spent > 0 && hours >= HOURS_PER_DAY;
  const daysLeft = isKnown
    ? Math.max(0, Math.floor((quota * hours) / spent / HOURS_PER_DAY))
    : undefined;
  return { daysLeft, isLow: quota < warnBelow || (daysLeft ?? LOW_DAYS) < LOW_DAYS };
}
