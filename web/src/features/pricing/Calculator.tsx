import { MultiSelect, NumberInput, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { useIsPhone } from '../../lib/display/screen.ts';
import { DAYS_PER_MONTH, estimateOf, type Workload } from '../../lib/pricing/model-rates.ts';
import type { PriceEntry } from '../../lib/pricing/price-list.ts';
import { figureText } from './figures.ts';
import { NamedRow } from './NamedRow.tsx';
import type { PricingState } from './usePricingPage.ts';

export const MAX_COMPARED = 4;

const USUAL: Workload = { prompt: 1000, cached: 0, completion: 500, callsPerDay: 100 };
const FIELDS = ['prompt', 'cached', 'completion', 'callsPerDay'] as const;
const MOST = 1_000_000_000;

interface CalculatorProps {
  readonly entry: PriceEntry;
  readonly prices: PricingState;
}

/** The cost of a workload in the chosen group, compared with up to three other models. */
export function Calculator({ entry, prices }: CalculatorProps) {
  const { t } = useTranslation();
  const [work, setWork] = useState(USUAL);
  const { all, state, set } = prices;
  const names = all.map((row) => row.entry.model_name);
  const others = state.with
    .filter((name) => name !== entry.model_name && names.includes(name))
    .slice(0, MAX_COMPARED - 1);
  const compared = [entry, ...others.flatMap((name) => all.find(isNamed(name))?.entry ?? [])];
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
        {FIELDS.map((name) => (
          <NumberInput
            key={name}
            label={t(`pricing.calc.${name}`)}
            min={0}
            max={MOST}
            allowNegative={false}
            thousandSeparator=","
            value={work[name]}
            onChange={(value) => setWork({ ...work, [name]: Number(value) || 0 })}
          />
        ))}
      </SimpleGrid>
      {work.cached > work.prompt && (
        <Text c="var(--tone-orange-text)">{t('pricing.calc.tooManyCached')}</Text>
      )}
      <MultiSelect
        label={t('pricing.calc.with')}
        placeholder={others.length < MAX_COMPARED - 1 ? t('pricing.calc.add') : ''}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('part.bulk.clear') }}
        limit={50}
        maxValues={MAX_COMPARED - 1}
        hidePickedOptions
        data={names.filter((name) => name !== entry.model_name)}
        value={others}
        onChange={(next) => set({ with: next }, { replace: true })}
      />
      <Estimates entries={compared} work={work} prices={prices} />
    </Stack>
  );
}

function isNamed(name: string) {
  return (row: { readonly entry: PriceEntry }) => row.entry.model_name === name;
}

/** For a call, a day and a month. */
const FIGURES = 3;

interface EstimatesProps {
  readonly entries: readonly PriceEntry[];
  readonly work: Workload;
  readonly prices: PricingState;
}

function Estimates({ entries, work, prices: { list, group, priceFormat } }: EstimatesProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const ratio = list?.group_ratio[group] ?? 1;
  const { style } = priceFormat;
  return (
    <>
      <Table fz="sm" verticalSpacing={6} aria-label={t('pricing.calculator')}>
        <Table.Thead>
          <Table.Tr>
            {!isPhone && <Table.Th>{t('common.model')}</Table.Th>}
            <Table.Th ta="right">{t('pricing.calc.perCall')}</Table.Th>
            <Table.Th ta="right">{t('pricing.calc.perDay')}</Table.Th>
            <Table.Th ta="right">{t('pricing.calc.perMonth')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => {
            const estimate = estimateOf(entry, ratio, work, style.quotaPerUnit);
            const cells = estimate && [estimate.perCall, estimate.perDay, estimate.perMonth];
            return (
              <NamedRow key={entry.model_name} name={entry.model_name} columns={FIGURES}>
                {cells?.map((usd, index) => (
                  <Table.Td key={`${index} of three`} ta="right">
                    {figureText(Number(usd.toPrecision(8)), style)}
                  </Table.Td>
                )) ?? (
                  <Table.Td colSpan={FIGURES} ta="right">
                    {t('pricing.unpriced')}
                  </Table.Td>
                )}
              </NamedRow>
            );
          })}
        </Table.Tbody>
      </Table>
      <Dimmed>{t('pricing.calc.note', { group, days: DAYS_PER_MONTH })}</Dimmed>
    </>
  );
}
