/** What a provider says of the money left on a key. Pure: the calls are made elsewhere. */
import { AppError } from '../domain/errors.ts';
import { isObject, numberIn, objectIn, objectsIn, textIn } from './json.ts';
import type { BalanceRow } from './row.ts';

export interface Balance {
  readonly amount: number;
  /** Points have no price that is known here. */
  readonly currency: 'USD' | 'CNY' | 'points';
}

type Reader = (replies: readonly unknown[], baseUrl: string) => Balance | undefined;

const READERS: Readonly<Record<BalanceRow['reader'], Reader>> = {
  billing: ([subscription, usage]) => {
    const limitUsd = numberIn(subscription, 'hard_limit_usd');
    const usedCents = numberIn(usage, 'total_usage');
    return limitUsd === undefined || usedCents === undefined
      ? undefined
      : usd(limitUsd - usedCents / 100);
  },
  credit_grants: ([grants]) =>
    usd(numberIn(grants, 'total_remaining') ?? numberIn(grants, 'total_available')),
  ai_proxy: ([overview]) => money(numberIn(objectIn(overview, 'data'), 'totalPoints'), 'points'),
  openrouter: ([credits]) => {
    const bought = numberIn(objectIn(credits, 'data'), 'total_credits');
    const used = numberIn(objectIn(credits, 'data'), 'total_usage');
    return bought === undefined || used === undefined ? undefined : usd(bought - used);
  },
  moonshot: ([account], baseUrl) =>
    money(
      numberIn(objectIn(account, 'data'), 'available_balance'),
      baseUrl.includes('moonshot.ai') ? 'USD' : 'CNY',
    ),
  siliconflow: ([user], baseUrl) =>
    money(
      numberIn(objectIn(user, 'data'), 'totalBalance'),
      baseUrl.includes('siliconflow.com') ? 'USD' : 'CNY',
    ),
  // An account has one currency or both; CNY is the one other installations show.
  deepseek: ([account]) => {
    const purses = objectsIn(account, 'balance_infos');
    const purse = purses.find((row) => row.currency === 'CNY') ?? purses[0];
    return money(
      numberIn(purse, 'total_balance'),
      textIn(purse, 'currency') === 'USD' ? 'USD' : 'CNY',
    );
  },
};

/**
 * Reads the replies to the row's paths, in their order.
 *
 * @throws AppError upstream_garbled when they do not say what they should.
 */
export function readBalance(row: BalanceRow, replies: readonly unknown[], baseUrl = ''): Balance {
  const balance = READERS[row.reader](replies, baseUrl);
  if (balance === undefined) throw new AppError('upstream_garbled');
  return balance;
}

/**
 * The days (UTC) the usage of a `billing` account is asked for: this month, or the last hundred days
 * when the account has no payment method and so no monthly cycle.
 */
export function billingWindow(
  subscription: unknown,
  nowMs: number,
): { readonly start_date: string; readonly end_date: string } {
  const now = new Date(nowMs);
  const hasCycle = isObject(subscription) && subscription.has_payment_method === true;
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const startMs = hasCycle ? monthMs : nowMs - 100 * DAY_MS;
  // The end is exclusive: without the day after, today's usage is missing.
  return { start_date: dayOf(startMs), end_date: dayOf(nowMs + DAY_MS) };
}

const DAY_MS = 86_400_000;

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function usd(amount: number | undefined): Balance | undefined {
  return money(amount, 'USD');
}

function money(amount: number | undefined, currency: Balance['currency']): Balance | undefined {
  return amount === undefined ? undefined : { amount, currency };
}
