import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { SnippetTabs } from '../../components/content/SnippetTabs.tsx';
import { CopyButton } from '../../components/display/copy.tsx';
import { DetailDrawer } from '../../components/layout/DetailDrawer.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { useBaseUrl } from '../../lib/site/base-url.ts';
import { Calculator } from './Calculator.tsx';
import { BillingTag } from './columns.tsx';
import { GroupPrices } from './GroupPrices.tsx';
import { type ModelRow, OTHER } from './rows.ts';
import { snippetsFor } from './snippets.ts';
import type { Prices } from './usePrices.ts';

/** One model: price by group, its calculation, a cost calculator and code snippets. */
export function ModelDrawer({ prices }: { readonly prices: Prices }) {
  const { t } = useTranslation();
  const { state, set, rows, all, list } = prices;
  const row = all.find(({ entry }) => entry.model_name === state.model);
  return (
    <DetailDrawer
      id={list === undefined ? '' : state.model}
      onId={(model) => set({ model, with: [] }, { replace: model !== '' })}
      ids={rows.map(({ entry }) => entry.model_name)}
      title={state.model}
      width={720}
      actions={
        row && (
          <Button
            component={Link}
            to={`/playground?model=${encodeURIComponent(state.model)}`}
            leftSection={<IconMessageCircle size={16} />}
          >
            {t('pricing.try')}
          </Button>
        )
      }
    >
      {row ? (
        <Details key={state.model} row={row} prices={prices} />
      ) : (
        <Empty title={t('pricing.gone')} text={t('pricing.gone.text', { model: state.model })} />
      )}
    </DetailDrawer>
  );
}

function Details({ row, prices }: { readonly row: ModelRow; readonly prices: Prices }) {
  const { t } = useTranslation();
  const url = useBaseUrl();
  const { model_name: model } = row.entry;
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {model}
        </Text>
        <CopyButton text={model} label={t('pricing.copyModel', { model })} />
        <BillingTag row={row} />
        <Text size="sm" c="dimmed">
          {row.vendor === OTHER ? t('pricing.vendor.other') : row.vendor}
        </Text>
      </Group>
      <Section title={t('pricing.byGroup')}>
        <GroupPrices entry={row.entry} prices={prices} />
        <Explanation row={row} />
      </Section>
      {row.rates && (
        <Section title={t('pricing.calculator')}>
          <Calculator entry={row.entry} prices={prices} />
        </Section>
      )}
      <Section title={t('pricing.snippet')}>
        <SnippetTabs snippets={snippetsFor(url, model)} />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** The price broken down into its factors. */
function Explanation({ row: { entry, rates } }: { readonly row: ModelRow }) {
  const { t } = useTranslation();
  if (rates === undefined) return null;
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {rates.kind === 'per_call'
        ? t('pricing.explain.call', { price: entry.model_price })
        : t('pricing.explain.tokens', {
            model: entry.model_ratio,
            completion: entry.completion_ratio,
            cache: entry.cache_ratio,
            write: entry.cache_creation_ratio,
          })}
      {entry.unset === true && ` ${t('pricing.unset')}`}
    </Text>
  );
}
