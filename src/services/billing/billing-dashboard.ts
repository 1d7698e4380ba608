/** Spending limit and usage of an API token, for clients of another provider's billing API. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { usdOf } from '../../domain/pricing/quota-text.ts';
import { tokenById } from '../../store/tables/tokens-table.ts';
import { userById } from '../../store/tables/users-table.ts';

/** Limit reported for an unlimited token. */
const NO_LIMIT = 100_000_000;

export interface TokenOfUser {
  readonly tokenId: number;
  readonly userId: number;
}

/** The limit is the remaining plus the spent quota, in dollars if amounts are shown in currency. */
export async function subscription(ctx: Context, caller: TokenOfUser) {
  const { left, spent, isUnlimited, untilSec } = await quotaUseOf(ctx, caller);
  const limit = isUnlimited ? NO_LIMIT : displayAmount(ctx, left + spent);
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: untilSec,
  };
}

/** `total_usage` is in hundredths. */
export async function usage(ctx: Context, caller: TokenOfUser) {
  const { spent } = await quotaUseOf(ctx, caller);
  return { object: 'list', total_usage: displayAmount(ctx, spent * 100) };
}

/** An unlimited token has been granted what it spent and the reported limit. */
export async function creditGrants(ctx: Context, caller: TokenOfUser) {
  const { left, spent, isUnlimited } = await quotaUseOf(ctx, caller);
  const used = displayAmount(ctx, spent);
  return {
    object: 'credit_summary',
    total_granted: isUnlimited ? used + NO_LIMIT : displayAmount(ctx, left + spent),
    total_used: used,
    total_available: isUnlimited ? NO_LIMIT : displayAmount(ctx, left),
  };
}

interface QuotaUse {
  readonly left: number;
  readonly spent: number;
  readonly isUnlimited: boolean;
  /** Epoch seconds; 0 for never. */
  readonly untilSec: number;
}

/** The token's quota or its owner's, depending on the option. */
async function quotaUseOf(ctx: Context, { tokenId, userId }: TokenOfUser): Promise<QuotaUse> {
  const token = await tokenById(ctx.reads, tokenId);
  const user = await userById(ctx.reads, userId);
  if (token === undefined || user === undefined) throw new AppError('token_unknown');
  const untilSec = Math.max(0, token.expired_time);
  if (!ctx.options().get('DisplayTokenStatEnabled'))
    return { left: user.quota, spent: user.used_quota, isUnlimited: false, untilSec };
  return {
    left: token.remain_quota,
    spent: token.used_quota,
    isUnlimited: token.unlimited_quota,
    untilSec,
  };
}

function displayAmount(ctx: Context, units: number): number {
  const options = ctx.options();
  return options.get('DisplayInCurrencyEnabled')
    ? usdOf(units, options.get('QuotaPerUnit'))
    : units;
}
