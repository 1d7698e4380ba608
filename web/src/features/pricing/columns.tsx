import { Group, Tooltip } from '@mantine/core';
import { IconCircleCheck, IconCircleMinus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../components/data-table/columns.ts';
import { CopyButton } from '../../components/display/copy.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { useIsPhone } from '../../lib/display/screen.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { decimalsOf, padDecimals } from './figures.ts';
import { GroupChips } from './GroupChips.tsx';
import classes from './Pricing.module.css';
import { billingOf, figureOf, type ModelRow, type PriceFigure } from './rows.ts';
import type { PricingState } from './usePricingPage.ts';

/** @param shown the rows of this page, whose decimal points are padded. */
export function usePriceColumns(
  prices: PricingState,
  shown: readonly ModelRow[],
): readonly Column<ModelRow>[] {
  const { t } = useTranslation();
  const money = (key: PriceFigure, title: string) => moneyColumn(prices, shown, key, title);
  const unit = prices.priceFormat.per;
  const isAdmin = useIsAdmin();
  return [
    {
      key: 'usable',
      title: t('pricing.usable'),
      width: 64,
      align: 'center',
      card: 'status',
      render: (row) => <UsableMark group={prices.group} isUsable={row.isUsable} />,
    },
    {
      key: 'model',
      title: t('common.model'),
      width: 190,
      isWide: true,
      isFixed: true,
      isSortable: true,
      card: 'title',
      render: ({ entry }) => <ModelName model={entry.model_name} />,
    },
    {
      key: 'billing',
      title: t('pricing.billing'),
      width: 96,
      render: (row) => <BillingTag row={row} />,
    },
    {
      key: 'groups',
      title: t('common.groups'),
      width: 224,
      isWide: true,
      priority: 2,
      card: 'none',
      render: ({ entry }) => <GroupChips groups={entry.enable_groups} prices={prices} most={2} />,
    },
    {
      key: 'ratios',
      title: t('pricing.ratios'),
      width: 112,
      priority: 1,
      card: 'none',
      startsHidden: !isAdmin,
      render: ({ entry, rates }) =>
        rates?.kind === 'per_token' ? (
          <Dimmed className={classes.ratios}>
            {t('pricing.ratios.text', {
              model: short(entry.model_ratio),
              completion: short(entry.completion_ratio),
              group: short(prices.list?.group_ratio[prices.group] ?? 1),
            })}
          </Dimmed>
        ) : null,
    },
    money('input', t('pricing.input', { unit })),
    money('output', t('pricing.output', { unit })),
    { ...money('cacheRead', t('pricing.cacheRead', { unit })), startsHidden: true },
    money('call', t('pricing.call')),
  ];
}

function short(ratio: number): string {
  return String(Number(ratio.toFixed(4)));
}

function moneyColumn(
  { priceFormat }: PricingState,
  shown: readonly ModelRow[],
  key: PriceFigure,
  title: string,
): Column<ModelRow> {
  const write = key === 'call' ? priceFormat.perCall : priceFormat.perTokens;
  const textOf = ({ rates }: ModelRow) => {
    const value = figureOf(rates, key);
    return value === undefined ? undefined : write(value);
  };
  const decimals = Math.max(0, ...shown.map((row) => decimalsOf(textOf(row) ?? '')));
  return {
    key,
    title,
    width: 112,
    align: 'right',
    isSortable: key !== 'cacheRead',
    render: (row) => {
      const text = textOf(row);
      return text === undefined ? null : (
        <span className={classes.figure}>{padDecimals(text, decimals)}</span>
      );
    },
  };
}

/** On a phone's card the name opens the drawer, which has the copy button. */
function ModelName({ model }: { readonly model: string }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <span className={classes.model} title={model}>
        {model}
      </span>
      {!isPhone && <CopyButton text={model} label={t('pricing.copyModel', { model })} />}
    </Group>
  );
}

/** Whether the chosen group may call the model. */
export function UsableMark({
  group,
  isUsable,
}: {
  readonly group: string;
  readonly isUsable: boolean;
}) {
  const { t } = useTranslation();
  const label = t(isUsable ? 'pricing.usable.yes' : 'pricing.usable.no', { group });
  const Icon = isUsable ? IconCircleCheck : IconCircleMinus;
  return (
    <Tooltip label={label}>
      <Icon
        size={18}
        role="img"
        aria-label={label}
        color={`var(--tone-${isUsable ? 'green' : 'grey'}-text)`}
      />
    </Tooltip>
  );
}

export function BillingTag({ row: { entry, rates } }: { readonly row: ModelRow }) {
  const { t } = useTranslation();
  if (rates === undefined)
    return (
      <Tag tone="orange" hint={t('pricing.unset')}>
        {t('pricing.unpriced')}
      </Tag>
    );
  const billing = billingOf(entry);
  return <Tag tone={billing === 'call' ? 'teal' : 'violet'}>{t(`pricing.billing.${billing}`)}</Tag>;
}
