/** What a provider says of the money left on a key. Pure: the calls are made elsewhere. */

import { parsedUrl } from '../domain/addresses/parsed-url.ts';
import { AppError } from '../domain/errors/errors.ts';
import { isObject, numberIn, objectIn, objectsIn, textIn } from '../json/read-json.ts';
import { authHeaders } from './auth-headers.ts';
import type { BalanceRow, ProviderRow } from './row.ts';
import { PROVIDERS } from './rows.ts';
import { joinUrl, type UpstreamUrl } from './upstream-url.ts';

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
  openai_sb: ([status]) => {
    const credit = numberIn(objectIn(status, 'data'), 'credit');
    return money(credit === undefined ? undefined : credit / 10_000, 'CNY');
  },
};

/** Resellers that have no channel type of their own. */
const BY_HOST: Readonly<Record<string, BalanceRow>> = {
  'api.openai-sb.com': { reader: 'openai_sb', paths: ['/sb-api/user/status?api_key={key}'] },
};

/** Where gateways of this kind that lack the billing pages tell it. */
const GRANTS = { reader: 'credit_grants', paths: ['/dashboard/billing/credit_grants'] } as const;

/**
 * The ways to ask, the likeliest first; the next is for when there is no such page. None: the provider
 * tells no balance. A channel of a general type that leads to a known provider is asked as that one.
 */
export function balanceRowsOf(provider: ProviderRow, baseUrl: string): readonly BalanceRow[] {
  const host = parsedUrl(baseUrl)?.host ?? '';
  const known = BY_HOST[host] ?? (provider.balance?.reader === 'billing' && ownRowOf(host));
  if (known) return [known];
  if (provider.balance === undefined) return [];
  return provider.balance.reader === 'billing' ? [provider.balance, GRANTS] : [provider.balance];
}

function ownRowOf(host: string): BalanceRow | undefined {
  return PROVIDERS.find(
    (row) => row.balance && row.baseUrl !== '' && new URL(row.baseUrl).host === host,
  )?.balance;
}

export interface BalanceAsker {
  readonly provider: ProviderRow;
  /** The channel's; '' takes the provider's. */
  readonly baseUrl: string;
  readonly key: string;
  readonly other: string;
}

export interface BalanceQuestion {
  readonly url: UpstreamUrl;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The GETs of a row in their order. Each is built from the replies so far and the time in epoch ms.
 * @throws AppError channel_unusable when key or address cannot make a request.
 */
export function balanceQuestions(
  row: BalanceRow,
  asker: BalanceAsker,
): readonly ((replies: readonly unknown[], nowMs: number) => BalanceQuestion)[] {
  const headers = headersOf(row, asker);
  return row.paths.map((path, index) => (replies, nowMs) => {
    const isDated = row.reader === 'billing' && index > 0;
    const query = isDated ? `?${new URLSearchParams({ ...billingWindow(replies[0], nowMs) })}` : '';
    const filled = path.replace('{key}', encodeURIComponent(asker.key));
    return { url: joinUrl(baseOf(row, asker), filled + query, { model: '', other: '' }), headers };
  });
}

function headersOf(row: BalanceRow, { provider, key }: BalanceAsker) {
  return row.keyHeader === undefined ? authHeaders(provider, key) : { [row.keyHeader]: key };
}

/** Where the base URL is the address of one call, the pages hang on its server. */
function baseOf(row: BalanceRow, { provider, baseUrl }: BalanceAsker): string {
  if (row.baseUrl !== undefined) return row.baseUrl;
  const whole = provider.transport === 'full' ? parsedUrl(baseUrl) : undefined;
  if (whole !== undefined) return whole.origin;
  return baseUrl === '' ? provider.baseUrl : baseUrl;
}

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
