import { Card, Skeleton, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { inputTokensOf } from '../../../../../src/domain/logs/claude-facts.ts';
import { LOG_TYPE, spendOf } from '../../../../../src/domain/logs/log-types.ts';
import { changeText, countText, quotaText } from '../../../../../src/domain/pricing/quota-text.ts';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { useQuotaStyle } from '../../../lib/pricing/quota-format.ts';
import { type LogEntry, sumLogs } from '../calls.ts';
import { factsOf } from '../facts.ts';
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
  const figures = [
    { key: sum, value: data && amount(data.quota), page: amount(page.quota) },
    // The rates of the last minute say little of one user.
    ...(isAdmin ? LAST_MINUTE : []).map((key) => ({
      key,
      value: data && countText(data[key]),
      page: undefined,
    })),
    {
      key: 'total',
      value: data && countText(data.token_total),
      page: countText(page.input + page.output),
    },
    {
      key: 'input',
      value: data && countText(data.token_input),
      page: countText(page.input),
    },
    {
      key: 'output',
      value: data && countText(data.token_output),
      page: countText(page.output),
    },
  ] as const;
  return (
    <Card component="dl" padding={0} className={classes.sums} aria-label={t('log.sums')}>
      {figures.map(({ key, value, page: ofPage }) => (
        <div key={key} className={classes.sum}>
          <Text component="dt" size="xs" c="dimmed">
            {t(`log.sum.${key}`)}
          </Text>
          <Tooltip
            label={
              ofPage === undefined ? t('log.sum.lastMinute') : t('log.sum.page', { value: ofPage })
            }
          >
            <Text component="dd" m={0} fw={600} fz={16}>
              {value ?? (sums.isError ? '-' : <Skeleton height={18} width={56} my={3} />)}
            </Text>
          </Tooltip>
        </div>
      ))}
    </Card>
  );
}

/** Sums like the server: net spend, or with a type filter the amounts of its entries. */
function pageSums(entries: readonly LogEntry[], isNet: boolean) {
  const amountOf = ({ type, quota }: LogEntry) => (isNet ? spendOf(type, quota) : quota);
  return {
    quota: entries.reduce((sum, entry) => sum + amountOf(entry), 0),
    input: entries.reduce((sum, entry) => sum + inputTokensOf(entry, factsOf(entry.other)), 0),
    output: entries.reduce((sum, entry) => sum + entry.completion_tokens, 0),
  };
}
