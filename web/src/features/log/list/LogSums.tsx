import { Card, Skeleton, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { inputTokensOf } from '../../../../../src/domain/logs/claude-facts.ts';
import { LOG_TYPE, spentUnits } from '../../../../../src/domain/logs/log-types.ts';
import { changeText, countText, quotaText } from '../../../../../src/domain/pricing/quota-text.ts';
import { BalanceChange } from '../../../components/display/BalanceChange.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { EntriesLink } from '../../../components/display/EntriesLink.tsx';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { useQuotaStyle } from '../../../lib/pricing/quota-format.ts';
import { type LogEntry, sumLogs } from '../calls.ts';
import classes from '../Log.module.css';
import { filterOf, type LogChoice, SPEND } from './log-filter.ts';

/** What the sum is by the type filter; of other types it is the signed change of balances. */
const SUMS: Readonly<Record<string, 'spend' | 'charges' | 'refunds'>> = {
  '': 'spend',
  [SPEND]: 'spend',
  [LOG_TYPE.consume]: 'charges',
  [LOG_TYPE.refund]: 'refunds',
};

interface LogSumsProps {
  readonly choice: LogChoice;
  readonly isAdmin: boolean;
  /** The entries of the page, whose sums are in the tooltips. */
  readonly entries: readonly LogEntry[];
  readonly refetchMs: number | false;
}

const LAST_MINUTE = ['rpm', 'tpm'] as const;
/** Of the calls whose cost is known; the server tells administrators only. */
const COSTS = ['cost', 'margin'] as const;

/** The server's sums over the whole filter. */
export function LogSums({ choice, isAdmin, entries, refetchMs }: LogSumsProps) {
  const { t } = useTranslation();
  const style = useQuotaStyle();
  const sums = useQuery({
    queryKey: logKeys.part('sums', { choice, isAdmin }),
    queryFn: ({ signal }) =>
      sumLogs(isAdmin, filterOf(choice, isAdmin, (Date.now() / 1000) | 0), signal),
    placeholderData: (before) => before,
    refetchInterval: refetchMs,
  });
  const { data } = sums;
  const sum = SUMS[choice.type] ?? 'changes';
  const amount = (units: number) =>
    sum === 'changes' ? changeText(units, style) : quotaText(units, style);
  const page = pageSums(entries, sum === 'spend');
  const ofPage = (value: string) => t('log.sum.page', { value });
  const figures = [
    { key: sum, value: data && amount(data.quota), hint: ofPage(amount(page.quota)) },
    // Also if the cost of no call is known: the list below must not move once the sums arrive.
    ...(isAdmin ? COSTS : []).map((key) => ({
      key,
      value: data && (data.costs ? quotaText(data.costs[key], style) : '-'),
      hint: t('log.sum.knownCost'),
    })),
    // The rates of the last minute say little of one user.
    ...(isAdmin ? LAST_MINUTE : []).map((key) => ({
      key,
      value: data && countText(data[key]),
      hint: t('log.sum.lastMinute'),
    })),
    {
      key: 'total',
      value: data && countText(data.token_total),
      hint: ofPage(countText(page.input + page.output)),
    },
    {
      key: 'input',
      value: data && countText(data.token_input),
      hint: ofPage(countText(page.input)),
    },
    {
      key: 'output',
      value: data && countText(data.token_output),
      hint: ofPage(countText(page.output)),
    },
  ] as const;
  return (
    <Card component="dl" padding={0} className={classes.sums} aria-label={t('log.sums')}>
      {figures.map(({ key, value, hint }) => (
        <div key={key} className={classes.sum}>
          <Dimmed component="dt">{t(`log.sum.${key}`)}</Dimmed>
          <Tooltip label={hint}>
            {/* Contains the margins of the skeleton, so that the value takes its place exactly. */}
            <Text size="md" component="dd" m={0} fw={600} fz={16} display="flow-root">
              {value ?? (sums.isError ? '-' : <Skeleton height={18} width={56} my={3} />)}
            </Text>
          </Tooltip>
          {key === 'spend' && data !== undefined && data.refunds > 0 && (
            <SpendParts choice={choice} sums={data} />
          )}
        </div>
      ))}
    </Card>
  );
}

interface SpendPartsProps {
  readonly choice: LogChoice;
  readonly sums: { readonly quota: number; readonly refunds: number };
}

/** The charges and the refunds of a net spend; each leads to its entries. */
function SpendParts({ choice, sums: { quota, refunds } }: SpendPartsProps) {
  return (
    <Text component="dd" m={0} size="xs">
      <EntriesLink {...choice} type={String(LOG_TYPE.consume)}>
        <BalanceChange kind="charge" units={-(quota + refunds)} />
      </EntriesLink>{' '}
      <EntriesLink {...choice} type={String(LOG_TYPE.refund)}>
        <BalanceChange kind="refund" units={refunds} />
      </EntriesLink>
    </Text>
  );
}

/** Sums like the server: net spend, or with a type filter the amounts of its entries. */
function pageSums(entries: readonly LogEntry[], isNet: boolean) {
  const amountOf = ({ type, quota }: LogEntry) => (isNet ? spentUnits(type, quota) : quota);
  return {
    quota: entries.reduce((sum, entry) => sum + amountOf(entry), 0),
    input: entries.reduce((sum, entry) => sum + inputTokensOf(entry, entry.facts), 0),
    output: entries.reduce((sum, entry) => sum + entry.completion_tokens, 0),
  };
}
