/** Rules for what the shell shows. */
import type { Status } from '../../lib/site/site-status.ts';

const MOST = 99;

/** The text of the bell's badge; undefined for none. */
export function unreadBadge(count: number): string | undefined {
  if (count <= 0) return undefined;
  return count > MOST ? `${MOST}+` : String(count);
}

/** Whether to show the registration link: not on a phone (no space) nor on a self-use site. */
export function offersRegister(status: Status | undefined, isPhone: boolean): boolean {
  return !isPhone && status?.register_enabled === true && !status.self_use_mode_enabled;
}

/** 1 January in the user's time zone. */
export function isNewYear(now: Date): boolean {
  return now.getMonth() === 0 && now.getDate() === 1;
}
