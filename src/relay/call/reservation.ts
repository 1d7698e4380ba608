/** What a call has reserved, which its stage `reserve` makes. */
import type { Trust } from '../../services/cache/credit-cache.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';

/** What a call has reserved of its caller's balance. */
export interface Reservation {
  readonly hold: HeldUnits | undefined;
  /** Set instead of `hold` when the account is far above the balance it needs. */
  readonly trusted: Trust | undefined;
  /** Most units that the call may cost; undefined without a limit. */
  readonly allowedUnits: number | undefined;
}

export const NOTHING_RESERVED: Reservation = {
  hold: undefined,
  trusted: undefined,
  allowedUnits: undefined,
};
