import { useMemo } from 'react';
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
import { BudgetDrawer } from './BudgetDrawer.tsx';
import { BudgetFilters } from './BudgetFilters.tsx';
import { budgetColumns } from './budget-columns.tsx';

/** The budgets of all tokens, users, groups, channels, models and the site. */
export function BudgetsPage() {
  const { t } = useTranslation();
  const { state, set, reset, isNarrowed } = useUrlState(PAGE_FIELDS['/admin/budgets']);
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const query = { subject: state.subject, state: state.state, p: state.page, page_size: pageSize };
  const list = useList({
    key: budgetKeys.list(query),
    fetch: (signal) => budgets.list(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
  const cellText = useCellText();
  const amountText = useAmountText();
  const columns = useMemo(() => budgetColumns(cellText, amountText), [cellText, amountText]);
  return (
    <>
      <PageHeader title={t('budget.title')} hint={t('budget.hint')} />
      <BudgetFilters
        state={state}
        set={set}
        reset={reset}
        tools={<ColumnSettings id="budget" columns={columns} />}
      />
      <DataTable
        {...list.tableProps}
        id="budget"
        label={t('budget.title')}
        rowId={(budget) => budget.id}
        columns={columns}
        onRow={({ id }) => set({ id: String(id) })}
        isMuted={isOff}
        empty={
          isNarrowed ? (
            <NoMatch onClear={() => reset()} />
          ) : (
            <Empty title={t('budget.none')} text={t('budget.noneHint')} />
          )
        }
      />
      <BudgetDrawer
        id={state.id}
        ids={list.items?.map(({ id }) => String(id)) ?? []}
        onId={(id) => set({ id })}
      />
    </>
  );
}

function isOff({ status }: Budget): boolean {
  return status !== 1;
}
