import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BUDGET_SUBJECTS } from '../../../../src/domain/budgets/budget.ts';
import { BUDGET_STATES } from '../../../../src/domain/budgets/budget-state.ts';
import { useAmountText } from '../../components/budgets/BudgetBar.tsx';
import { type Budget, budgets } from '../../components/budgets/calls.ts';
import { type FilterRow, searchRow } from '../../components/layout/ListFilters.tsx';
import { ListPage } from '../../components/layout/ListPage.tsx';
import { useUrlList } from '../../hooks/useList.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { PAGE_FIELDS, type UrlStateOf } from '../../lib/browser/page-links.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { useCellText } from '../../lib/text/cell-text.ts';
import { BudgetDrawer, type OpenBudget } from './BudgetDrawer.tsx';
import { budgetColumns } from './budget-columns.tsx';
import { NewBudgetDrawer } from './NewBudgetDrawer.tsx';
import { useBudgetActions } from './useBudgetActions.tsx';

/** The id of the address while a budget is added. */
const NEW = 'new';

/** The budgets of all tokens, users, groups, channels, models and the site. */
export function BudgetsPage() {
  const { t } = useTranslation();
  const url = useUrlState(PAGE_FIELDS['/admin/budgets']);
  const { q: keyword, subject, state, id: address } = url.state;
  const list = useUrlList(budgetKeys, url, { keyword, subject, state }, budgets.list);
  // Which part of the drawer is open is no part of its link.
  const [opened, setOpened] = useState<OpenBudget>({ id: '' });
  const open = (next: OpenBudget) => {
    setOpened(next);
    url.set({ id: next.id });
  };
  const actions = useBudgetActions(open);
  const cellText = useCellText();
  const amountText = useAmountText();
  const columns = useMemo(() => budgetColumns(cellText, amountText), [cellText, amountText]);
  const id = address === NEW ? '' : address;
  return (
    <ListPage
      {...list.tableProps}
      id="budget"
      title={t('part.budget.list')}
      hint={t('budget.hint')}
      url={url}
      filters={budgetFilters(t)}
      add={{ label: t('part.budget.add'), onClick: () => open({ id: NEW }) }}
      rowId={(budget) => budget.id}
      columns={columns}
      actions={actions}
      onRow={(budget) => open({ id: String(budget.id) })}
      isMuted={isOff}
      none={{ title: t('budget.none'), text: t('budget.noneHint') }}
    >
      <BudgetDrawer
        opened={opened.id === id ? opened : { id }}
        ids={list.items?.map((budget) => String(budget.id)) ?? []}
        onId={(next) => open({ id: next })}
      />
      <NewBudgetDrawer
        isOpen={address === NEW}
        subject={subject || 'user'}
        onClose={() => open({ id: '' })}
      />
    </ListPage>
  );
}

function budgetFilters(t: TFunction): readonly FilterRow<UrlStateOf<'/admin/budgets'>>[] {
  return [
    searchRow(t, { placeholder: t('budget.searchHint'), width: 220 }),
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
  ];
}

function isOff({ status }: Budget): boolean {
  return status !== 1;
}
