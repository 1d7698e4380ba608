/** Reads the balance of a key from a provider's responses. Pure: it makes no requests. */

import { parsedUrl } from '../domain/addresses/parsed-url.ts';
import { AppError } from '../domain/errors/errors.ts';
import { isObject, numberIn, objectIn, objectsIn, textIn } from '../json/read-json.ts';
import { authHeaders } from './requests/auth-headers.ts';
import { joinUrl, type UpstreamUrl } from './requests/upstream-url.ts';
import type { BalanceRow, ProviderRow } from './rows/provider-row.ts';
import { PROVIDERS } from './rows/provider-rows.ts';

export interface Balance {
  readonly amount: number;
  /** The value of points is unknown here. */
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
  // An account has one currency or both; CNY is preferred, as in other installations.
  deepseek: ([account]) => {
    const balances = objectsIn(account, 'balance_infos');
    const balance = balances.find((row) => row.currency === 'CNY') ?? balances[0];
    return money(
      numberIn(balance, 'total_balance'),
      textIn(balance, 'currency') === 'USD' ? 'USD' : 'CNY',
    );
  },
  openai_sb: ([status]) => {
    const credit = numberIn(objectIn(status, 'data'), 'credit');
    return money(credit === undefined ? undefined : credit / 10_000, 'CNY');
  },
};

/** Resellers without a channel type of their own. */
const BY_HOST: Readonly<Record<string, BalanceRow>> = {
  'api.openai-sb.com': { reader: 'openai_sb', paths: ['/sb-api/user/status?api_key={key}'] },
};

/** The path used by similar gateways without the billing endpoints. */
const GRANTS = { reader: 'credit_grants', paths: ['/dashboard/billing/credit_grants'] } as const;

/**
 * The ways to query the balance, the most likely first; the next one is used if the endpoint does
 * not exist. Empty: the provider reports no balance. A channel of a general type is queried like
 * the known provider that its host belongs to.
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

export interface BalanceChannel {
  readonly provider: ProviderRow;
  /** The channel's base URL; '' uses the provider's. */
  readonly baseUrl: string;
  readonly key: string;
  readonly other: string;
}

export interface BalanceRequest {
  readonly url: UpstreamUrl;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The GET requests of a row, in order. Each is built from the responses so far and the time in
 * epoch ms.
 * @throws AppError channel_unusable if no request can be built from key or URL.
 */
export function balanceRequests(
  row: BalanceRow,
  asker: BalanceChannel,
): readonly ((replies: readonly unknown[], nowMs: number) => BalanceRequest)[] {
  const headers = headersOf(row, asker);
  return row.paths.map((path, index) => (replies, nowMs) => {
    const isDated = row.reader === 'billing' && index > 0;
    const query = isDated ? `?${new URLSearchParams({ ...billingWindow(replies[0], nowMs) })}` : '';
    const filled = path.replace('{key}', encodeURIComponent(asker.key));
    return { url: joinUrl(baseOf(row, asker), filled + query, { model: '', other: '' }), headers };
  });
}

function headersOf(row: BalanceRow, { provider, key }: BalanceChannel) {
  return row.keyHeader === undefined ? authHeaders(provider, key) : { [row.keyHeader]: key };
}

/** If the base URL is the address of a single call, the paths are relative to its origin. */
function baseOf(row: BalanceRow, { provider, baseUrl }: BalanceChannel): string {
  if (row.baseUrl !== undefined) return row.baseUrl;
  const whole = provider.transport === 'full' ? parsedUrl(baseUrl) : undefined;
  if (whole !== undefined) return whole.origin;
  return baseUrl === '' ? provider.baseUrl : baseUrl;
}

/**
 * Reads the responses to the row's paths, in order.
 *
 * @throws AppError upstream_garbled if they do not contain the balance.
 */
export function readBalance(row: BalanceRow, replies: readonly unknown[], baseUrl = ''): Balance {
  const balance = READERS[row.reader](replies, baseUrl);
  if (balance === undefined) throw new AppError('upstream_garbled');
  return balance;
}

/**
 * The dates (UTC) for the usage of a `billing` account: this month, or the last 100 days if the
 * account has no payment method and so no monthly cycle.
 */
export function billingWindow(
  subscription: unknown,
  nowMs: number,
): { readonly start_date: string; readonly end_date: string } {
  const now = new Date(nowMs);
  const hasCycle = isObject(subscription) && subscription.has_payment_method === true;
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const startMs = hasCycle ? monthMs : nowMs - 100 * DAY_MS;
  // The end is exclusive, so it must be tomorrow to include today's usage.
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
