/** Shows the budgets of a token or a user as a page. */
import { numberText } from '../../domain/text/number-text.ts';
import type { LocalApi } from '../../session/session.ts';
import { money, timeText } from './format.ts';
import type { Action, ActionContext } from './screen.ts';
import { rowAction } from './shared-actions.ts';

type Budget = Awaited<ReturnType<LocalApi['budget']['get']>>;

export function budgetsAction<Row extends { readonly id: number }>(
  subject: 'token' | 'user',
  nameOf: (row: Row) => string,
): Action<Row> {
  return rowAction('b', 'budgets', async (context, row) => {
    const filter = { subject, subject_id: String(row.id), page_size: 100 };
    const { items } = await context.api.budget.list(filter);
    const lines = items.map((budget) => budgetText(budget, context));
    await context.page(nameOf(row), lines.join('\n') || context.t('tui.budgets.none'));
  });
}

function budgetText(budget: Budget, { t, viewer }: ActionContext): string {
  const { measure, resets_at } = budget;
  const amount = (value: number) =>
    measure === 'units' ? money(value, viewer) : `${numberText(value)} ${measure}`;
  return t('tui.budgets.line', {
    limit: amount(budget.limit_amount),
    period: t(`tui.budgets.periods.${budget.period}`),
    used: amount(budget.spent_amount),
    held: amount(budget.held_amount),
    left: amount(budget.left_amount),
    resets: resets_at === 0 ? '-' : timeText(resets_at),
  });
}
