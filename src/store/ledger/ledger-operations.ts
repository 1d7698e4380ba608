/** The types of ledger writes: entries, and the call operations that contain them. */
import type { HeldWindow, WindowAmount } from '../../domain/budgets/budget.ts';
import type { LogRow } from '../logs/log-row.ts';
import type { TaskSettlement } from '../tables/task-rows.ts';

export type Cause =
  | 'opening'
  | 'grant'
  | 'admin_edit'
  | 'token_grant'
  | 'token_edit'
  | 'charge'
  | 'refund'
  | 'redemption'
  | 'topup'
  | 'check_in'
  | 'invite'
  | 'transfer'
  | 'rebate'
  /** Spending imported from another installation. */
  | 'past_charge';

export interface Entry {
  /** Unique per event, e.g. `call:<request id>`: posting it a second time changes nothing. */
  readonly key: string;
  readonly cause: Cause;
  readonly userId: number;
  readonly tokenId?: number;
  readonly channelId?: number;
  /** Signed quota units added to `users.quota`. */
  readonly userUnits: number;
  /** Signed quota units added to `tokens.remain_quota`. */
  readonly tokenUnits?: number;
  /** Quota units added to the use of the channel. */
  readonly channelUnits?: number;
  readonly actor?: string;
  /** JSON text: how the amount is composed. */
  readonly detail?: string;
  /** The windows of budgets in which the entry counts; a refund has negative amounts. */
  readonly windows?: readonly WindowAmount[] | undefined;
  readonly createdAtSec: number;
}

/** A hold older than this belongs to no active call, even if its node is alive. */
export const HOLD_LIFETIME_SEC = 6 * 3600;

/** The accounts and amounts of a hold, which never change. */
export interface HeldUnits {
  readonly userId: number;
  readonly tokenId: number;
  readonly userUnits: number;
  /** 0 for a token without a limit of its own. */
  readonly tokenUnits: number;
  /** What it reserves of windows of budgets. */
  readonly windows?: readonly HeldWindow[] | undefined;
}

export interface HoldOperation extends HeldUnits {
  readonly kind: 'hold';
  readonly requestId: string;
  readonly node: string;
  readonly createdAtSec: number;
  /** Maximum age, by the database's clock. */
  readonly lifetimeSec: number;
}

/** The end of a call: removes its hold and writes its charge (if any) and its log rows. */
export interface CloseOperation {
  readonly kind: 'close';
  readonly requestId: string;
  /** The hold to release; undefined for a call that made none. */
  readonly hold?: HeldUnits | undefined;
  readonly charge?: Entry;
  /** When the charge's token was last used; set occasionally, not on every call. */
  readonly tokenUsedAtSec?: number;
  /** The user is notified when the charge takes the balance below this. */
  readonly warnBelow?: number;
  readonly logs: readonly LogRow[];
  /** The task that the call submitted. If it is already settled, only the hold is released. */
  readonly task?: TaskSettlement | undefined;
  /** The answer was created in the background. If already settled, only the hold is released. */
  readonly inBackground?: true;
}

/** Lowers the amounts of a hold to those of `to`; a hold that is gone stays so. */
export interface ShrinkOperation {
  readonly kind: 'shrink';
  readonly requestId: string;
  readonly to: HeldUnits;
}

export type Operation = HoldOperation | CloseOperation | ShrinkOperation;

/** The budget that has no room for a hold. */
export interface BudgetShort {
  readonly budgetShort: number;
}

export type Outcome = 'done' | 'repeat' | 'user_short' | 'token_short' | BudgetShort;

/** Whether a hold was refused. */
export function isShort(outcome: Outcome): outcome is 'user_short' | 'token_short' | BudgetShort {
  return outcome !== 'done' && outcome !== 'repeat';
}
