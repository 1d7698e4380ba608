/** Checks whether a group is in use. Removing a group in use would make its members' calls fail. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { channelsPerGroup } from '../../store/tables/abilities-table.ts';
import { tokensPerGroup } from '../../store/tables/tokens-table.ts';
import { usersPerGroup } from '../../store/tables/users-table.ts';

/** @throws AppError `group_in_use` for the first of `groups` that has users, channels or tokens. */
export async function requireUnusedGroups(
  { db }: Pick<Context, 'db'>,
  groups: readonly string[],
): Promise<void> {
  if (groups.length === 0) return;
  const [users, channels, tokens] = [
    await usersPerGroup(db),
    await channelsPerGroup(db),
    await tokensPerGroup(db),
  ];
  for (const group of groups) {
    const uses = {
      users: users.get(group) ?? 0,
      channels: channels.get(group) ?? 0,
      tokens: tokens.get(group) ?? 0,
    };
    if (uses.users + uses.channels + uses.tokens > 0)
      throw new AppError('group_in_use', { group, ...uses }, { param: 'GroupRatio' });
  }
}
