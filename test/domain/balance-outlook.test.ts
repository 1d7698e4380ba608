import { describe, expect, it } from 'vitest';
import { type BalanceFacts, balanceOutlook } from '../../src/domain/balance-outlook.ts';

const WEEK_HOURS = 7 * 24;

const outlook = (facts: Partial<BalanceFacts>) =>
  balanceOutlook({ quota: 700, warnBelow: 10, spent: 70, hours: WEEK_HOURS, ...facts });

describe('the outlook of a balance', () => {
  it('divides the balance by the net spend of the hours in which there was any', () => {
    expect(outlook({}).daysLeft).toBe(70);
    expect(outlook({ quota: 705 }).daysLeft).toBe(70);
    expect(outlook({ hours: 48 }).daysLeft).toBe(20);
    expect(outlook({ quota: -5 }).daysLeft).toBe(0);
  });

  it('names no days without spending, or within less than a day of it', () => {
    expect(outlook({ spent: 0 }).daysLeft).toBeUndefined();
    expect(outlook({ spent: -3 }).daysLeft).toBeUndefined();
    expect(outlook({ hours: 23.9 }).daysLeft).toBeUndefined();
    expect(outlook({ hours: 24 }).daysLeft).toBe(10);
  });

  it('is low below the threshold of the account, or if less than three days are left', () => {
    expect(outlook({}).isLow).toBe(false);
    expect(outlook({ warnBelow: 700 }).isLow).toBe(false);
    expect(outlook({ warnBelow: 701 }).isLow).toBe(true);
    expect(outlook({ quota: 30 }).isLow).toBe(false);
    expect(outlook({ quota: 29 }).isLow).toBe(true);
    expect(outlook({ quota: 29, hours: 1 }).isLow).toBe(false);
  });
});
