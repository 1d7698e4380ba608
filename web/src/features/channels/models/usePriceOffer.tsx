import { Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { optionKeys, priceKeys } from '../../../lib/api/query-keys.ts';
import { channelModels, upstreamPrices } from '../calls.ts';

const MOST = 100;

/** Offers the prices that the upstream of a channel publishes of models without a price here. */
export function usePriceOffer() {
  const { t } = useTranslation();
  const take = useAction(upstreamPrices.apply, {
    touches: [optionKeys, priceKeys],
    done: (count) => t('channel.prices.taken', { count }),
  });
  // The list was read a moment ago, so a failure concerns nothing that the user asked for.
  const ask = useAction((id: number) => channelModels.prices({ id }), {
    onFailed: () => undefined,
    onDone: async ({ source, items }) => {
      if (items.length === 0) return;
      const isSure = await confirm({
        title: t('channel.prices.title'),
        text: (
          <Stack gap="xs">
            <Text>{t('channel.prices.text', { source, count: items.length })}</Text>
            <Prices items={items} />
          </Stack>
        ),
        verb: t('channel.prices.take', { count: items.length }),
      });
      if (isSure) take.mutate({ source, prices: items });
    },
  });
  return (id: number) => ask.mutate(id);
}

type Item = Awaited<ReturnType<typeof channelModels.prices>>['items'][number];

function Prices({ items }: { readonly items: readonly Item[] }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard
    <div style={{ maxHeight: 320, overflow: 'auto' }} tabIndex={0}>
      <Table fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('common.model')}</Table.Th>
            <Table.Th ta="end">{t('channel.prices.input')}</Table.Th>
            <Table.Th ta="end">{t('channel.prices.output')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.slice(0, MOST).map(({ model, rates }) => (
            <Table.Tr key={model}>
              <Table.Td ff="monospace">{model}</Table.Td>
              <Rates rates={rates} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** What a model is priced by instead of tokens; a price has one of them. */
const UNITS = ['call', 'second', 'character'] as const;

/** The cells of a price. */
function Rates({ rates }: Pick<Item, 'rates'>) {
  const { t } = useTranslation();
  const { input, output } = rates;
  if (input === undefined && output === undefined) {
    return (
      <Table.Td colSpan={2} ta="end">
        {UNITS.map(
          (kind) =>
            rates[kind] !== undefined &&
            t('part.named', { name: t(`rate.kind.${kind}`), value: rates[kind] }),
        )}
      </Table.Td>
    );
  }
  return (
    <>
      <Table.Td ff="monospace" ta="end">
        {input ?? '-'}
      </Table.Td>
      <Table.Td ff="monospace" ta="end">
        {output ?? '-'}
      </Table.Td>
    </>
  );
}
