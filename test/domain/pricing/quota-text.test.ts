import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  axisQuotaText,
  priceText,
  quotaText,
  unitsOfUsd,
  usdOf,
  usdText,
} from '../../../src/domain/pricing/quota-text.ts';

const currency = { currency: true, quotaPerUnit: 500_000 };
const count = { currency: false, quotaPerUnit: 500_000 };

describe('quota as dollars', () => {
  it.each([
    [0, '$0.00'],
    [500_000, '$1.00'],
    [600_000, '$1.20'],
    [-600_000, '-$1.20'],
    [502_500, '$1.01'],
    [-502_500, '-$1.01'],
    [5_000, '$0.01'],
    [617_283_945_000, '$1,234,567.89'],
    [9_007_199_254_740_991, '$18,014,398,509.48'],
  ])('%d units read %s', (units, text) => {
    expect(quotaText(units, currency)).toBe(text);
  });

  it.each([
    [4_999, '$0.01'],
    [3_750, '$0.0075'],
    [2_700, '$0.0054'],
    [1_656, '$0.0033'],
    [1_500, '$0.003'],
    [500, '$0.001'],
    [21, '$0.000042'],
    [-21, '-$0.000042'],
    [1, '$0.000002'],
  ])('below a cent %d units keep two significant digits: %s', (units, text) => {
    expect(quotaText(units, currency)).toBe(text);
  });

  it('on an axis have the decimals of its steps', () => {
    const steps = [0, 7_500, 15_000, 22_500, 30_000];
    const texts = steps.map((units) => axisQuotaText(units, 30_000, currency));
    expect(texts).toEqual(['$0.00', '$0.015', '$0.03', '$0.045', '$0.06']);
    expect(axisQuotaText(1_250_000, 5_000_000, currency)).toBe('$2.50');
    expect(axisQuotaText(0, 0, currency)).toBe('$0.00');
    expect(axisQuotaText(7_500, 30_000, count)).toBe('7,500');
  });

  it.each([
    [0.00024, '$0.00024'],
    [3, '$3.00'],
    [0.0036375, '$0.0036375'],
    [-1.5, '-$1.50'],
    [1234.5, '$1,234.50'],
    [0, '$0.00'],
  ])('a price of %d dollars is shown in full: %s', (usd, text) => {
    expect(priceText(usd)).toBe(text);
  });

  it('follow an unusual unit exactly, and the default one if the unit is invalid', () => {
    expect(usdText(1, 7.3, 4)).toBe('0.1370');
    expect(usdText(1, 1e-7, 0)).toBe('10000000');
    expect(quotaText(500_000, { currency: true, quotaPerUnit: 0 })).toBe('$1.00');
    expect(quotaText(500_000, { currency: true, quotaPerUnit: Number.NaN })).toBe('$1.00');
  });

  it('are plain numbers for JSON', () => {
    expect(usdOf(3750)).toBe(0.0075);
    expect(usdOf(10, 20)).toBe(0.5);
  });
});

describe('quota as a count', () => {
  it.each([
    [0, '0'],
    [9_999, '9,999'],
    [-2_699, '-2,699'],
    [10_000, '10.0k'],
    [12_340, '12.3k'],
    [12_350, '12.4k'],
    [999_949, '999.9k'],
    [999_950, '1.0M'],
    [1_000_000, '1.0M'],
    [999_950_000, '1.0B'],
    [4_500_000_000_000, '4500.0B'],
    [-12_340, '-12.3k'],
    [-50, '-50'],
  ])('%d reads %s', (units, text) => {
    expect(quotaText(units, count)).toBe(text);
  });
});

describe('dollars typed by a person', () => {
  it.each([
    ['1', 500_000],
    ['0.5', 250_000],
    ['.5', 250_000],
    ['2.', 1_000_000],
    [' $12.34 ', 6_170_000],
    ['-3', -1_500_000],
    ['0.000001', 1],
    ['0.0000009', 0],
    ['-0', 0],
  ])('%s are %d units', (text, units) => {
    expect(unitsOfUsd(text)).toBe(units);
  });

  it.each(['', '.', '-', '1,5', '1e3', 'abc', '1.2.3', '99999999999999999999'])(
    '%j is not an amount',
    (text) => {
      expect(unitsOfUsd(text)).toBeUndefined();
    },
  );

  it('convert back to the units they were printed from', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (units) => {
        expect(unitsOfUsd(usdText(units, 500_000, 6))).toBe(units);
      }),
    );
  });
});
