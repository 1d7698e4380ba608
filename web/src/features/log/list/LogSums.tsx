import { Card, Skeleton, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { spendOf } from '../../../../../src/domain/logs/log-types.ts';
import { countText } from '../../../../../src/domain/pricing/quota-text.ts';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { type LogEntry, sumLogs } from '../calls.ts';
import classes from '../Log.module.css';
import { filterOf, type LogChoice } from './log-filter.ts';

interface LogSumsProps {
  readonly choice: LogChoice;
  readonly isAdmin: boolean;
  /** The entries of the page, whose sums are in the tooltips. */
  readonly entries: readonly LogEntry[];
  readonly refetchMs: number | false;
}

/** The server's sums over the whole filter. */
export function LogSums({ choice, isAdmin, entries, refetchMs }: LogSumsProps) {
  const { t } = useTranslation();
  const quota = useQuotaText();
  const sums = useQuery({
    queryKey: logKeys.part('sums', { choice, isAdmin }),
    queryFn: ({ signal }) =>
      sumLogs(isAdmin, filterOf(choice, isAdmin, (Date.now() / 1000) | 0), signal),
    placeholderData: (before) => before,
    refetchInterval: refetchMs,
  });
  const { data } = sums;
  const page = pageSums(entries, choice.type !== undefined && choice.type !== 0);
  const figures = [
    { key: 'quota', value: data && quota(data.quota), page: quota(page.quota) },
    { key: 'rpm', value: data && countText(data.rpm), page: undefined },
    { key: 'tpm', value: data && countText(data.tpm), page: undefined },
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
function pageSums(entries: readonly LogEntry[], isOfOneType: boolean) {
  const amountOf = ({ type, quota }: LogEntry) => (isOfOneType ? quota : spendOf(type, quota));
  return {
    quota: entries.reduce((sum, entry) => sum + amountOf(entry), 0),
    input: entries.reduce((sum, entry) => sum + entry.prompt_tokens, 0),
    output: entries.reduce((sum, entry) => sum + entry.completion_tokens, 0),
  };
}
