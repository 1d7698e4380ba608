/** Determines the group that a call is routed and priced by. */
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { autoGroupsOf, isAutoGroup, mayUseGroup } from '../../domain/groups.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';

/**
 * The groups that may serve the caller, in the order they are tried.
 * @throws AppError token_group_denied, group_retired.
 */
export function groupsOf(
  relay: Ports<'ctx'>,
  { token, user, group }: Caller,
): readonly [string, ...string[]] {
  const options = relay.ctx.options();
  const labels = options.get('UserUsableGroups');
  const ratios = options.get('GroupRatio');
  if (isAutoGroup(options.get('AutoGroups'), group)) {
    const [first, ...rest] = autoGroupsOf(
      options.get('AutoGroups'),
      { ratios, labels },
      user.group,
    );
    if (first === undefined) throw new AppError('token_group_denied', { group });
    return [first, ...rest];
  }
  if (token.group !== '' && !mayUseGroup(labels, user.group, group))
    throw new AppError('token_group_denied', { group });
  if (!Object.hasOwn(ratios, group)) throw new AppError('group_retired', { group });
  return [group];
}

/**
 * Like `inGroup`, but if no channel serves the call, first reads the latest changes of other
 * processes, because a channel may be new.
 */
export function inServingGroup(
  relay: Ports<'ctx' | 'routing'>,
  caller: Caller,
  model: string,
): Awaitable<Caller> {
  const found = inGroup(relay, caller, model);
  if (isServed(relay, found, model)) return found;
  return relay.ctx.changes.latest().then(() => inGroup(relay, caller, model));
}

function isServed(
  { routing }: Ports<'routing'>,
  { pinned, group }: Caller,
  model: string,
): boolean {
  if (pinned === '') return routing.candidates(group, model).length > 0;
  return routing.channel(Number(pinned))?.status === CHANNEL_STATUS.enabled;
}

/** The caller in the first group that serves the model; later groups are tried if it fails. */
export function inGroup(relay: Ports<'ctx' | 'routing'>, caller: Caller, model: string): Caller {
  const groups = groupsOf(relay, caller);
  if (caller.pinned !== '') return { ...caller, group: groups[0] };
  const serving = groups.filter((group) => relay.routing.candidates(group, model).length > 0);
  const [group, ...nextGroups] = serving;
  if (group !== undefined) {
    const { token, user, pinned } = caller;
    return { token, user, pinned, group, nextGroups };
  }
  // If no group serves it now, the error names a group that offers it, if there is one.
  const offering = groups.find((name) => relay.routing.offers(name, model));
  return { ...caller, group: offering ?? groups[0] };
}
