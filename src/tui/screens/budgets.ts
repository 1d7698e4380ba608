/** Shows the budgets of a token or a user as a page. */
import { BUDGET_STATUS } from '../../domain/budgets/budget.ts';
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
    await context.page(nameOf(row), lines.join('\n\n') || context.t('tui.budgets.none'));
  });
}

/** What it limits and its state, then what the window has used, indented. */
function budgetText(budget: Budget, context: ActionContext): string {
  const { t, viewer } = context;
  const { measure, resets_at, raised_until, models } = budget;
  const amount = (value: number) =>
    measure === 'units' ? money(value, viewer) : t(`tui.budgets.${measure}`, { count: value });
  const isRaised = raised_until * 1000 > viewer.nowMs();
  const limit = t('tui.budgets.limit', {
    limit: amount(budget.limit_amount),
    period: t(`tui.budgets.periods.${budget.period}`),
  });
  const lines = [
    [limit, ...statesOf(budget).map((state) => t(`tui.budgets.states.${state}`))].join(' · '),
    t('tui.budgets.window', {
      used: amount(budget.spent_amount),
      held: amount(budget.held_amount),
      left: amount(budget.left_amount),
    }),
    resets_at > 0 && t('tui.budgets.resets', { at: timeText(resets_at) }),
    isRaised &&
      t('tui.budgets.raised', {
        amount: amount(budget.raised_amount),
        until: timeText(raised_until),
      }),
    models.length > 0 && t('tui.budgets.models', { names: models }),
  ];
  return lines.filter(Boolean).join('\n  ');
}

function statesOf({ state, shadow, status }: Budget): string[] {
  return [
    ...(state === 'ok' ? [] : [state]),
    ...(shadow ? ['shadow'] : []),
    ...(status === BUDGET_STATUS.enabled ? [] : ['disabled']),
  ];
}
