import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { groupExists } from '../../domain/groups.ts';

/** @throws AppError `group_missing` for a name that is not in the option GroupRatio. */
export function requireGroup(ctx: Pick<Context, 'options'>, group: string): void {
  if (!groupExists(ctx.options().get('GroupRatio'), group))
    throw new AppError('group_missing', { group }, { param: 'group' });
}
