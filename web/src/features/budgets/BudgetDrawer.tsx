import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { BudgetItem } from '../../components/budgets/BudgetItem.tsx';
import { budgets } from '../../components/budgets/calls.ts';
import { DetailDrawer } from '../../components/layout/DetailDrawer.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { budgetKeys } from '../../lib/api/query-keys.ts';

interface BudgetDrawerProps {
  /** '' is closed. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly onId: (id: string) => void;
}

/** One budget beside the list, where it is raised, edited and deleted. */
export function BudgetDrawer({ id, ids, onId }: BudgetDrawerProps) {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: budgetKeys.one(id),
    queryFn: ({ signal }) => budgets.get({ id: Number(id) }, { signal }),
    enabled: /^\d+$/.test(id),
  });
  const { data } = query;
  const title =
    data === undefined
      ? t('budget.title')
      : [t(`budget.subject.${data.subject}`), data.subject_name].join(' ').trim();
  return (
    <DetailDrawer id={id} ids={ids} onId={onId} title={title} width={520}>
      {id !== '' && (
        <Loaded query={query}>
          {(budget) => <BudgetItem key={budget.id} budget={budget} isNamed={false} />}
        </Loaded>
      )}
    </DetailDrawer>
  );
}
