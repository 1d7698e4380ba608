import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../../components/data-table/BulkBar.tsx';
import { ColumnSettings } from '../../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { Empty, NoMatch } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { useList } from '../../../hooks/useList.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { isSpent, type NewCodes, type Redemption, redemptions } from '../calls.ts';
import { CodeDrawer } from '../editor/CodeDrawer.tsx';
import { EditCodeDrawer, NewCodesDrawer } from '../editor/CodeFormDrawers.tsx';
import { NewCodesDialog } from '../print/NewCodesDialog.tsx';
import { QrDialog } from '../print/RedeemQr.tsx';
import { BulkMenu } from './BulkMenu.tsx';
import { CodeFilters } from './CodeFilters.tsx';
import { redemptionColumns } from './code-columns.tsx';
import { useCodeActions } from './useCodeActions.tsx';
import { type SelectedCodes, useSelectedCodes } from './useSelectedCodes.ts';

const NO_CODES: readonly Redemption[] = [];

export function RedemptionsPage() {
  const { t } = useTranslation();
  const { state, set, reset, isNarrowed } = useUrlState(PAGE_FIELDS['/admin/coupons']);
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const [made, setMade] = useState<NewCodes | undefined>(undefined);
  const [scanned, setScanned] = useState<Redemption | undefined>(undefined);
  const { q: keyword, state: codeState, type, page, id } = state;
  const query = {
    keyword,
    state: codeState,
    ...(type !== '' && { is_gift: type === 'gift' }),
    p: page,
    page_size: pageSize,
  };
  const list = useList({
    key: redemptionKeys.list(query),
    fetch: (signal) => (isNarrowed ? redemptions.search : redemptions.list)(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
  const selection = useSelectedCodes(list.items ?? NO_CODES);
  const actions = useCodeActions({
    onView: (id) => set({ id: String(id) }),
    onEdit: (id) => set({ edit: String(id) }),
    onQr: setScanned,
  });
  const cellText = useCellText();
  const columns = useMemo(() => redemptionColumns(cellText), [cellText]);
  const create = () => set({ id: 'new' });
  return (
    <>
      <PageHeader
        title={t('redemption.title')}
        hint={t('redemption.hint')}
        actions={
          <>
            <BulkMenu onDisableChosen={selection.disable} />
            <Button leftSection={<IconPlus size={16} />} onClick={create}>
              {t('redemption.create')}
            </Button>
          </>
        }
      />
      <CodeFilters
        state={state}
        set={set}
        reset={reset}
        tools={<ColumnSettings id="redemption" columns={columns} />}
      />
      <DataTable
        {...list.tableProps}
        isTight
        id="redemption"
        label={t('redemption.title')}
        rowId={(code) => code.id}
        columns={columns}
        actions={actions}
        isMuted={isSpent}
        selected={selection.ids}
        onSelect={selection.setIds}
        empty={isNarrowed ? <NoMatch onClear={() => reset()} /> : <NoCodes onCreate={create} />}
      />
      <SelectionBar selection={selection} />
      <NewCodesDrawer isOpen={id === 'new'} onClose={() => set({ id: '' })} onMade={setMade} />
      <EditCodeDrawer id={state.edit} onClose={() => set({ edit: '' })} />
      <CodeDrawer
        id={id === 'new' ? '' : id}
        ids={list.items?.map((code) => String(code.id)) ?? []}
        onId={(id) => set({ id })}
        onEdit={(id) => set({ id: '', edit: String(id) })}
      />
      <NewCodesDialog made={made} onClose={() => setMade(undefined)} />
      <QrDialog code={scanned} onClose={() => setScanned(undefined)} />
    </>
  );
}

function NoCodes({ onCreate }: { readonly onCreate: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty
      title={t('redemption.none')}
      text={t('redemption.noneHint')}
      action={<Button onClick={onCreate}>{t('redemption.create')}</Button>}
    />
  );
}

function SelectionBar({ selection }: { readonly selection: SelectedCodes }) {
  const t = useCellText();
  const actions = rowActions(t, {
    copy: { label: t('redemption.copyChosen'), onClick: selection.copy },
    disable: { label: t('redemption.disableChosen'), onClick: selection.disable },
  });
  return <BulkBar count={selection.ids.size} onClear={selection.clear} actions={actions} />;
}
