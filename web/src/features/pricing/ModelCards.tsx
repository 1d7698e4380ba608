import { Card, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/display/copy.tsx';
import { BillingTag, UsableMark } from './columns.tsx';
import { GroupChips } from './GroupChips.tsx';
import classes from './Pricing.module.css';
import { type ModelRow, OTHER } from './rows.ts';
import type { Prices } from './usePrices.ts';

interface ModelCardsProps {
  readonly prices: Prices;
  readonly rows: readonly ModelRow[];
}

export function ModelCards({ prices, rows }: ModelCardsProps) {
  const { t } = useTranslation();
  return (
    <ul className={classes.cards} aria-label={t('pricing.title')}>
      {rows.map((row) => (
        <ModelCard key={row.entry.model_name} row={row} prices={prices} />
      ))}
    </ul>
  );
}

function ModelCard({ row, prices }: { readonly row: ModelRow; readonly prices: Prices }) {
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
        <Text size="xs" c="dimmed">
          {row.vendor === OTHER ? t('pricing.vendor.other') : row.vendor}
        </Text>
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
  readonly prices: Prices;
}) {
  const { t } = useTranslation();
  const { writing } = prices;
  const unit = t(`pricing.per.${writing.per}`);
  const lines =
    rates === undefined
      ? []
      : rates.kind === 'per_call'
        ? [{ name: t('pricing.call'), text: writing.perCall(rates.call) }]
        : [
            { name: t('pricing.input', { unit }), text: writing.perTokens(rates.input) },
            { name: t('pricing.output', { unit }), text: writing.perTokens(rates.output) },
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
