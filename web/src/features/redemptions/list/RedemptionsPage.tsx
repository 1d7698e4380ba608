import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATES } from '../../../../../src/domain/redemption-state.ts';
import { BulkBar } from '../../../components/data-table/BulkBar.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { type FilterRow, searchRow } from '../../../components/layout/ListFilters.tsx';
import { ListPage } from '../../../components/layout/ListPage.tsx';
import { useUrlList } from '../../../hooks/useList.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { PAGE_FIELDS, type UrlStateOf } from '../../../lib/browser/page-links.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { isSpent, type NewCodes, type Redemption, redemptions } from '../calls.ts';
import { CodeDrawer } from '../editor/CodeDrawer.tsx';
import { EditCodeDrawer, NewCodesDrawer } from '../editor/CodeFormDrawers.tsx';
import { NewCodesDialog } from '../print/NewCodesDialog.tsx';
import { QrDialog } from '../print/RedeemQr.tsx';
import { BulkMenu } from './BulkMenu.tsx';
import { redemptionColumns } from './code-columns.tsx';
import { useCodeActions, useSelectedCodes } from './useCodeActions.tsx';

const NO_CODES: readonly Redemption[] = [];

export function RedemptionsPage() {
  const { t } = useTranslation();
  const url = useUrlState(PAGE_FIELDS['/admin/coupons']);
  const { state, set } = url;
  const [made, setMade] = useState<NewCodes>();
  const [scanned, setScanned] = useState<Redemption>();
  const { q: keyword, state: codeState, type, id } = state;
  const filter = { keyword, state: codeState, ...(type !== '' && { is_gift: type === 'gift' }) };
  const find = url.isNarrowed ? redemptions.search : redemptions.list;
  const list = useUrlList(redemptionKeys, url, filter, find);
  const selection = useSelectedCodes(list.items ?? NO_CODES);
  const actions = useCodeActions({
    onView: (id) => set({ id: String(id) }),
    onEdit: (id) => set({ edit: String(id) }),
    onQr: setScanned,
  });
  const cellText = useCellText();
  const columns = useMemo(() => redemptionColumns(cellText), [cellText]);
  return (
    <ListPage
      {...list.tableProps}
      id="redemption"
      title={t('redemption.title')}
      hint={t('redemption.hint')}
      url={url}
      filters={codeFilters(t)}
      moreActions={<BulkMenu onDisableChosen={selection.disable} />}
      add={{ label: t('redemption.create'), onClick: () => set({ id: 'new' }) }}
      isTight
      rowId={(code) => code.id}
      columns={columns}
      actions={actions}
      isMuted={isSpent}
      selected={selection.ids}
      onSelect={selection.setIds}
      none={{ title: t('redemption.none'), text: t('redemption.noneHint') }}
    >
      <BulkBar
        count={selection.ids.size}
        onClear={selection.clear}
        actions={rowActions(t, {
          copy: { label: t('redemption.copyChosen'), onClick: selection.copy },
          disable: { label: t('redemption.disableChosen'), onClick: selection.disable },
        })}
      />
      <NewCodesDrawer isOpen={id === 'new'} onClose={() => set({ id: '' })} onMade={setMade} />
      <EditCodeDrawer id={state.edit} onClose={() => set({ edit: '' })} />
      <CodeDrawer
        id={id === 'new' ? '' : id}
        ids={list.items?.map((code) => String(code.id)) ?? []}
        onId={(id) => set({ id })}
        onEdit={(id) => set({ id: '', edit: String(id) })}
      />
      {made && <NewCodesDialog made={made} onClose={() => setMade(undefined)} />}
      {scanned && <QrDialog code={scanned} onClose={() => setScanned(undefined)} />}
    </ListPage>
  );
}

function codeFilters(t: TFunction): readonly FilterRow<UrlStateOf<'/admin/coupons'>>[] {
  return [
    searchRow(t, { placeholder: t('redemption.searchHint'), width: 260 }),
    {
      input: 'choice',
      field: 'state',
      label: t('common.status'),
      width: 130,
      values: REDEMPTION_STATES,
      text: (state) => t(`status.redemption.${state}`),
    },
    {
      input: 'choice',
      field: 'type',
      label: t('common.type'),
      width: 130,
      values: ['gift', 'plain'],
      text: (kind) => t(`redemption.${kind}`),
    },
  ];
}
