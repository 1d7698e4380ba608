import { useTranslation } from 'react-i18next';
import { BUDGET_SUBJECTS } from '../../../../src/domain/budgets/budget.ts';
import { BUDGET_STATES } from '../../../../src/domain/budgets/budget-state.ts';
import { type FilterProps, ListFilters } from '../../components/layout/ListFilters.tsx';
import type { UrlStateOf } from '../../lib/browser/page-links.ts';

type Narrowing = Pick<UrlStateOf<'/admin/budgets'>, 'q' | 'subject' | 'state'>;

export function BudgetFilters(props: FilterProps<Narrowing>) {
  const { t } = useTranslation();
  return (
    <ListFilters<Narrowing>
      {...props}
      rows={[
        {
          input: 'text',
          field: 'q',
          label: t('common.search'),
          placeholder: t('budget.searchHint'),
          width: 220,
          isSearch: true,
        },
        {
          input: 'choice',
          field: 'subject',
          label: t('part.budget.subject'),
          width: 150,
          values: BUDGET_SUBJECTS,
          text: (subject) => t(`part.budget.subject.${subject}`),
        },
        {
          input: 'choice',
          field: 'state',
          label: t('budget.state'),
          width: 150,
          values: BUDGET_STATES,
          text: (state) => t(`part.budget.state.${state}`),
        },
      ]}
    />
  );
}
