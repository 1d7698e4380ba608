/** What a program learns with nothing but the key of an API token: the key is the proof. */

import type { tokenUsageCalls } from '../../api/accounts/token-usage.ts';
import type { Actor, Service } from '../../api/call.ts';
import type { logCalls } from '../../api/logs/log.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { USER_STATUS } from '../../domain/statuses.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { keyHashesOf } from '../../secrets.ts';
import { pageOfTokens, type TokenRow } from '../../store/tables/tokens-table.ts';
import { userById } from '../../store/tables/users-table.ts';
import { ownLogViews } from '../logs/log-view.ts';
import { logPage } from '../logs/logs.ts';

type Calls = Service<typeof tokenUsageCalls, Context>;
type LogCalls = Service<typeof logCalls, Context>;

/**
 * Also a disabled, expired or exhausted token: its figures explain why its calls are refused.
 * Those who sign in find their own tokens only.
 * @throws AppError token_missing_row, account_banned.
 */
export async function requireTokenOfKey(
  ctx: Context,
  actor: Actor,
  key: string,
): Promise<TokenRow> {
  const isGuest = actor.kind === 'user' && actor.id === 0;
  const filter = {
    keyHashes: keyHashesOf(ctx.secrets.hash, key),
    ...(!isGuest && actor.kind === 'user' && { userId: actor.id }),
  };
  const [token] = (await pageOfTokens(ctx.reads, filter, { limit: 1, offset: 0 })).rows;
  if (token === undefined) throw new AppError('token_missing_row', { token: 'sk-***' });
  const owner = await userById(ctx.reads, token.user_id);
  if (owner?.status !== USER_STATUS.enabled) throw new AppError('account_banned');
  return token;
}

const NEVER = -1;

export const show: Calls['show'] = async (ctx, actor, { key }) => {
  const token = await requireTokenOfKey(ctx, actor, key);
  const models = splitList(token.model_limits).map((model) => [model, true] as const);
  return {
    code: true,
    message: 'ok',
    data: {
      object: 'token_usage',
      name: token.name,
      total_granted: token.remain_quota + token.used_quota,
      total_used: token.used_quota,
      total_available: token.remain_quota,
      unlimited_quota: token.unlimited_quota,
      model_limits: Object.fromEntries(models),
      model_limits_enabled: token.model_limits_enabled,
      expires_at: token.expired_time === NEVER ? 0 : token.expired_time,
    },
  };
};

/** @throws AppError of `requireTokenOfKey`. */
export const ofToken: LogCalls['ofToken'] = async (ctx, actor, { key, ...input }, visit) => {
  const token = await requireTokenOfKey(ctx, actor, key);
  const ofToken = { userId: token.user_id, tokenId: token.id };
  return logPage(ctx, input, ofToken, async (rows) => ownLogViews(ctx, rows, visit.language));
};
