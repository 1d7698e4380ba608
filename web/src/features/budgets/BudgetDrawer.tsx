import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { BudgetItem } from '../../components/budgets/BudgetItem.tsx';
import { type Budget, budgets } from '../../components/budgets/calls.ts';
import { DetailDrawer } from '../../components/layout/DetailDrawer.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { useRecord } from '../../hooks/useRecord.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { BudgetWindows } from './BudgetWindows.tsx';

/** A budget beside the list, and what is open of it at first. */
export interface OpenBudget {
  /** '' is closed. */
  readonly id: string;
  readonly opens?: 'edit' | 'raise' | undefined;
}

interface BudgetDrawerProps {
  readonly opened: OpenBudget;
  readonly ids: readonly string[];
  readonly onId: (id: string) => void;
}

/** One budget beside the list, where it is raised, edited and deleted, with its latest windows. */
export function BudgetDrawer({ opened: { id, opens }, ids, onId }: BudgetDrawerProps) {
  const { t } = useTranslation();
  const query = useRecord(budgetKeys, id, budgets.get);
  const title = (budget: Budget) =>
    [t(`part.budget.subject.${budget.subject}`), budget.subject_name].join(' ').trim();
  return (
    <DetailDrawer
      id={id}
      ids={ids}
      onId={onId}
      title={query.data === undefined ? t('part.budget.list') : title(query.data)}
      width={520}
    >
      {id !== '' && (
        <Loaded query={query}>
          {(budget) => (
            <Stack gap="lg">
              <BudgetItem
                key={`${budget.id} ${opens}`}
                budget={budget}
                isNamed={false}
                opens={opens}
                onRemoved={() => onId('')}
              />
              <BudgetWindows budget={budget} />
            </Stack>
          )}
        </Loaded>
      )}
    </DetailDrawer>
  );
}
