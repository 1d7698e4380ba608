/** Who asks, as applications that keep conversations by user are told. */
import type { CallRecord } from './call-record.ts';

/** Names nobody outside of this site; the same for all calls of an account. */
export function appUser({ caller }: Pick<CallRecord, 'caller'>): string {
  return `user-${caller.user.id}`;
}
