/**
 * What budgets are about, and who may see and change them. Administrators manage the budgets of
 * groups, channels, models, the site and of accounts with a lower role. Owners see those of their
 * account and API tokens, and change the ones they made themselves.
 */
import type { Actor } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import type { BudgetSubject } from '../../domain/budgets/budget.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { isAdmin, isSuperAdmin, mayManage, ROLES } from '../../domain/roles.ts';
import type { AccountSet } from '../../store/tables/budget-records.ts';
import type { BudgetRow } from '../../store/tables/budgets-table.ts';
import { channelById, channelNamesOf } from '../../store/tables/channels-table.ts';
import { tokenIdsOf, tokensByIds } from '../../store/tables/tokens-table.ts';
import { type Account, accountsOf, administratorIds } from '../../store/tables/users-table.ts';
import { isTokenOwner, lockOwner, lockWithOwner } from '../access/token-owners.ts';
import { requireChannel } from '../channels/channel-fields.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { ownId, requireRole, roleOf } from '../logs/audit.ts';
import { requireGroup } from '../options/require-group.ts';

type Named = Pick<BudgetRow, 'subject' | 'subject_id'>;

export interface Subject {
  /** As people call it. */
  readonly name: string;
  /** Of an API token or an account. */
  readonly owner?: Account | undefined;
}

/** Looks up the subjects of these budgets, each once. */
export async function subjectsOf(
  ctx: Context,
  budgets: readonly Named[],
): Promise<(budget: Named) => Subject> {
  const ids = (wanted: BudgetSubject) =>
    budgets.filter(({ subject }) => subject === wanted).map((one) => Number(one.subject_id));
  const tokens = new Map((await tokensByIds(ctx.reads, ids('token'))).map((one) => [one.id, one]));
  const owners = [...tokens.values()].map(({ user_id }) => user_id);
  const accounts = await accountsOf(ctx.reads, [...ids('user'), ...owners]);
  const channels = await channelNamesOf(ctx.reads, ids('channel'));
  return ({ subject, subject_id }) => {
    const id = Number(subject_id);
    if (subject === 'token') {
      const token = tokens.get(id);
      return { name: token?.name ?? subject_id, owner: token && accounts.get(token.user_id) };
    }
    if (subject === 'user') {
      const owner = accounts.get(id);
      return { name: owner?.username ?? subject_id, owner };
    }
    return { name: (subject === 'channel' && channels.get(id)) || subject_id };
  };
}

export function maySee(actor: Actor, { owner }: Subject): boolean {
  const role = roleOf(actor);
  if (owner === undefined) return isAdmin(role);
  return isTokenOwner(actor, owner.id) || mayManage(role, owner.role);
}

export function mayEdit(actor: Actor, { owner }: Subject, createdBy: number): boolean {
  const role = roleOf(actor);
  if (owner === undefined) return isAdmin(role);
  if (mayManage(role, owner.role)) return true;
  return isTokenOwner(actor, owner.id) && createdBy === owner.id;
}

/** The budgets that a list shows this actor. */
export async function listedAccounts(
  ctx: Context,
  actor: Actor,
  onlyOwn: boolean,
): Promise<{ readonly of?: AccountSet; readonly except?: AccountSet }> {
  const role = roleOf(actor);
  if (onlyOwn || !isAdmin(role)) return { of: await accountSet(ctx, [ownId(actor)]) };
  if (isSuperAdmin(role)) return {};
  const peers = await administratorIds(ctx.reads);
  return {
    except: await accountSet(
      ctx,
      peers.filter((id) => !isTokenOwner(actor, id)),
    ),
  };
}

async function accountSet(ctx: Context, userIds: readonly number[]): Promise<AccountSet> {
  return { userIds, tokenIds: await tokenIdsOf(ctx.reads, userIds) };
}

/**
 * The id of the subject of a new budget. The lock on an owner makes the maximum number hold under
 * concurrency.
 * @throws AppError if there is no such subject or the actor may not limit it.
 */
export async function lockSubject(
  ctx: TxContext,
  actor: Actor,
  { subject, subject_id }: Named,
): Promise<{ readonly subject_id: string; readonly owner?: Account }> {
  if (subject === 'user') {
    const owner = await lockOwner(ctx, actor, idOrOwn(actor, subject_id));
    return { subject_id: String(owner.id), owner };
  }
  if (subject === 'token') {
    const { token, owner } = await lockWithOwner(ctx, actor, idOf(subject_id));
    return { subject_id: String(token.id), owner };
  }
  requireRole(actor, ROLES.admin);
  if (subject === 'site') {
    if (subject_id !== '') throw invalidInput('subject_id', 'not_accepted');
    return { subject_id };
  }
  if (subject_id === '') throw invalidInput('subject_id', 'empty');
  if (subject === 'group') requireGroup(ctx, subject_id);
  if (subject === 'channel') await requireListedChannel(ctx, idOf(subject_id));
  return { subject_id };
}

function idOrOwn(actor: Actor, text: string): number | undefined {
  if (text !== '') return idOf(text);
  return actor.kind === 'user' ? actor.id : undefined;
}

function idOf(text: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id <= 0) throw invalidInput('subject_id', 'not_id');
  return id;
}

async function requireListedChannel(ctx: TxContext, id: number): Promise<void> {
  requireChannel(await channelById(ctx.db, id), id);
}
