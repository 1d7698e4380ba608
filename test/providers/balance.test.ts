import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors/errors.ts';
import { type Balance, billingWindow, readBalance } from '../../src/providers/balance.ts';
import { PROVIDERS, providerOf } from '../../src/providers/rows/provider-rows.ts';

function balance(type: number, replies: readonly unknown[], baseUrl?: string): Balance {
  const row = providerOf(type).balance;
  if (row === undefined) throw new Error(`type ${type} has no balance`);
  return readBalance(row, replies, baseUrl);
}

test.each([
  [1, [{ hard_limit_usd: 20 }, { total_usage: 550 }], { amount: 14.5, currency: 'USD' }],
  [10, [{ data: { totalPoints: 12 } }], { amount: 12, currency: 'points' }],
  [12, [{ total_remaining: 3, total_available: 9 }], { amount: 3, currency: 'USD' }],
  [13, [{ total_available: 9 }], { amount: 9, currency: 'USD' }],
  [20, [{ data: { total_credits: 10, total_usage: 2.5 } }], { amount: 7.5, currency: 'USD' }],
  [25, [{ data: { available_balance: 49.58 } }], { amount: 49.58, currency: 'CNY' }],
  [40, [{ code: 20000, data: { totalBalance: '88.8' } }], { amount: 88.8, currency: 'CNY' }],
  [
    43,
    [{ balance_infos: [{ currency: 'USD', total_balance: '1.5' }] }],
    { amount: 1.5, currency: 'USD' },
  ],
])('type %i reports the balance', (type, replies, expected) => {
  expect(balance(type, replies)).toEqual(expected);
});

test('DeepSeek shows the CNY balance if an account has both currencies', () => {
  const balance_infos = [
    { currency: 'USD', total_balance: '1' },
    { currency: 'CNY', total_balance: '110.00' },
  ];
  expect(balance(43, [{ balance_infos }])).toEqual({ amount: 110, currency: 'CNY' });
});

test('international hosts count in dollars', () => {
  const reply = [{ data: { available_balance: 5, totalBalance: '5' } }];
  expect(balance(25, reply, 'https://api.moonshot.ai').currency).toBe('USD');
  expect(balance(40, reply, 'https://api.siliconflow.com').currency).toBe('USD');
});

test('refuses a reply without a balance, for any provider', () => {
  for (const row of PROVIDERS.filter((provider) => provider.balance)) {
    expect(() => balance(row.type, [{}, {}])).toThrow(AppError);
    expect(() => balance(row.type, ['<html>'])).toThrow(AppError);
  }
});

test('reads usage of this month, or of a hundred days without a payment method', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  expect(billingWindow({ has_payment_method: true }, now)).toEqual({
    start_date: '2026-11-01',
    end_date: '2026-11-22',
  });
  expect(billingWindow({}, now).start_date).toBe('2026-08-13');
});
