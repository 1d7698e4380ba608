/** Stage 1: authenticates the API key of a call (docs/api.md, "Keys"). */

import { nowSec } from '../../context.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { effectiveGroup } from '../../domain/groups.ts';
import { TOKEN_STATUS, USER_STATUS } from '../../domain/statuses.ts';
import { withoutKeyPrefix } from '../../domain/token-key.ts';
import type { TokenEntry } from '../../services/cache/caller-cache.ts';
import { markExhausted, markExpired, quotaOfToken } from '../../services/tokens/token-status.ts';
import type { Caller } from '../call/caller.ts';
import { headerOf, type Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';

const ADMIN = 10;
/** The parts of a request that may contain a key. */
export type Presented = Pick<Incoming, 'headers' | 'query'>;

/** What the key is used for: `read` covers free reads of results already paid for. */
export type Purpose = 'spend' | 'read';

/**
 * Checks the key, in the order that clients of this API family rely on. A token without quota may
 * still `read`.
 * @throws AppError token_missing, token_unknown, token_exhausted, token_expired, token_inactive,
 * token_drained, user_gone, user_banned, channel_pick_denied; database_unreachable when the cache
 * may be out of date.
 */
export async function authenticate(
  relay: Ports<'callers' | 'ctx'>,
  incoming: Presented,
  purpose: Purpose = 'spend',
): Promise<Caller> {
  const whole = presentedKey(incoming);
  const { key, suffix } = splitKey(whole);
  if (key === '') throw new AppError('token_missing');
  await relay.ctx.changes.fresh();
  const token = await relay.callers.tokenByKey(key, whole);
  if (token === undefined) throw new AppError('token_unknown');
  await checkToken(relay, token, key, purpose);
  const user = await relay.callers.user(token.userId);
  if (user === undefined || user.isDeleted) throw new AppError('user_gone');
  if (user.status !== USER_STATUS.enabled) throw new AppError('user_banned');
  const pinned = token.isWholeKey ? '' : suffix;
  if (pinned !== '' && user.role < ADMIN) throw new AppError('channel_pick_denied');
  return { token, user, group: effectiveGroup(token.group, user.group), pinned };
}

/** Checks every place where clients send the key; the first non-empty one counts. */
export function presentedKey(incoming: Presented): string {
  const { headers, query } = incoming;
  const authorization = headerOf(headers, 'authorization')
    .replace(/^Bearer(\s+|$)/i, '')
    .trim();
  if (authorization !== '' && authorization !== 'midjourney-proxy') return authorization;
  return (
    headerOf(headers, 'x-api-key').trim() ||
    headerOf(headers, 'x-goog-api-key').trim() ||
    headerOf(headers, 'api-key').trim() ||
    headerOf(headers, 'mj-api-secret').trim() ||
    (query.key ?? '').trim()
  );
}

function splitKey(presented: string): { key: string; suffix: string } {
  const given = withoutKeyPrefix(presented);
  const end = given.indexOf('-');
  if (end === -1) return { key: given, suffix: '' };
  return { key: given.slice(0, end), suffix: given.slice(end + 1) };
}

/** Asks the database only where it has to decide. */
function checkToken(
  relay: Ports<'ctx'>,
  token: TokenEntry,
  key: string,
  purpose: Purpose,
): Awaitable<void> {
  const isSpent = token.status === TOKEN_STATUS.exhausted;
  if (isSpent && purpose === 'spend') throw new AppError('token_exhausted', keyEnds(key));
  if (token.status === TOKEN_STATUS.expired) throw new AppError('token_expired');
  if (token.status !== TOKEN_STATUS.enabled && !isSpent) throw new AppError('token_inactive');
  if (token.expiredTimeSec !== -1 && token.expiredTimeSec <= nowSec(relay.ctx))
    return refuseExpired(relay, token);
  if (purpose === 'spend' && !token.unlimited && token.remainView <= 0)
    return refuseIfDrained(relay, token, key);
}

/** The part of a key that errors show. */
function keyEnds(key: string): { readonly head: string; readonly tail: string } {
  return { head: key.slice(0, 3), tail: key.slice(-3) };
}

async function refuseExpired(relay: Ports<'ctx'>, token: TokenEntry): Promise<never> {
  await markExpired(relay.ctx, token.id);
  throw new AppError('token_expired');
}

/** The cache may lag behind a top-up on another node, so the database decides. */
async function refuseIfDrained(relay: Ports<'ctx'>, token: TokenEntry, key: string): Promise<void> {
  const { remain } = await quotaOfToken(relay.ctx, token.id);
  token.remainView = remain;
  if (remain > 0) return;
  await markExhausted(relay.ctx, token.id);
  throw new AppError('token_drained', { ...keyEnds(key), remain });
}
