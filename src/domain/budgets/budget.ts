/** Budgets per period: what a subject may spend, call or use in each window of a period. */

export const BUDGET_SUBJECTS = ['token', 'user', 'group', 'channel', 'model', 'site'] as const;
export type BudgetSubject = (typeof BUDGET_SUBJECTS)[number];

/** Quota units, calls, or tokens (input and output). */
export const BUDGET_MEASURES = ['units', 'calls', 'tokens'] as const;
export type BudgetMeasure = (typeof BUDGET_MEASURES)[number];

export const BUDGET_PERIODS = ['hour', '5h', 'day', 'week', 'month', 'total'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** Whether windows follow the calendar of the time zone, or begin with a call. */
export const BUDGET_ANCHORS = ['calendar', 'first_use'] as const;
export type BudgetAnchor = (typeof BUDGET_ANCHORS)[number];

/** What happens to a call that a full budget does not cover. */
export const BUDGET_FULL_ACTIONS = ['refuse', 'downgrade'] as const;
export type BudgetFullAction = (typeof BUDGET_FULL_ACTIONS)[number];

export const BUDGET_STATUS = { enabled: 1, disabled: 2 } as const;

export interface Budget {
  readonly id: number;
  readonly subject: BudgetSubject;
  /** The id of a token, user or channel, the name of a group or model, '' for the site. */
  readonly subjectId: string;
  /** The models whose calls count; empty for all. */
  readonly models: readonly string[];
  readonly measure: BudgetMeasure;
  readonly period: BudgetPeriod;
  readonly anchor: BudgetAnchor;
  /** IANA name; '' for UTC. */
  readonly timeZone: string;
  /** In the measure, per window. */
  readonly limit: number;
  /** Per cent of the limit from which the budget is near, and at which a warning is sent; 0 for none. */
  readonly warnAt: number;
  /** Further levels in per cent of which the owner is notified. */
  readonly notifyAt: readonly number[];
  readonly onFull: BudgetFullAction;
  /** The model that answers instead; '' unless `onFull` is `downgrade`. */
  readonly downgradeModel: string;
  /** Added to the limit until `raisedUntilSec`. */
  readonly raisedAmount: number;
  readonly raisedUntilSec: number;
  /** A shadow budget counts and never refuses. */
  readonly shadow: boolean;
  /** `BUDGET_STATUS` */
  readonly status: number;
  readonly createdAtSec: number;
}

/** What a window of a budget has used: `spent` by charges, `held` by running calls. */
export interface BudgetWindow {
  readonly budgetId: number;
  readonly startsAtSec: number;
  /** The first second after it. */
  readonly endsAtSec: number;
  readonly spent: number;
  readonly held: number;
}

/** What a window may use at a moment. */
export function limitAt(
  budget: Pick<Budget, 'limit' | 'raisedAmount' | 'raisedUntilSec'>,
  atSec: number,
): number {
  return budget.limit + (budget.raisedUntilSec > atSec ? budget.raisedAmount : 0);
}

/** The most that a call uses of an account, and of windows that count tokens. */
export interface CallAmounts {
  readonly units: number;
  readonly tokens: number;
}

/** What a call uses of a window with this measure. */
export function amountIn(measure: BudgetMeasure, amounts: CallAmounts): number {
  return measure === 'calls' ? 1 : amounts[measure];
}

/** An amount of a window that a hold or a ledger entry names, in the measure of the budget. */
export interface WindowAmount {
  readonly budgetId: number;
  readonly startsAtSec: number;
  readonly amount: number;
}

/** What a call holds of a window. */
export interface HeldWindow extends WindowAmount {
  readonly measure: BudgetMeasure;
}
