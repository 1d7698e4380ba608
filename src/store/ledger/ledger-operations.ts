/** What is written to the ledger: entries, and the operations of calls that carry them. */
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
  /** What was spent at an installation that was imported. */
  | 'past_charge';

export interface Entry {
  /** Unique for what happened, e.g. `call:<request id>`: the second posting of it changes nothing. */
  readonly key: string;
  readonly cause: Cause;
  readonly userId: number;
  readonly tokenId?: number;
  readonly channelId?: number;
  /** Signed quota units added to `users.quota`. */
  readonly userUnits: number;
  /** Signed quota units added to `tokens.remain_quota`. */
  readonly tokenUnits?: number;
  /** Quota units added to `channels.used_quota`. */
  readonly channelUnits?: number;
  readonly actor?: string;
  /** JSON text: what the amount was made of. */
  readonly detail?: string;
  readonly createdAtSec: number;
}

export interface HoldOperation {
  readonly kind: 'hold';
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly userUnits: number;
  /** 0 for a token without a limit of its own. */
  readonly tokenUnits: number;
  readonly node: string;
  readonly createdAtSec: number;
  /** How long it may stay open, by the database's clock. */
  readonly lifetimeSec: number;
}

/** The end of a call: its hold goes, its charge (if any) and its log rows are written. */
export interface CloseOperation {
  readonly kind: 'close';
  readonly requestId: string;
  readonly hadHold: boolean;
  readonly charge?: Entry;
  /** Set now and then, not on every call: when the charge's token was last used. */
  readonly tokenUsedAtSec?: number;
  /** The user is told when the charge takes the balance below this. */
  readonly warnBelow?: number;
  readonly logs: readonly LogRow[];
  /** The task that the call submitted. Where that is settled already only the hold goes. */
  readonly task?: TaskSettlement;
  /** Its answer was made in the background: where that is settled already only the hold goes. */
  readonly inBackground?: true;
}

export type Operation = HoldOperation | CloseOperation;

export type Outcome = 'done' | 'repeat' | 'user_short' | 'token_short';
