import { Group, Table, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type PriceDetail, priceDetailOf } from '../../../../../src/domain/pricing/log-price.ts';
import { priceText, usdOf } from '../../../../../src/domain/pricing/quota-text.ts';
import { numberText } from '../../../../../src/domain/text/number-text.ts';
import { ratioText } from '../../../components/display/tag-lists.tsx';
import { conditionText } from '../../../lib/pricing/condition-text.ts';
import { useQuotaStyle } from '../../../lib/pricing/quota-format.ts';
import type { LogEntry } from '../calls.ts';

/** How an entry's cost was computed; nothing for an entry without a price. */
export function PriceTable({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  const detail = priceDetailOf(entry, entry.facts, quotaPerUnit);
  if (detail === undefined) return null;
  const isPerCall = detail.price.kind === 'per_call';
  return (
    <>
      <Table fz="sm" verticalSpacing={4} horizontalSpacing={6} aria-label={t('log.price')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('log.price.kind')}</Table.Th>
            <Table.Th ta="right">{t(isPerCall ? 'log.price.calls' : 'log.price.tokens')}</Table.Th>
            <Table.Th ta="right">
              {t(isPerCall ? 'log.price.perCall' : 'log.price.perMillion')}
            </Table.Th>
            <Table.Th ta="right">{t('log.cost')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {detail.lines.map(({ kind, tokens, usdEach, usd }) => (
            <Table.Tr key={`${kind} ${usdEach}`}>
              <Table.Td>{t(`log.price.kind.${kind}`)}</Table.Td>
              <Table.Td ta="right">{numberText(tokens)}</Table.Td>
              <Table.Td ta="right">{priceText(usdEach)}</Table.Td>
              <Table.Td ta="right">{priceText(usd)}</Table.Td>
            </Table.Tr>
          ))}
          <Totals entry={entry} detail={detail} />
        </Table.Tbody>
      </Table>
      <ChargeCheck entry={entry} detail={detail} />
    </>
  );
}

interface DetailProps {
  readonly entry: LogEntry;
  readonly detail: PriceDetail;
}

function Totals({ entry, detail }: DetailProps) {
  const { t } = useTranslation();
  return (
    <>
      {detail.conditions.length > 0 && (
        <Table.Tr>
          <Table.Td colSpan={4} c="dimmed">
            {t('log.price.conditions', {
              conditions: detail.conditions.map((when) => conditionText(t, when)),
            })}
          </Table.Td>
        </Table.Tr>
      )}
      <Table.Tr>
        <Table.Td colSpan={3}>
          {t(detail.isUserRatio ? 'log.price.userRatio' : 'log.price.groupRatio')}
        </Table.Td>
        <Table.Td ta="right">{ratioText(detail.groupRatio)}</Table.Td>
      </Table.Tr>
      {detail.usdSaved > 0 && (
        <Table.Tr>
          <Table.Td colSpan={3}>{t('log.price.saved')}</Table.Td>
          <Table.Td ta="right" c="var(--tone-green-text)">
            {priceText(detail.usdSaved)}
          </Table.Td>
        </Table.Tr>
      )}
      <Table.Tr fw={600}>
        <Table.Td colSpan={2}>{t('common.total')}</Table.Td>
        <Table.Td ta="right" fw={400} c="dimmed">
          {t('log.price.units', { count: entry.quota })}
        </Table.Td>
        <Table.Td ta="right">{priceText(detail.usd)}</Table.Td>
      </Table.Tr>
      {typeof entry.cost === 'number' && <CostRows charge={entry.quota} cost={entry.cost} />}
    </>
  );
}

/** For administrators: what the upstream charged and what remains of the charge. */
function CostRows({ charge, cost }: { readonly charge: number; readonly cost: number }) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  return (
    <>
      <Table.Tr>
        <Table.Td colSpan={3}>{t('log.price.upstream')}</Table.Td>
        <Table.Td ta="right">{priceText(usdOf(cost, quotaPerUnit))}</Table.Td>
      </Table.Tr>
      <Table.Tr>
        <Table.Td colSpan={3}>{t('log.price.margin')}</Table.Td>
        <Table.Td ta="right">{priceText(usdOf(charge - cost, quotaPerUnit))}</Table.Td>
      </Table.Tr>
    </>
  );
}

/** Whether the computed price matches the charge; the charge is authoritative. */
function ChargeCheck({ entry, detail }: DetailProps) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  const isFine = detail.isAsCharged;
  const Icon = isFine ? IconCircleCheck : IconAlertTriangle;
  return (
    <Group gap={6} mt={6} wrap="nowrap" c={`var(--tone-${isFine ? 'green' : 'orange'}-text)`}>
      <Icon size={16} aria-hidden style={{ flex: 'none' }} />
      <Text>
        {isFine ? t('log.price.asCharged') : t('log.price.differs', { count: detail.units })}{' '}
        {priceText(usdOf(entry.quota, quotaPerUnit))}
      </Text>
    </Group>
  );
}
