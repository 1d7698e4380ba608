import { useCallbackRef } from '@mantine/hooks';
import { useCallback } from 'react';
import { useNavigate } from 'react-router-dom';
import { mayRaise, useBudgetRemoval } from '../../components/budgets/BudgetItem.tsx';
import { entriesOf } from '../../components/budgets/budget-entries.ts';
import type { Budget } from '../../components/budgets/calls.ts';
import type { RowAction } from '../../components/data-table/columns.ts';
import { rowActions } from '../../components/data-table/row-actions.tsx';
import { linkTo } from '../../lib/browser/page-links.ts';
import { useCellText } from '../../lib/text/cell-text.ts';
import type { OpenBudget } from './BudgetDrawer.tsx';

/** Actions on one budget; who may only see it has no others than to view it. */
export function useBudgetActions(
  open: (opened: OpenBudget) => void,
): (budget: Budget) => readonly RowAction[] {
  const t = useCellText();
  const navigate = useNavigate();
  const remove = useBudgetRemoval();
  const onOpen = useCallbackRef(open);
  return useCallback(
    (budget) => {
      const id = String(budget.id);
      const entries = entriesOf(budget);
      const isEditable = budget.is_editable;
      return rowActions(t, {
        view: isEditable ? undefined : { isPrimary: true, onClick: () => onOpen({ id }) },
        edit: isEditable
          ? { isPrimary: true, onClick: () => onOpen({ id, opens: 'edit' }) }
          : undefined,
        raise:
          isEditable && mayRaise(budget)
            ? {
                label: t('part.budget.raise'),
                isPrimary: true,
                onClick: () => onOpen({ id, opens: 'raise' }),
              }
            : undefined,
        logs: entries && {
          onClick: () => navigate(linkTo('/app/logs/api-usage', { type: 'spend', ...entries })),
        },
        delete: isEditable ? { onClick: () => remove(budget) } : undefined,
      });
    },
    [t, navigate, remove, onOpen],
  );
}
