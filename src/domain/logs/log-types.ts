/** The type of a log row. 0 means "any" in filters and is never stored. */
import { statusNumber, statusWord } from '../statuses.ts';

export const LOG_TYPE = {
  top_up: 1,
  consume: 2,
  admin: 3,
  system: 4,
  check_in: 5,
  error: 6,
  refund: 7,
} as const;

export type LogTypeWord = keyof typeof LOG_TYPE;
export type LogType = (typeof LOG_TYPE)[LogTypeWord];

const ANY_LOG_TYPE = 0;

/**
 * Net spend is charges minus refunds: the single definition for the sums of the log, the dashboard,
 * the wallet and the rankings. Refunds are not calls, so they are excluded from call counts and
 * rates.
 */
export const SPEND_TYPES: readonly LogType[] = [LOG_TYPE.consume, LOG_TYPE.refund];

/** The amount that a log entry of this type adds to net spend. */
export function spentUnits(type: number, quota: number): number {
  if (type === LOG_TYPE.consume) return quota;
  return type === LOG_TYPE.refund ? -quota : 0;
}

/** What an entry of this type does to a balance. */
export type ChangeKind = 'charge' | 'refund' | 'credit';

/** The kind of a change, and its amount with the sign that the balance sees. */
export function balanceChangeOf(
  type: number,
  quota: number,
): { readonly kind: ChangeKind; readonly units: number } {
  if (type === LOG_TYPE.consume) return { kind: 'charge', units: -quota };
  if (type === LOG_TYPE.refund) return { kind: 'refund', units: quota };
  return { kind: quota < 0 ? 'charge' : 'credit', units: quota };
}

export function logTypeWord(type: number): LogTypeWord | 'unknown' {
  return statusWord(LOG_TYPE, type);
}

/** Accepts `top-up`, `top_up` or `1`; `all` and `0` yield 0. `undefined` for an unknown type. */
export function logTypeOf(text: string): number | undefined {
  const wanted = text.trim().toLowerCase();
  return wanted === 'all' || wanted === '0' ? ANY_LOG_TYPE : statusNumber(LOG_TYPE, wanted);
}
