/** Restricts log filters to the entries that an actor may see. */
import type { Actor } from '../../api/call.ts';
import type { LogFilters } from '../../api/logs/log.ts';
import type { Context } from '../../context.ts';
import type { LogFilter } from '../../store/logs/log-filter.ts';
import { channelIdsOfTag } from '../../store/tables/channel-sets.ts';
import { tokenById } from '../../store/tables/tokens-table.ts';
import { userByName } from '../../store/tables/users-table.ts';
import { requireUserId } from './audit.ts';
import { mayReadAllLogs } from './log-view.ts';

/** A user id without entries. */
const NO_USER_ID = -1;

/**
 * The filter, restricted to what the actor may see. A user name is resolved to its id, whatever
 * name the entries hold.
 */
export async function visibleLogs(
  ctx: Context,
  actor: Actor,
  input: LogFilters,
): Promise<LogFilter> {
  if (!mayReadAllLogs(actor)) return ownLogsFilter(actor, input);
  const userId = await accountOf(ctx, input);
  if (!input.tag) return { ...filterOf(input), userId };
  return { ...filterOf(input), userId, channelIds: await channelIdsOfTag(ctx.reads, input.tag) };
}

/** The account of the entries. That of a token is no restriction, but has an index. */
async function accountOf(ctx: Context, input: LogFilters): Promise<number | undefined> {
  if (input.username) return (await userByName(ctx.reads, input.username))?.id ?? NO_USER_ID;
  return input.token_id ? (await tokenById(ctx.reads, input.token_id))?.user_id : undefined;
}

export function ownLogsFilter(actor: Actor, input: LogFilters): LogFilter {
  return { ...filterOf(input), channelId: undefined, userId: requireUserId(actor) };
}

function filterOf(input: LogFilters): LogFilter {
  return {
    type: input.type,
    tokenName: input.token_name,
    tokenId: input.token_id || undefined,
    modelName: input.model_name,
    group: input.group,
    channelId: input.channel,
    requestId: input.request_id,
    clientIp: input.client_ip,
    sinceSec: input.since ?? input.start_timestamp,
    untilSec: input.until ?? input.end_timestamp,
  };
}
