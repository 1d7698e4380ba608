import { Anchor } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { countText } from '../../../../src/domain/pricing/quota-text.ts';
import { ChartCard } from '../../components/charts/ChartCard.tsx';
import { OTHER_COLOUR } from '../../components/charts/chart-data.ts';
import { useAxisQuotaText, useQuotaText } from '../../lib/pricing/quota-format.ts';
import { axisDurationText, durationText } from '../../lib/text/dates.ts';
import { bucketEnd, bucketStarts, modelSeries, stepPoints } from './buckets.ts';
import type { Overview, Usage } from './calls.ts';
import { type DashboardQuery, logAddress } from './range.ts';

/** The range the user dragged over, in epoch seconds. */
export type OnZoom = (startSec: number, endSec: number) => void;

interface UsageChartProps {
  readonly usage: UseQueryResult<readonly Usage[]>;
  readonly filter: DashboardQuery;
}

/** Spending by model over time. */
export function SpendChart({ usage, filter, onZoom }: UsageChartProps & { onZoom: OnZoom }) {
  const { t } = useTranslation();
  const quota = useQuotaText();
  const axisQuota = useAxisQuotaText();
  const starts = bucketStarts(filter.startSec, filter.endSec, filter.step);
  const made = usage.data && modelSeries(usage.data, starts, filter.step, t('dashboard.other'));
  const total = made?.sums.reduce((all, sum) => all + sum, 0) ?? 0;
  return (
    <ChartCard
      title={t('dashboard.spendByModel')}
      data={made && { kind: 'stacked-bars', points: made.points, series: made.series }}
      error={usage.error}
      onRetry={usage.refetch}
      height={280}
      format={axisQuota}
      summary={t('dashboard.spendByModel.summary', {
        total: quota(total),
        model: made?.series[0]?.name ?? '-',
      })}
      onZoom={(first, last) => {
        const from = starts[first];
        const to = starts[last];
        if (from !== undefined && to !== undefined) onZoom(from, bucketEnd(to, filter.step) - 1);
      }}
      tools={<LogLink to={logAddress(filter)} />}
    />
  );
}

interface OverviewChartProps {
  readonly query: UseQueryResult<Overview>;
  readonly filter: DashboardQuery;
}

function useSteps({ query, filter }: OverviewChartProps) {
  const overview = query.data;
  const card = { error: query.error, onRetry: query.refetch, height: 220 };
  return { overview, card, series: overview?.series ?? [], step: filter.step };
}

export function RequestsChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const { overview, card, series, step } = useSteps(props);
  const points = stepPoints(series, step, { calls: (at) => at.calls, errors: (at) => at.errors });
  return (
    <ChartCard
      {...card}
      title={t('dashboard.requestsAndErrors')}
      data={
        overview && {
          kind: 'stacked-bars',
          points,
          series: [
            { key: 'calls', name: t('dashboard.requests'), colour: 'var(--series-5)' },
            { key: 'errors', name: t('dashboard.errors.count'), colour: 'var(--series-4)' },
          ],
        }
      }
      format={countText}
      summary={t('dashboard.requestsAndErrors.summary', {
        calls: overview?.totals.calls ?? 0,
        errors: overview?.totals.errors ?? 0,
      })}
      tools={<LogLink to={logAddress(props.filter, { type: '2' })} />}
    />
  );
}

export function TokensChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const { overview, card, series, step } = useSteps(props);
  const points = stepPoints(series, step, {
    input: (at) => at.prompt_tokens - at.cache_tokens,
    cache: (at) => at.cache_tokens,
    output: (at) => at.completion_tokens,
  });
  return (
    <ChartCard
      {...card}
      title={t('dashboard.tokensByKind')}
      data={
        overview && {
          kind: 'areas',
          points,
          series: [
            { key: 'input', name: t('dashboard.tokens.input'), colour: 'var(--series-1)' },
            { key: 'cache', name: t('dashboard.tokens.cache'), colour: 'var(--series-2)' },
            { key: 'output', name: t('dashboard.tokens.output'), colour: 'var(--series-3)' },
          ],
        }
      }
      format={countText}
      summary={t('dashboard.tokensByKind.summary', {
        input: countText(overview?.totals.prompt_tokens ?? 0),
        output: countText(overview?.totals.completion_tokens ?? 0),
      })}
    />
  );
}

