/** Decides who may open a screen and where other visitors are redirected. */
import { isAdmin } from '../../../../src/domain/roles.ts';
import { signInPath } from '../../lib/session/return-to.ts';
import type { SessionEnd } from '../../lib/session/session.ts';
import type { SessionUser } from '../../lib/session/session-user.ts';
import type { Access } from './screens.ts';

export type AccessResult = 'show' | 'no-permission' | { readonly to: string };

/** @param wanted path and query of the screen; `loss` is the reason the session ended. */
export function accessResult(
  access: Access,
  user: Pick<SessionUser, 'role'> | undefined,
  wanted: string,
  loss?: SessionEnd,
): AccessResult {
  if (access === 'open') return 'show';
  // The messages page redirects to the plain sign-in page.
  if (user === undefined)
    return { to: access === 'admin-or-home' ? '/login' : signInPath(wanted, loss) };
  if (access === 'user' || isAdmin(user.role)) return 'show';
  if (access === 'admin-or-home') return { to: '/' };
  if (access === 'admin-or-me') return { to: '/app/me' };
  return 'no-permission';
}
