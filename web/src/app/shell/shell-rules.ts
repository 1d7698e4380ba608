/** What the shell shows to whom. */
import type { Status } from '../../lib/site-status.ts';

const MOST = 99;

/** What stands on the bell; undefined for nothing. */
export function unreadBadge(count: number): string | undefined {
  if (count <= 0) return undefined;
  return count > MOST ? `${MOST}+` : String(count);
}

/** The top bar of a phone has no room for it, and a self-use site wants nobody. */
export function offersRegister(status: Status | undefined, isPhone: boolean): boolean {
  return !isPhone && status?.register_enabled === true && !status.self_use_mode_enabled;
}

/** 1 January, where the reader is. */
export function isNewYear(now: Date): boolean {
  return now.getMonth() === 0 && now.getDate() === 1;
}
