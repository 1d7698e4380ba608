/** Form values, validation and requests of budgets. */
import type * as z from 'zod/mini';
import type { NewBudget } from '../../../../src/api/billing/budget.ts';
import type { Budget } from './calls.ts';

export interface BudgetValues
  extends Pick<
    Budget,
    | 'subject'
    | 'measure'
    | 'period'
    | 'anchor'
    | 'time_zone'
    | 'on_full'
    | 'downgrade_model'
    | 'shadow'
  > {
  /** Chosen in the form, like the subject, where a page shows the budgets of several. */
  readonly subject_id: string;
  readonly limit_amount: number;
  readonly warn_at: number;
  /** Per cent, as typed. */
  readonly notify_at: readonly string[];
  readonly models: readonly string[];
  readonly isEnabled: boolean;
}

/** Days begin at the midnight of the reader. */
export function blankBudget(
  subject: Budget['subject'],
  subject_id: string,
  time_zone: string,
): BudgetValues {
  return {
    subject,
    subject_id,
    measure: 'units',
    limit_amount: 2_500_000,
    period: 'day',
    anchor: 'calendar',
    time_zone,
    warn_at: 80,
    notify_at: [],
    models: [],
    on_full: 'refuse',
    downgrade_model: '',
    shadow: false,
    isEnabled: true,
  };
}

export function budgetValues(budget: Budget): BudgetValues {
  return {
    ...budget,
    notify_at: budget.notify_at.map(String),
    isEnabled: budget.status === 1,
  };
}

/** Suffix of the text key `part.budget.error.<problem>`. */
export type BudgetProblem = 'subject' | 'limit' | 'warn' | 'notify' | 'downgrade';

export function budgetProblems(values: BudgetValues) {
  const { subject, subject_id, limit_amount, warn_at, notify_at, on_full, downgrade_model } =
    values;
  const problems: { [F in keyof BudgetValues]?: BudgetProblem } = {
    ...(subject_id === '' && subject !== 'site' && { subject_id: 'subject' }),
    ...(!(Number.isSafeInteger(limit_amount) && limit_amount > 0) && { limit_amount: 'limit' }),
    ...(!(Number.isInteger(warn_at) && warn_at >= 0 && warn_at <= 100) && { warn_at: 'warn' }),
    ...(!(notify_at.length <= 10 && notify_at.every((text) => /^[1-9]\d?$/.test(text))) && {
      notify_at: 'notify',
    }),
    ...(on_full === 'downgrade' &&
      downgrade_model.trim() === '' && { downgrade_model: 'downgrade' }),
  };
  return problems;
}

type Sent = z.input<typeof NewBudget>;

export function newBudget(values: BudgetValues): Sent {
  const { subject, subject_id, measure } = values;
  return { subject, subject_id, measure, ...fieldsOf(values) };
}

/** With the values that the form was filled with, so that no other change is overwritten. */
export function budgetEdit(id: number, values: BudgetValues, before: BudgetValues) {
  return { id, ...fieldsOf(values), before: fieldsOf(before) };
}

function fieldsOf({
  isEnabled,
  ...values
}: BudgetValues): Omit<Required<Sent>, 'subject' | 'subject_id' | 'measure'> {
  return {
    models: [...values.models],
    period: values.period,
    anchor: values.anchor,
    time_zone: values.time_zone,
    limit_amount: values.limit_amount,
    warn_at: values.warn_at,
    notify_at: values.notify_at.map(Number),
    on_full: values.on_full,
    downgrade_model: values.on_full === 'downgrade' ? values.downgrade_model.trim() : '',
    shadow: values.shadow,
    status: isEnabled ? 1 : 2,
  };
}
