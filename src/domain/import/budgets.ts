/** Converts the budgets of accounts and keys of another program; pure. */
import type { BudgetPeriod } from '../budgets/budget.ts';
import { columnObject, columnText, intIn, type SourceRow, secondsIn, unitsIn } from './values.ts';

export interface ImportedBudget {
  readonly period: BudgetPeriod;
  /** The models whose calls count; empty for all. */
  readonly models: readonly string[];
  /** Quota units. */
  readonly limit: number;
  /** Quota units spent in the current window. */
  readonly spent: number;
  /** The end of the current window in epoch seconds; 0 if the source names none. */
  readonly resetsAtSec: number;
}

interface Rules {
  readonly unitsPerUsd: number;
  readonly nowSec: number;
  /** Reports a limit for a period that does not exist here. */
  readonly lose: (field: string, limit: string) => void;
}

const UNIT_SEC: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 7 * 86_400,
  mo: 30 * 86_400,
};
const PERIODS: ReadonlyMap<number, BudgetPeriod> = new Map([
  [3_600, 'hour'],
  [5 * 3_600, '5h'],
  [86_400, 'day'],
  [7 * 86_400, 'week'],
]);
/** The limit of a budget is above 0, so this one stands for a limit of 0. */
const LEAST_UNITS = 1;
const SHORTEST_MONTH_SEC = 28 * 86_400;
const LONGEST_MONTH_SEC = 31 * 86_400;

/** The budget of all calls, and those of single models, whose spending the source does not store. */
export function importedBudgets(row: SourceRow, rules: Rules): readonly ImportedBudget[] {
  const { max_budget: most, budget_duration: duration, budget_reset_at, spend } = row;
  const resetsAtSec = secondsIn(budget_reset_at);
  // After the reset the source counts from zero, even if its job has not run yet.
  const isOver = resetsAtSec > 0 && resetsAtSec <= rules.nowSec;
  const whole = { field: 'max_budget', most, duration, models: [] };
  const window = isOver
    ? { spent: 0, resetsAtSec: 0 }
    : { spent: unitsIn(spend, rules.unitsPerUsd), resetsAtSec };
  const perModel = Object.entries(columnObject(row.model_max_budget) ?? {}).map(
    ([model, budget]) => ({ field: 'model_max_budget', models: [model], ...limitIn(budget) }),
  );
  return [
    ...budgetOf(whole, window, rules),
    ...perModel.flatMap((limit) => budgetOf(limit, { spent: 0, resetsAtSec: 0 }, rules)),
  ];
}

interface Limit {
  readonly field: string;
  /** Dollars. */
  readonly most: unknown;
  readonly duration: unknown;
  readonly models: readonly string[];
}

/** A number, or an object with the names of either version. */
function limitIn(value: unknown): Pick<Limit, 'most' | 'duration'> {
  if (typeof value !== 'object' || value === null) return { most: value, duration: undefined };
  const { max_budget, budget_limit, budget_duration, time_period }: SourceRow = { ...value };
  return { most: max_budget ?? budget_limit, duration: budget_duration ?? time_period };
}

function budgetOf(
  { field, most, duration, models }: Limit,
  window: Pick<ImportedBudget, 'spent' | 'resetsAtSec'>,
  { lose, unitsPerUsd }: Rules,
): ImportedBudget[] {
  if (columnText(most) === '') return [];
  const period = periodOf(columnText(duration));
  const limit = Math.max(LEAST_UNITS, unitsIn(most, unitsPerUsd));
  if (period !== undefined) return [{ period, models, limit, ...window }];
  lose(field, [...models, `${columnText(most)} USD / ${columnText(duration)}`].join(' '));
  return [];
}

/** Such as `30s`, `5h`, `7d` or `1mo`; without a duration a limit holds for all time. */
function periodOf(duration: string): BudgetPeriod | undefined {
  if (duration === '') return 'total';
  const [, count, unit = ''] = /^(\d+)(s|m|h|d|w|mo)$/.exec(duration) ?? [];
  const seconds = intIn(count) * (UNIT_SEC[unit] ?? 0);
  if (seconds >= SHORTEST_MONTH_SEC && seconds <= LONGEST_MONTH_SEC) return 'month';
  return PERIODS.get(seconds);
}
