import { expect, test } from 'vitest';
import {
  amountPicks,
  flooredAmount,
  leastAmount,
} from '../../../web/src/features/wallet/amounts.ts';

const DOLLARS = { min_topup: 1, display_in_currency: true, quota_per_unit: 500_000 };

test.each([
  [5, 5],
  ['12', 12],
  [7.9, 7],
  [0, 1],
  [-3, 1],
  ['', 1],
  ['x', 1],
])('an amount of %s counts as %s', (typed, amount) => expect(flooredAmount(typed)).toBe(amount));

test('the least amount is in dollars, or in units on a site that shows units', () => {
  expect(leastAmount(DOLLARS)).toBe(1);
  expect(leastAmount({ ...DOLLARS, min_topup: 9.5 })).toBe(10);
  expect(leastAmount({ ...DOLLARS, min_topup: 0 })).toBe(1);
  expect(leastAmount({ ...DOLLARS, min_topup: 2, display_in_currency: false })).toBe(1_000_000);
});

test('only amounts that may be topped up are offered', () => {
  expect(amountPicks(DOLLARS)).toEqual([5, 10, 20, 50, 100]);
  expect(amountPicks({ ...DOLLARS, min_topup: 15 })).toEqual([20, 50, 100]);
  expect(amountPicks({ ...DOLLARS, display_in_currency: false })[0]).toBe(2_500_000);
});
