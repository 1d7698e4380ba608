/** Why an account cannot be acted on; the server decides, this explains it in advance. */
import { isSuperAdmin, type ManageAction, mayManage, ROLES } from '../../../../src/domain/roles.ts';
import { USER_STATUS } from '../../../../src/domain/statuses.ts';

interface Account {
  readonly id: number;
  readonly role: number;
}

/** Suffix of the text key `user.refused.<reason>`. */
export type Refusal =
  | 'self'
  | 'level'
  | 'superAdmin'
  | 'promoting'
  | 'isAdmin'
  | 'notAdmin'
  | 'locked';

/** undefined for an allowed action. */
export function refusalOf(
  action: ManageAction | 'edit',
  reader: Account,
  target: Account & { readonly status: number },
): Refusal | undefined {
  // Users edit their own account by another call.
  if (reader.id === target.id) return action === 'edit' ? undefined : 'self';
  if (!mayManage(reader.role, target.role)) return 'level';
  if (action === 'edit') return undefined;
  if (action === 'enable') return target.status === USER_STATUS.locked ? 'locked' : undefined;
  if (action === 'promote') return promotionRefusal(reader, target);
  if (isSuperAdmin(target.role)) return 'superAdmin';
  return action === 'demote' && target.role !== ROLES.admin ? 'notAdmin' : undefined;
}

function promotionRefusal(reader: Account, target: Account): Refusal | undefined {
  if (target.role >= ROLES.admin) return 'isAdmin';
  return isSuperAdmin(reader.role) ? undefined : 'promoting';
}
