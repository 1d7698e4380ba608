import { useTranslation } from 'react-i18next';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { Pager } from '../../components/data-table/Pager.tsx';
import { Empty, NoMatch } from '../../components/layout/list-states.tsx';
import { PAGE_SIZES, STORED, useStored } from '../../lib/browser/stored.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { useColumns } from './columns.tsx';
import { ModelCards } from './ModelCards.tsx';
import type { Prices } from './usePrices.ts';

interface ModelListProps {
  readonly prices: Prices;
  readonly chosen: ReadonlySet<string | number>;
  readonly onChosen: (models: ReadonlySet<string | number>) => void;
}

/** One page of models, as a table or as cards. */
export function ModelList({ prices, chosen, onChosen }: ModelListProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const { list, error, retry, state, set, reset, isNarrowed, rows } = prices;
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const page = Math.min(state.page, Math.max(1, Math.ceil(rows.length / pageSize)));
  const shown = rows.slice((page - 1) * pageSize, page * pageSize);
  const columns = useColumns(prices, shown);
  const paging = {
    page,
    pageSize,
    total: rows.length,
    onPage: (next: number) => set({ page: next }),
    onPageSize: (size: number) => {
      setPageSize(size);
      set({ page: 1 });
    },
  };
  if (state.view === 'cards' && !isPhone && shown.length > 0) {
    return (
      <>
        <ModelCards prices={prices} rows={shown} />
        {rows.length > PAGE_SIZES[0] && <Pager {...paging} />}
      </>
    );
  }
  return (
    <DataTable
      id="pricing"
      label={t('pricing.title')}
      rows={list && shown}
      error={error}
      onRetry={retry}
      rowId={({ entry }) => entry.model_name}
      columns={columns}
      paging={paging}
      sort={state.sort}
      onSort={(sort) => set({ sort, page: 1 })}
      selected={chosen}
      onSelect={onChosen}
      onRow={({ entry }) => set({ model: entry.model_name, with: [] })}
      isMuted={({ isUsable }) => !isUsable}
      isTight
      empty={
        isNarrowed ? (
          <NoMatch onClear={reset} />
        ) : (
          <Empty title={t('pricing.none')} text={t('pricing.none.text')} />
        )
      }
    />
  );
}
