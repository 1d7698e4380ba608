/**
 * Chat calls of a signed-in user from the console, without an API token and charged to the user
 * alone.
 */
import { AppError } from '../../domain/errors/errors.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { isAutoGroup, mayUseGroup } from '../../domain/groups.ts';
import { TOKEN_STATUS, USER_STATUS } from '../../domain/statuses.ts';
import type { TokenEntry, UserEntry } from '../../services/cache/caller-cache.ts';
import { type WrittenJson, writeEdited } from '../body/write-json.ts';
import { readIntent } from '../call/call-intent.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming, Outgoing, Received } from '../call/incoming-call.ts';
import type { Ports, Relay } from '../call/relay-ports.ts';
import { relayAs } from '../relay-call.ts';

/** Shown in log entries instead of a token name. */
const TOKEN_NAME = 'playground';

/**
 * A chat call whose body may name the `group` for routing and pricing.
 * @throws what `relayCall` throws, and AppError group_not_usable, user_gone, user_banned.
 */
export async function playgroundCall(
  relay: Relay,
  incoming: Incoming,
  userId: number,
): Promise<Outgoing> {
  const user = await activeUser(relay, userId);
  const asItself = { token: tokenOf(user), user, group: user.group, pinned: '' };
  return relayAs(relay, incoming, asItself, async (received) => {
    const { group, body } = await takeGroup(received);
    return { received: { ...received, body }, caller: callerIn(relay, user, group) };
  });
}

/** Removes `group` from the body, because an upstream could refuse the unknown field. */
async function takeGroup(
  received: Received,
): Promise<{ readonly group: string; readonly body: Buffer }> {
  const intent = await readIntent(received);
  const { sent } = intent;
  const group = sent.group ?? '';
  if (typeof group !== 'string') throw wrongField('group', 'not_text');
  // The playground sends 0 for "no limit"; an upstream would read it as a limit of no tokens.
  const isUnlimited = sent.max_tokens === 0;
  const edited = { ...sent, group: undefined, ...(isUnlimited && { max_tokens: undefined }) };
  return { group, body: asBuffer(await writeEdited(intent, edited)) };
}

function asBuffer(written: WrittenJson): Buffer {
  if (typeof written === 'string') return Buffer.from(written);
  return Buffer.isBuffer(written) ? written : Buffer.concat(written);
}

async function activeUser(relay: Ports<'callers'>, userId: number): Promise<UserEntry> {
  const user = await relay.callers.user(userId);
  if (user === undefined || user.isDeleted) throw new AppError('user_gone');
  if (user.status !== USER_STATUS.enabled) throw new AppError('user_banned');
  return user;
}

function callerIn(relay: Ports<'ctx'>, user: UserEntry, requested: string): Caller {
  const group = requested === '' ? user.group : requested;
  const options = relay.ctx.options();
  const isUsable =
    mayUseGroup(options.get('UserUsableGroups'), user.group, group) ||
    isAutoGroup(options.get('AutoGroups'), group);
  if (!isUsable) throw new AppError('group_not_usable', { group }, { param: 'group' });
  return { token: tokenOf(user), user, group, pinned: '' };
}

/** A virtual token without limits for the stages that expect one; it is not stored. */
function tokenOf(user: UserEntry): TokenEntry {
  return {
    id: 0,
    userId: user.id,
    name: TOKEN_NAME,
    status: TOKEN_STATUS.enabled,
    expiredTimeSec: -1,
    unlimited: true,
    group: '',
    models: undefined,
    allowed: [],
    rate: undefined,
    caps: { calls: 0, tokens: 0 },
    isWholeKey: false,
    remainView: 0,
    usedViewSec: Number.MAX_SAFE_INTEGER,
  };
}
