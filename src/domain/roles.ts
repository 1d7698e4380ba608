/** Roles and their permissions on other accounts. The numbers are stored and sent. */
import { statusWord } from './statuses.ts';

export const ROLES = { guest: 0, user: 1, admin: 10, super_admin: 100 } as const;

export type RoleWord = keyof typeof ROLES;
export type Role = (typeof ROLES)[RoleWord];

export function isRole(value: unknown): value is Role {
  return Object.values<unknown>(ROLES).includes(value);
}

export function roleWord(role: number): RoleWord | 'unknown' {
  return statusWord(ROLES, role);
}

export function isAdmin(role: number): boolean {
  return role >= ROLES.admin;
}

export function isSuperAdmin(role: number): boolean {
  return role >= ROLES.super_admin;
}

/** Whether an administrator may manage another account: lower roles, or all for a super admin. */
export function mayManage(actorRole: number, targetRole: number): boolean {
  return isSuperAdmin(actorRole) || (isAdmin(actorRole) && actorRole > targetRole);
}

/**
 * Permissions of the management actions. A super admin cannot be disabled, deleted or demoted; only
 * a super admin promotes, and only users; only admins are demoted.
 */
export const MANAGE_ACTIONS = {
  promote: (actor, target) => isSuperAdmin(actor) && target < ROLES.admin,
  demote: (actor, target) => mayManage(actor, target) && target === ROLES.admin,
  enable: (actor, target) => mayManage(actor, target),
  disable: (actor, target) => mayManage(actor, target) && !isSuperAdmin(target),
  delete: (actor, target) => mayManage(actor, target) && !isSuperAdmin(target),
} as const satisfies Readonly<Record<string, (actorRole: number, targetRole: number) => boolean>>;

export type ManageAction = keyof typeof MANAGE_ACTIONS;

export function mayAct(action: ManageAction, actorRole: number, targetRole: number): boolean {
  return MANAGE_ACTIONS[action](actorRole, targetRole);
}
