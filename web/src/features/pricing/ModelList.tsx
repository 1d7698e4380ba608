import { Card, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { Pager } from '../../components/data-table/Pager.tsx';
import { CopyButton } from '../../components/display/copy.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Empty, NoMatch } from '../../components/layout/list-states.tsx';
import { PAGE_SIZES, STORED, useStored } from '../../lib/browser/stored.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { BillingTag, UsableMark, usePriceColumns } from './columns.tsx';
import { GroupChips } from './GroupChips.tsx';
import classes from './Pricing.module.css';
import { type ModelRow, OTHER_VENDOR } from './rows.ts';
import type { PricingState } from './usePricingPage.ts';

interface ModelListProps {
  readonly prices: PricingState;
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
  const columns = usePriceColumns(prices, shown);
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

interface ModelCardsProps {
  readonly prices: PricingState;
  readonly rows: readonly ModelRow[];
}

function ModelCards({ prices, rows }: ModelCardsProps) {
  const { t } = useTranslation();
  return (
    <ul className={classes.cards} aria-label={t('pricing.title')}>
      {rows.map((row) => (
        <ModelCard key={row.entry.model_name} row={row} prices={prices} />
      ))}
    </ul>
  );
}

function ModelCard({ row, prices }: { readonly row: ModelRow; readonly prices: PricingState }) {
  const { t } = useTranslation();
  const { model_name: model, enable_groups: groups } = row.entry;
  return (
    <Card component="li" padding="sm">
      <Group gap={4} wrap="nowrap">
        <button
          type="button"
          className={classes.open}
          title={model}
          onClick={() => prices.set({ model, with: [] })}
        >
          {model}
        </button>
        <CopyButton text={model} label={t('pricing.copyModel', { model })} />
        <UsableMark group={prices.group} isUsable={row.isUsable} />
      </Group>
      <Group gap={6} mt={4}>
        <BillingTag row={row} />
        <Dimmed>{row.vendor === OTHER_VENDOR ? t('pricing.vendor.other') : row.vendor}</Dimmed>
      </Group>
      <CardPrices row={row} prices={prices} />
      <GroupChips groups={groups} prices={prices} />
    </Card>
  );
}

function CardPrices({
  row: { rates },
  prices,
}: {
  readonly row: ModelRow;
  readonly prices: PricingState;
}) {
  const { t } = useTranslation();
  const { priceFormat } = prices;
  const unit = t(`pricing.per.${priceFormat.per}`);
  const lines =
    rates === undefined
      ? []
      : rates.kind === 'per_call'
        ? [{ name: t('pricing.call'), text: priceFormat.perCall(rates.call) }]
        : [
            { name: t('pricing.input', { unit }), text: priceFormat.perTokens(rates.input) },
            { name: t('pricing.output', { unit }), text: priceFormat.perTokens(rates.output) },
          ];
  return (
    <dl className={classes.prices}>
      {lines.map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
