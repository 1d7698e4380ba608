/** Account changes shared by administrators and account owners. */

import type * as z from 'zod/mini';
import type { User } from '../../api/accounts/user.ts';
import { type Context, nowSec } from '../../context.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { isDuplicate } from '../../store/sql/sql-dialect.ts';
import { deleteBudgetsOf } from '../../store/tables/budget-records.ts';
import { announceChange, announceChanges } from '../../store/tables/changes-table.ts';
import { deleteKeptAnswersOf } from '../../store/tables/kept-answers-table.ts';
import { deleteTokensOfUser } from '../../store/tables/tokens-table.ts';
import {
  endSessions,
  lockUser,
  type UserRow,
  updateUser,
  userById,
} from '../../store/tables/users-table.ts';
import { requireOpenAccount, requireUser } from '../access/account-access.ts';
import { accountLanguage } from '../access/account-language.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';

/** Locks an open account, applies `work` to it and announces the change. Returns the new row. */
export async function changeUser(
  ctx: Context,
  id: number,
  work: (ctx: TxContext, user: UserRow) => Promise<void>,
): Promise<UserRow> {
  try {
    return await writing(ctx, async (ctx) => {
      const user = await lockUser(ctx.db, id);
      await work(ctx, requireOpenAccount(user, String(id)));
      await announceChange(ctx.db, 'users', id);
      return requireUser(await userById(ctx.db, id), String(id));
    });
  } catch (error) {
    // Two concurrent edits may both have found the name free; the unique index decides.
    if (isDuplicate(error)) throw invalidInput('username', 'name_or_email_taken');
    throw error;
  }
}

/** Marks the account as closed and ends its sessions, access token, API tokens, budgets and kept answers. */
export async function closeAccount(ctx: TxContext, id: number): Promise<void> {
  const atSec = nowSec(ctx);
  await updateUser(ctx.db, id, { deleted_at: atSec, access_token_hash: null });
  await endSessions(ctx.db, id);
  await deleteKeptAnswersOf(ctx.db, id);
  const tokenIds = await deleteTokensOfUser(ctx.db, id, atSec);
  await deleteBudgetsOf(ctx.db, 'token', tokenIds);
  await deleteBudgetsOf(ctx.db, 'user', [id]);
  await announceChanges(ctx.db, 'tokens', tokenIds);
}

export function userView(user: UserRow): z.input<typeof User> {
  const { aff_history, setting, session_version: _, deleted_at, ...rest } = user;
  const DeletedAt = deleted_at === null ? null : new Date(deleted_at * 1000).toISOString();
  const language = accountLanguage(setting) ?? null;
  return { ...rest, aff_history_quota: aff_history, language, DeletedAt };
}
