import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { type Snippet, SnippetTabs } from '../../components/content/SnippetTabs.tsx';
import { CopyButton } from '../../components/display/copy.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { DetailDrawer } from '../../components/layout/DetailDrawer.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { linkTo } from '../../lib/browser/page-links.ts';
import { conditionText } from '../../lib/pricing/condition-text.ts';
import { variantRatesOf } from '../../lib/pricing/model-rates.ts';
import { useUser } from '../../lib/session/session.ts';
import { useBaseUrl } from '../../lib/site/base-url.ts';
import { Calculator } from './Calculator.tsx';
import { BillingTag } from './columns.tsx';
import { GroupPrices, type ModelPricesProps } from './GroupPrices.tsx';
import { ModelUse } from './ModelUse.tsx';
import { type ModelRow, OTHER_VENDOR } from './rows.ts';
import type { PricingState } from './usePricingPage.ts';

/** One model: price by group, its calculation, a cost calculator and code snippets. */
export function ModelDrawer({ prices }: { readonly prices: PricingState }) {
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
            to={linkTo('/playground', { model: state.model })}
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
        <Empty
          title={t('common.noSuchModel')}
          text={t('pricing.gone.text', { model: state.model })}
        />
      )}
    </DetailDrawer>
  );
}

function Details({ row, prices }: { readonly row: ModelRow; readonly prices: PricingState }) {
  const { t } = useTranslation();
  const url = useBaseUrl();
  const isSignedIn = useUser() !== undefined;
  const { model_name: model } = row.entry;
  return (
    <Stack gap="lg">
      <Group>
        <Text ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {model}
        </Text>
        <CopyButton text={model} label={t('pricing.copyModel', { model })} />
        <BillingTag row={row} />
        <Dimmed size="sm">
          {row.vendor === OTHER_VENDOR ? t('pricing.vendor.other') : row.vendor}
        </Dimmed>
      </Group>
      <Section title={t('pricing.byGroup')}>
        <GroupPrices entry={row.entry} prices={prices} />
        <Explanation row={row} />
      </Section>
      {row.entry.variants !== undefined && (
        <Section title={t('pricing.variants')}>
          <VariantRates entry={row.entry} prices={prices} />
        </Section>
      )}
      {isSignedIn && (
        <Section title={t('pricing.use')}>
          <ModelUse model={model} />
        </Section>
      )}
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

const VARIANT_KINDS = ['input', 'output', 'cache_read'] as const;

/** Rates of the chosen group for long prompts and service tiers. */
function VariantRates({ entry, prices }: ModelPricesProps) {
  const { t } = useTranslation();
  const { list, group, priceFormat } = prices;
  const unit = priceFormat.per;
  const titles = { input: 'input', output: 'output', cache_read: 'cacheRead' } as const;
  return (
    <Table fz="sm" verticalSpacing={6} aria-label={t('pricing.variants')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('pricing.variants.condition')}</Table.Th>
          {VARIANT_KINDS.map((kind) => (
            <Table.Th key={kind} ta="right">
              {t(`pricing.${titles[kind]}`, { unit })}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {variantRatesOf(entry, list?.group_ratio[group] ?? 1).map(({ when, rates }) => (
          <Table.Tr key={conditionText(t, when)}>
            <Table.Td>{conditionText(t, when)}</Table.Td>
            {VARIANT_KINDS.map((kind) => (
              <Table.Td key={kind} ta="right">
                {priceFormat.perTokens(rates[kind])}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The price broken down into its factors. */
function Explanation({ row: { entry, rates } }: { readonly row: ModelRow }) {
  const { t } = useTranslation();
  return (
    <Dimmed size="sm" mt="xs">
      {rates === undefined
        ? t('pricing.unset')
        : rates.kind === 'per_call'
          ? t('pricing.explain.call', { price: entry.model_price })
          : t('pricing.explain.tokens', {
              model: entry.model_ratio,
              completion: entry.completion_ratio,
              cache: entry.cache_ratio,
              write: entry.cache_creation_ratio,
            })}
    </Dimmed>
  );
}

/** Code for a first call of a model, with a placeholder for the key. */
function snippetsFor(url: string, model: string): readonly Snippet[] {
  return [
    {
      key: 'curl',
      name: 'curl',
      code: `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": ${JSON.stringify(model)},
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
    },
    {
      key: 'python',
      name: 'Python',
      code: `import os

from openai import OpenAI

client = OpenAI(base_url="${url}/v1", api_key=os.environ["API_KEY"])
answer = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
  ];
}