export function LatencyChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const { overview, card, series, step } = useSteps(props);
  const points = stepPoints(series, step, {
    p50: (at) => at.latency.p50,
    p95: (at) => at.latency.p95,
    p99: (at) => at.latency.p99,
    first: (at) => at.first_token.p50,
  });
  const ms = (value: number | null | undefined) =>
    value === null || value === undefined ? '-' : durationText(value);
  return (
    <ChartCard
      {...card}
      title={t('dashboard.latency')}
      data={
        overview && {
          kind: 'lines',
          points,
          series: [
            { key: 'p50', name: 'p50', colour: 'var(--series-2)' },
            { key: 'p95', name: 'p95', colour: 'var(--series-3)' },
            { key: 'p99', name: 'p99', colour: 'var(--series-4)' },
            { key: 'first', name: t('dashboard.latency.first'), colour: 'var(--series-1)' },
          ],
        }
      }
      format={axisDurationText}
      summary={t('dashboard.latency.summary', {
        p50: ms(overview?.latency.p50),
        p95: ms(overview?.latency.p95),
      })}
    />
  );
}

/** What was charged, what the upstreams charged, and the margin, of calls whose cost is known. */
export function MarginChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const quota = useQuotaText();
  const axisQuota = useAxisQuotaText();
  const { overview, card, series, step } = useSteps(props);
  const points = stepPoints(series, step, {
    charged: (at) => at.costs?.costed_quota ?? 0,
    cost: (at) => at.costs?.cost ?? 0,
    margin: (at) => at.costs?.margin ?? 0,
  });
  return (
    <ChartCard
      {...card}
      title={t('dashboard.costAndMargin')}
      data={
        overview && {
          kind: 'lines',
          points,
          series: [
            { key: 'charged', name: t('dashboard.charged'), colour: 'var(--series-5)' },
            { key: 'cost', name: t('dashboard.cost'), colour: 'var(--series-3)' },
            { key: 'margin', name: t('dashboard.margin'), colour: 'var(--series-2)' },
          ],
        }
      }
      format={axisQuota}
      summary={t('dashboard.costAndMargin.summary', {
        cost: quota(overview?.totals.costs?.cost ?? 0),
        margin: quota(overview?.totals.costs?.margin ?? 0),
      })}
    />
  );
}

const CLASS_COLOURS: Record<Overview['error_classes'][number]['class'], string> = {
  upstream: 'var(--series-4)',
  rate_limit: 'var(--series-3)',
  timeout: 'var(--series-7)',
  auth: 'var(--series-8)',
  request: 'var(--series-5)',
  other: OTHER_COLOUR,
};

/** Failed attempts by error. */
export function ErrorsChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const { overview, card } = useSteps(props);
  const classes = [...(overview?.error_classes ?? [])]
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return (
    <ChartCard
      {...card}
      title={t('dashboard.errorClasses')}
      data={
        overview && {
          kind: 'donut',
          slices: classes.map(({ class: name, count }) => ({
            name: t(`dashboard.error.${name}`),
            value: count,
            colour: CLASS_COLOURS[name],
          })),
        }
      }
      format={countText}
      summary={t('dashboard.errorClasses.summary', { count: overview?.totals.errors ?? 0 })}
      tools={<LogLink to={logAddress(props.filter, { type: String(LOG_TYPE.error) })} />}
    />
  );
}

/** A link from a chart to its log entries. */
function LogLink({ to }: { readonly to: string }) {
  const { t } = useTranslation();
  return (
    <Anchor component={Link} to={to} size="xs" style={{ whiteSpace: 'nowrap' }}>
      {t('dashboard.toLogs')}
    </Anchor>
  );
}
