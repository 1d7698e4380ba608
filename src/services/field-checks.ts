/** Field checks that a schema cannot express. */
import ipaddr from 'ipaddr.js';
import type { Context } from '../context.ts';
import { AppError } from '../domain/errors/errors.ts';
import { invalidInput } from '../domain/errors/input-problems.ts';
import { groupExists } from '../domain/groups.ts';

/** @throws AppError `group_missing` for a name that is not in the option GroupRatio. */
export function requireGroup(ctx: Pick<Context, 'options'>, group: string): void {
  if (!groupExists(ctx.options().get('GroupRatio'), group))
    throw new AppError('group_missing', { group }, { param: 'group' });
}

/**
 * Addresses and CIDR ranges in their stored form, one per line. In the input, whitespace and commas
 * separate them.
 * @throws AppError `input_invalid` naming the first invalid entry.
 */
export function addressLines(field: string, text: string): string {
  const entries = text.split(/[\s,]+/u).filter((entry) => entry !== '');
  for (const entry of entries)
    if (!ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry))
      throw invalidInput(field, 'not_address', { entry: entry.slice(0, 60) });
  return [...new Set(entries)].join('\n');
}
