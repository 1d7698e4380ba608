import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCellText } from '../../lib/cell-text.ts';
import { STORED, useStored } from '../../lib/stored.ts';
import { field, useUrlState } from '../../lib/url-state.ts';
import { ColumnSettings } from '../../parts/ColumnSettings.tsx';
import { DataGrid } from '../../parts/DataGrid.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Empty, NoMatch } from '../../parts/states.tsx';
import { useList } from '../../parts/useList.ts';
import { ChosenBar } from './ChosenBar.tsx';
import { CodeDrawer } from './CodeDrawer.tsx';
import { CodeFilters } from './CodeFilters.tsx';
import { isSpent, type Redemption, redemptionKeys, redemptions } from './calls.ts';
import { redemptionColumns } from './columns.tsx';
import { EditCodeDrawer } from './EditCodeDrawer.tsx';
import { type Made, MadeDialog } from './MadeDialog.tsx';
import { MassMenu } from './MassMenu.tsx';
import { NewCodesDrawer } from './NewCodesDrawer.tsx';
import { QrDialog } from './QrDialog.tsx';
import { useChosen } from './useChosen.ts';
import { useCodeActions } from './useCodeActions.tsx';

const FIELDS = {
  q: field.text(),
  status: field.number(),
  type: field.choice(['gift', 'plain', ''], ''),
  page: field.page(),
  id: field.id(),
  edit: field.id(),
};

const NO_CODES: readonly Redemption[] = [];

export function RedemptionsPage() {
  const { t } = useTranslation();
  const { state, set, reset, isNarrowed } = useUrlState(FIELDS);
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const [made, setMade] = useState<Made | undefined>(undefined);
  const [scanned, setScanned] = useState<Redemption | undefined>(undefined);
  const { q: keyword, status, type, page, id } = state;
  const query = {
    keyword,
    status,
    ...(type !== '' && { is_gift: type === 'gift' }),
    p: page,
    page_size: pageSize,
  };
  const list = useList({
    key: redemptionKeys.list(query),
    fetch: (signal) => (isNarrowed ? redemptions.search : redemptions.list)(query, { signal }),
    onPage: (page) => set({ page }),
    onPageSize: (size) => {
      setPageSize(size);
      set({ page: 1 });
    },
  });
  const chosen = useChosen(list.items ?? NO_CODES);
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
            <MassMenu onDisableChosen={chosen.disable} />
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
      <DataGrid
        {...list.grid}
        isTight
        isLong
        id="redemption"
        label={t('redemption.title')}
        rowId={(code) => code.id}
        columns={columns}
        actions={actions}
        isMuted={isSpent}
        selected={chosen.ids}
        onSelect={chosen.setIds}
        empty={isNarrowed ? <NoMatch onClear={() => reset()} /> : <NoCodes onCreate={create} />}
      />
      <ChosenBar chosen={chosen} />
      <NewCodesDrawer isOpen={id === 'new'} onClose={() => set({ id: '' })} onMade={setMade} />
      <EditCodeDrawer id={state.edit} onClose={() => set({ edit: '' })} />
      <CodeDrawer
        id={id === 'new' ? '' : id}
        ids={list.items?.map((code) => String(code.id)) ?? []}
        onId={(id) => set({ id })}
        onEdit={(id) => set({ id: '', edit: String(id) })}
      />
      <MadeDialog made={made} onClose={() => setMade(undefined)} />
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
