import { useTranslation } from 'react-i18next';
import { BUDGET_SUBJECTS } from '../../../../src/domain/budgets/budget.ts';
import { BUDGET_STATES } from '../../../../src/domain/budgets/budget-state.ts';
import { type FilterProps, ListFilters } from '../../components/layout/ListFilters.tsx';
import type { UrlStateOf } from '../../lib/browser/page-links.ts';

type Narrowing = Pick<UrlStateOf<'/admin/budgets'>, 'subject' | 'state'>;

export function BudgetFilters(props: FilterProps<Narrowing>) {
  const { t } = useTranslation();
  return (
    <ListFilters<Narrowing>
      {...props}
      rows={[
        {
          input: 'choice',
          field: 'subject',
          label: t('budget.subject'),
          placeholder: t('budget.any'),
          width: 150,
          values: BUDGET_SUBJECTS,
          text: (subject) => t(`budget.subject.${subject}`),
        },
        {
          input: 'choice',
          field: 'state',
          label: t('budget.state'),
          placeholder: t('budget.any'),
          width: 150,
          values: BUDGET_STATES,
          text: (state) => t(`budget.state.${state}`),
        },
      ]}
    />
  );
}
