/**
 * System access tokens for programs that manage an account: one per account, shown once and stored
 * as a hash.
 */
import type { Actor } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { updateUser } from '../../store/tables/users-table.ts';
import { recordAction } from '../logs/audit.ts';
import { changeUser } from './user-changes.ts';

const ACCESS_TOKEN_BYTES = 24;

/** Replaces the account's access token. The caller must have checked the actor's permission. */
export async function replaceAccessToken(ctx: Context, actor: Actor, id: number): Promise<string> {
  const token = ctx.random(ACCESS_TOKEN_BYTES).toString('base64url');
  await changeUser(ctx, id, async (ctx, user) => {
    await updateUser(ctx.db, id, { access_token_hash: ctx.secrets.hash(token) });
    await recordAction(ctx, actor, {
      action: 'user_access_token',
      event: { event: 'access_token_created' },
      user,
    });
  });
  return token;
}
