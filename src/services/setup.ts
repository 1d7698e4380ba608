/** First run. Of two at once exactly one makes the root account: the marking row can exist once. */
import type { Knex } from 'knex';
import type { Service } from '../api/call.ts';
import type { setupCalls } from '../api/setup.ts';
import { type Context, nowSec } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { DEFAULT_GROUP } from '../domain/groups.ts';
import { ROLES } from '../domain/roles.ts';
import { isMarked, markSetUp } from '../store/setup.ts';
import { hasRoot } from '../store/users.ts';
import { changeOptions } from './options.ts';
import { hashPassword } from './passwords.ts';
import { openAccount } from './users.ts';
import { type TxContext, writing } from './writing.ts';

type Calls = Service<typeof setupCalls, Context>;

const ROOT_QUOTA = 100_000_000;

/** A site with a root account counts as set up, marked or not: it may come from elsewhere. */
export async function isSetUp(db: Knex): Promise<boolean> {
  return (await isMarked(db)) || (await hasRoot(db));
}

export const state: Calls['state'] = async (ctx) => {
  if (await isSetUp(ctx.reads)) return { status: true, root_init: false, database_type: '' };
  return { status: false, root_init: false, database_type: ctx.engine };
};

/** @throws AppError passwords_differ, already_set_up, user_name_taken. */
export const run: Calls['run'] = async (ctx, actor, input) => {
  if (input.password !== input.confirmPassword)
    throw new AppError('passwords_differ', {}, { param: 'confirmPassword' });
  if (await isSetUp(ctx.reads)) throw new AppError('already_set_up');
  const password = await hashPassword(input.password);
  await writing(ctx, async (ctx) => {
    await claimSetUp(ctx);
    await openAccount(ctx, actor, {
      username: input.username,
      password,
      display_name: 'Root User',
      role: ROLES.super_admin,
      email: '',
      group: DEFAULT_GROUP,
      quota: ROOT_QUOTA,
    });
    // Nobody is signed in yet: whoever may set up may choose the mode.
    await changeOptions(ctx, { kind: 'operator' }, async () => [
      { key: 'SelfUseModeEnabled', value: input.SelfUseModeEnabled },
      { key: 'DemoSiteEnabled', value: input.DemoSiteEnabled },
    ]);
  });
};

async function claimSetUp(ctx: TxContext): Promise<void> {
  const isOurs = await markSetUp(ctx.db, ctx.version, nowSec(ctx));
  if (!isOurs || (await hasRoot(ctx.db))) throw new AppError('already_set_up');
}
