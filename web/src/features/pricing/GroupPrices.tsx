import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { RatioTag } from '../../components/display/tag-lists.tsx';
import { useIsPhone } from '../../lib/display/screen.ts';
import { ratesOf } from '../../lib/pricing/model-rates.ts';
import type { PriceEntry } from '../../lib/pricing/price-list.ts';
import { decimalsOf, padDecimals } from './figures.ts';
import { NamedRow } from './NamedRow.tsx';
import classes from './Pricing.module.css';
import { figureOf, type PriceFigure } from './rows.ts';
import type { PricingState } from './usePricingPage.ts';

export interface ModelPricesProps {
  readonly entry: PriceEntry;
  readonly prices: PricingState;
}

const TOKEN_FIGURES = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** The model's price in each of the user's groups; groups without the model are marked. */
export function GroupPrices({ entry, prices }: ModelPricesProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const { list, priceFormat } = prices;
  const unit = priceFormat.per;
  const figures: readonly PriceFigure[] = entry.quota_type === 1 ? ['call'] : TOKEN_FIGURES;
  const groups = Object.entries(list?.group_ratio ?? {}).map(([name, ratio]) => ({
    name,
    ratio,
    texts: figures.map((figure) => {
      const value = figureOf(ratesOf(entry, ratio), figure);
      if (value === undefined) return '-';
      return figure === 'call' ? priceFormat.perCall(value) : priceFormat.perTokens(value);
    }),
  }));
  const decimals = figures.map((_, index) =>
    Math.max(...groups.map(({ texts }) => decimalsOf(texts[index] ?? ''))),
  );
  return (
    <Table fz="sm" verticalSpacing={6} aria-label={t('pricing.byGroup')}>
      <Table.Thead>
        <Table.Tr>
          {!isPhone && <Table.Th>{t('common.group')}</Table.Th>}
          {figures.map((figure) => (
            <Table.Th key={figure} ta="right">
              {t(`pricing.${figure}`, { unit })}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {groups.map(({ name, ratio, texts }) => (
          <NamedRow
            key={name}
            name={<GroupName name={name} ratio={ratio} entry={entry} prices={prices} />}
            columns={figures.length}
          >
            {texts.map((text, index) => (
              <Table.Td key={figures[index]} ta="right">
                <span className={classes.figure}>{padDecimals(text, decimals[index] ?? 0)}</span>
              </Table.Td>
            ))}
          </NamedRow>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface GroupNameProps extends ModelPricesProps {
  readonly name: string;
  readonly ratio: number;
}

function GroupName({ name, ratio, entry, prices }: GroupNameProps) {
  const { t } = useTranslation();
  const description = prices.list?.usable_group[name];
  return (
    <>
      {name} <RatioTag ratio={ratio} />{' '}
      {!entry.enable_groups.includes(name) && <Tag>{t('pricing.notInGroup')}</Tag>}
      <Dimmed>{description !== name && description}</Dimmed>
    </>
  );
}
