import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { vendorOf } from '../../../../../src/domain/channels/model-vendors.ts';
import { priceText } from '../../../../../src/domain/pricing/quota-text.ts';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { chatModelsQuery } from '../../../lib/api/account.ts';
import { type Rates, ratesOf } from '../../../lib/pricing/model-rates.ts';
import { useUser } from '../../../lib/session/session.ts';
import { useModelPrices } from './useModelPrices.ts';

interface ModelSelectProps {
  readonly label?: string;
  readonly value: string;
  readonly group: string;
  readonly onChange: (model: string) => void;
}

const MAX_SHOWN = 100;

/** The models of the group that can chat, each with its vendor and its price in the group. */
export function ModelSelect({ label, value, group, onChange }: ModelSelectProps) {
  const { t } = useTranslation();
  const own = useUser()?.group ?? '';
  const { data: models, isError } = useQuery(chatModelsQuery(group, own));
  const { entryOf, ratioOf } = useModelPrices();
  const ratesFor = (model: string) => {
    const entry = entryOf(model);
    return entry && ratesOf(entry, ratioOf(group));
  };
  const ratesText = (rates: Rates | undefined) => {
    if (rates === undefined) return '';
    return rates.kind === 'per_call'
      ? t('playground.price.call', { usd: priceText(rates.call) })
      : t('playground.price.tokens', {
          input: priceText(rates.input),
          output: priceText(rates.output),
        });
  };
  const isUnknown = models !== undefined && !models.includes(value);
  return (
    <Select
      label={label ?? t('common.model')}
      description={ratesText(ratesFor(value)) || undefined}
      error={
        isError
          ? t('playground.models.failed')
          : isUnknown && t('playground.model.unknown', { model: value })
      }
      searchable
      limit={MAX_SHOWN}
      nothingFoundMessage={t('playground.model.none')}
      data={[...new Set([...(models ?? []), value])]}
      value={value}
      onChange={(next) => next !== null && onChange(next)}
      renderOption={({ option }) => (
        <div style={{ minWidth: 0 }}>
          <Text style={{ overflowWrap: 'anywhere' }}>{option.label}</Text>
          <Dimmed>
            {[vendorOf(option.value), ratesText(ratesFor(option.value))]
              .filter((part) => part !== '')
              .join(' · ')}
          </Dimmed>
        </div>
      )}
    />
  );
}
