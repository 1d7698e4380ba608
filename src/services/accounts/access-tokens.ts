/** System access tokens: one per account, for programs that manage it. Shown once, kept as a hash. */
import type { Actor } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { updateUser } from '../../store/tables/users-table.ts';
import { note } from '../logs/audit.ts';
import { changingUser } from './user-changes.ts';

const ACCESS_TOKEN_BYTES = 24;

/** Makes the account's new token in place of the old one. Whether the actor may is decided before. */
export async function makeAccessToken(ctx: Context, actor: Actor, id: number): Promise<string> {
  const token = ctx.random(ACCESS_TOKEN_BYTES).toString('base64url');
  await changingUser(ctx, id, async (ctx, user) => {
    await updateUser(ctx.db, id, { access_token_hash: ctx.secrets.hash(token) });
    await note(ctx, actor, { action: 'user_access_token', content: 'Access token made', user });
  });
  return token;
}
