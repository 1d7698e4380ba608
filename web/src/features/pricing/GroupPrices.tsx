import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Tag } from '../../components/display/Tag.tsx';
import { RatioTag } from '../../components/display/tag-lists.tsx';
import { ratesOf } from '../../lib/pricing/model-rates.ts';
import type { PriceEntry } from '../../lib/pricing/price-list.ts';
import { aligned, decimalsOf } from './figures.ts';
import classes from './Pricing.module.css';
import { type Figure, figureOf } from './rows.ts';
import type { Prices } from './usePrices.ts';

interface GroupPricesProps {
  readonly entry: PriceEntry;
  readonly prices: Prices;
}

const TOKEN_FIGURES = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** The model's price in each of the user's groups; groups without the model are marked. */
export function GroupPrices({ entry, prices }: GroupPricesProps) {
  const { t } = useTranslation();
  const { list, writing } = prices;
  const unit = t(`pricing.per.${writing.per}`);
  const figures: readonly Figure[] = entry.quota_type === 1 ? ['call'] : TOKEN_FIGURES;
  const groups = Object.entries(list?.group_ratio ?? {}).map(([name, ratio]) => ({
    name,
    ratio,
    texts: figures.map((figure) => {
      const value = figureOf(ratesOf(entry, ratio), figure);
      if (value === undefined) return '-';
      return figure === 'call' ? writing.perCall(value) : writing.perTokens(value);
    }),
  }));
  const decimals = figures.map((_, index) =>
    Math.max(...groups.map(({ texts }) => decimalsOf(texts[index] ?? ''))),
  );
  return (
    <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table fz="sm" verticalSpacing={6} aria-label={t('pricing.byGroup')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('pricing.group')}</Table.Th>
            {figures.map((figure) => (
              <Table.Th key={figure} ta="right">
                {t(`pricing.${figure}`, { unit })}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ name, ratio, texts }) => (
            <Table.Tr key={name}>
              <Table.Td miw={140}>
                {name} <RatioTag ratio={ratio} />{' '}
                {!entry.enable_groups.includes(name) && <Tag>{t('pricing.notInGroup')}</Tag>}
                <Text size="xs" c="dimmed">
                  {list?.usable_group[name] !== name && list?.usable_group[name]}
                </Text>
              </Table.Td>
              {texts.map((text, index) => (
                <Table.Td key={figures[index]} ta="right">
                  <span className={classes.figure}>{aligned(text, decimals[index] ?? 0)}</span>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
