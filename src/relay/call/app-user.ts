/** The user id sent to providers that keep conversations per user. */
import type { Admitted } from './admitted.ts';

/** Does not identify the user outside this site; the same for all calls of an account. */
export function appUser({ caller }: Pick<Admitted, 'caller'>): string {
  return `user-${caller.user.id}`;
}
