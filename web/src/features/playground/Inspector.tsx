import { Drawer, Group, ScrollArea, Stack, Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { chargeOf } from '../../../../src/domain/pricing/charge.ts';
import { readOpenAiUsage, totalInput, totalOutput } from '../../../../src/domain/pricing/usage.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { CopyWideButton } from '../../components/display/copy.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Facts } from '../../components/display/Facts.tsx';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { Empty } from '../../components/layout/list-states.tsx';
import { useIsPhone } from '../../lib/display/screen.ts';
import { priceOf } from '../../lib/pricing/model-rates.ts';
import { useQuotaStyle } from '../../lib/pricing/quota-format.ts';
import { useBaseUrl } from '../../lib/site/base-url.ts';
import { durationText } from '../../lib/text/dates.ts';
import { chatCurl } from './chat/turns.ts';
import type { ChatExchange } from './chat/useChat.ts';
import classes from './Playground.module.css';
import { useModelPrices } from './settings/useModelPrices.ts';

interface InspectorProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The latest call. */
  readonly exchange: ChatExchange | undefined;
}

/** The request, raw response and usage of the latest answer. */
export function Inspector({ isOpen, onClose, exchange }: InspectorProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={isPhone ? '100%' : 560}
      title={t('playground.inspector')}
    >
      {exchange ? (
        <Views exchange={exchange} />
      ) : (
        <Empty title={t('playground.inspector.none')} text={t('playground.inspector.none.text')} />
      )}
    </Drawer>
  );
}

function Views({ exchange }: { readonly exchange: ChatExchange }) {
  const { t } = useTranslation();
  const url = useBaseUrl();
  const request = JSON.stringify(exchange.body, undefined, 2);
  return (
    <Tabs defaultValue="usage" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="usage">{t('playground.usage')}</Tabs.Tab>
        <Tabs.Tab value="request">{t('common.request')}</Tabs.Tab>
        <Tabs.Tab value="raw">{t('playground.raw')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="usage" pt="sm">
        <Figures exchange={exchange} />
      </Tabs.Panel>
      <Tabs.Panel value="request" pt="sm">
        <Stack gap="sm">
          <Group>
            <CopyWideButton size="xs" text={request}>
              {t('playground.copyJson')}
            </CopyWideButton>
            <CopyWideButton size="xs" text={chatCurl(url, exchange.body)}>
              {t('common.copyCurl')}
            </CopyWideButton>
          </Group>
          <Raw text={request} label={t('common.request')} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="raw" pt="sm">
        <Raw
          text={exchange.raw.map((data) => `data: ${data}`).join('\n\n')}
          label={t('playground.raw')}
        />
      </Tabs.Panel>
    </Tabs>
  );
}

function Raw({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <ScrollArea.Autosize
      mah="calc(100dvh - 200px)"
      className={classes.raw ?? ''}
      viewportProps={{ tabIndex: 0, 'aria-label': label }}
    >
      <pre>{text}</pre>
    </ScrollArea.Autosize>
  );
}

/**
 * Token counts from the response; the cost is computed from the price list, so the call's log entry
 * is authoritative.
 */
function Figures({ exchange }: { readonly exchange: ChatExchange }) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  const { entryOf, ratioOf } = useModelPrices();
  const { body, usage: reported, startMs, firstMs, endMs } = exchange;
  const isOver = endMs !== undefined;
  const usage = reported && readOpenAiUsage(reported);
  const entry = entryOf(body.model);
  const price = entry && priceOf(entry);
  const units =
    usage && price && chargeOf(price, ratioOf(body.group ?? ''), usage, quotaPerUnit).units;
  const seconds = (ms: number | undefined) => (ms === undefined ? '-' : durationText(ms));
  const generationMs = firstMs !== undefined && endMs !== undefined ? endMs - firstMs : 0;
  const facts = [
    [t('common.model'), body.model],
    [t('playground.fact.input'), usage ? numberText(totalInput(usage)) : '-'],
    [t('playground.fact.cached'), usage ? numberText(usage.cacheRead) : '-'],
    [t('playground.fact.output'), usage ? numberText(totalOutput(usage)) : '-'],
    [t('playground.fact.reasoning'), usage ? numberText(usage.reasoning) : '-'],
    [t('playground.fact.first'), seconds(firstMs === undefined ? undefined : firstMs - startMs)],
    [t('playground.fact.total'), seconds(endMs === undefined ? undefined : endMs - startMs)],
    [
      t('playground.fact.speed'),
      usage && generationMs > 0
        ? t('playground.speed', {
            count: Number(((totalOutput(usage) * 1000) / generationMs).toFixed(1)),
          })
        : '-',
    ],
    [t('common.cost'), units === undefined ? '-' : <QuotaText key="cost" units={units} />],
  ] as const;
  return (
    <>
      <Facts facts={facts} />
      <Dimmed mt="xs">
        {t(
          reported
            ? 'playground.cost.hint'
            : isOver
              ? 'playground.usage.none'
              : 'playground.waiting',
        )}
      </Dimmed>
    </>
  );
}
