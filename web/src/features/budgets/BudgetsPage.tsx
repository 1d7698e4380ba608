import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAmountText } from '../../components/budgets/BudgetBar.tsx';
import { type Budget, budgets } from '../../components/budgets/calls.ts';
import { ColumnSettings } from '../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { Empty, NoMatch } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { useList } from '../../hooks/useList.ts';
import { budgetKeys } from '../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { useCellText } from '../../lib/text/cell-text.ts';
import { BudgetDrawer, type OpenBudget } from './BudgetDrawer.tsx';
import { BudgetFilters } from './BudgetFilters.tsx';
import { budgetColumns } from './budget-columns.tsx';
import { NewBudgetDrawer } from './NewBudgetDrawer.tsx';
import { useBudgetActions } from './useBudgetActions.tsx';

/** The id of the address while a budget is added. */
const NEW = 'new';

/** The budgets of all tokens, users, groups, channels, models and the site. */
export function BudgetsPage() {
  const { t } = useTranslation();
  const url = useUrlState(PAGE_FIELDS['/admin/budgets']);
  const { state, set, reset, isNarrowed } = url;
  const list = useBudgets(url);
  // Which part of the drawer is open is no part of its link.
  const [opened, setOpened] = useState<OpenBudget>({ id: '' });
  const open = (next: OpenBudget) => {
    setOpened(next);
    set({ id: next.id });
  };
  const actions = useBudgetActions(open);
  const cellText = useCellText();
  const amountText = useAmountText();
  const columns = useMemo(() => budgetColumns(cellText, amountText), [cellText, amountText]);
  const add = () => open({ id: NEW });
  const id = state.id === NEW ? '' : state.id;
  return (
    <>
      <PageHeader
        title={t('part.budget.list')}
        hint={t('budget.hint')}
        actions={
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            {t('part.budget.add')}
          </Button>
        }
      />
      <BudgetFilters
        state={state}
        set={set}
        reset={reset}
        tools={<ColumnSettings id="budget" columns={columns} />}
      />
      <DataTable
        {...list.tableProps}
        id="budget"
        label={t('part.budget.list')}
        rowId={(budget) => budget.id}
        columns={columns}
        actions={actions}
        onRow={(budget) => open({ id: String(budget.id) })}
        isMuted={isOff}
        empty={isNarrowed ? <NoMatch onClear={() => reset()} /> : <NoBudgets onAdd={add} />}
      />
      <BudgetDrawer
        opened={opened.id === id ? opened : { id }}
        ids={list.items?.map((budget) => String(budget.id)) ?? []}
        onId={(next) => open({ id: next })}
      />
      <NewBudgetDrawer
        isOpen={state.id === NEW}
        subject={state.subject || 'user'}
        onClose={() => open({ id: '' })}
      />
    </>
  );
}

function useBudgets({
  state,
  set,
}: ReturnType<typeof useUrlState<(typeof PAGE_FIELDS)['/admin/budgets']>>) {
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const query = {
    keyword: state.q,
    subject: state.subject,
    state: state.state,
    p: state.page,
    page_size: pageSize,
  };
  return useList({
    key: budgetKeys.list(query),
    fetch: (signal) => budgets.list(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
}

function NoBudgets({ onAdd }: { readonly onAdd: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty
      title={t('budget.none')}
      text={t('budget.noneHint')}
      action={<Button onClick={onAdd}>{t('part.budget.add')}</Button>}
    />
  );
}

function isOff({ status }: Budget): boolean {
  return status !== 1;
}
