import { Anchor } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { countText } from '../../../../src/domain/pricing/quota-text.ts';
import { ChartCard } from '../../components/charts/ChartCard.tsx';
import { OTHER_COLOUR } from '../../components/charts/chart-data.ts';
import { useAxisQuotaText, useQuotaText } from '../../lib/pricing/quota-format.ts';
import { axisDurationText, durationText } from '../../lib/text/dates.ts';
import { bucketEnd, bucketStarts, modelSeries, type StepFigures, stepPoints } from './buckets.ts';
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

interface StepSeries {
  readonly name: string;
  /** The number of the series' colour. */
  readonly colour: 1 | 2 | 3 | 4 | 5;
  readonly figure: (step: StepFigures) => number | null;
}

interface StepChartProps
  extends OverviewChartProps,
    Pick<ComponentProps<typeof ChartCard>, 'title' | 'format' | 'summary' | 'tools'> {
  readonly kind: 'stacked-bars' | 'areas' | 'lines';
  readonly series: readonly StepSeries[];
}

/** Figures of the overview, one point per step. */
function StepChart({ query, filter, kind, series, ...card }: StepChartProps) {
  const keyed = series.map(({ name, colour, figure }, index) => ({
    key: `figure${index}`,
    name,
    colour: `var(--series-${colour})`,
    figure,
  }));
  const figures = Object.fromEntries(keyed.map(({ key, figure }) => [key, figure]));
  const points = stepPoints(query.data?.series ?? [], filter.step, figures);
  return (
    <ChartCard {...card} {...cardOf(query)} data={query.data && { kind, points, series: keyed }} />
  );
}

function cardOf({ error, refetch }: UseQueryResult<Overview>) {
  return { error, onRetry: refetch, height: 220 };
}

export function RequestsChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const { calls = 0, errors = 0 } = props.query.data?.totals ?? {};
  return (
    <StepChart
      {...props}
      title={t('dashboard.requestsAndErrors')}
      kind="stacked-bars"
      series={[
        { name: t('dashboard.requests'), colour: 5, figure: (step) => step.calls },
        { name: t('dashboard.errors.count'), colour: 4, figure: (step) => step.errors },
      ]}
      format={countText}
      summary={t('dashboard.requestsAndErrors.summary', { calls, errors })}
      tools={<LogLink to={logAddress(props.filter, { type: '2' })} />}
    />
  );
}

export function TokensChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const { prompt_tokens = 0, completion_tokens = 0 } = props.query.data?.totals ?? {};
  const uncached = (step: StepFigures) => step.prompt_tokens - step.cache_tokens;
  return (
    <StepChart
      {...props}
      title={t('dashboard.tokensByKind')}
      kind="areas"
      series={[
        { name: t('dashboard.tokens.input'), colour: 1, figure: uncached },
        { name: t('dashboard.tokens.cache'), colour: 2, figure: (step) => step.cache_tokens },
        { name: t('dashboard.tokens.output'), colour: 3, figure: (step) => step.completion_tokens },
      ]}
      format={countText}
      summary={t('dashboard.tokensByKind.summary', {
        input: countText(prompt_tokens),
        output: countText(completion_tokens),
      })}
    />
  );
}

export function LatencyChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const { p50, p95 } = props.query.data?.latency ?? {};
  const ms = (value: number | null | undefined) =>
    value === null || value === undefined ? '-' : durationText(value);
  return (
    <StepChart
      {...props}
      title={t('dashboard.latency')}
      kind="lines"
      series={[
        { name: 'p50', colour: 2, figure: (step) => step.latency.p50 },
        { name: 'p95', colour: 3, figure: (step) => step.latency.p95 },
        { name: 'p99', colour: 4, figure: (step) => step.latency.p99 },
        { name: t('dashboard.latency.first'), colour: 1, figure: (step) => step.first_token.p50 },
      ]}
      format={axisDurationText}
      summary={t('dashboard.latency.summary', { p50: ms(p50), p95: ms(p95) })}
    />
  );
}

/** What was charged, what the upstreams charged, and the margin, of calls whose cost is known. */
export function MarginChart(props: OverviewChartProps) {
  const { t } = useTranslation();
  const quota = useQuotaText();
  const axisQuota = useAxisQuotaText();
  const { cost = 0, margin = 0 } = props.query.data?.totals.costs ?? {};
  const of = (kind: 'costed_quota' | 'cost' | 'margin') => (step: StepFigures) =>
    step.costs?.[kind] ?? 0;
  return (
    <StepChart
      {...props}
      title={t('dashboard.costAndMargin')}
      kind="lines"
      series={[
        { name: t('dashboard.charged'), colour: 5, figure: of('costed_quota') },
        { name: t('dashboard.cost'), colour: 3, figure: of('cost') },
        { name: t('dashboard.margin'), colour: 2, figure: of('margin') },
      ]}
      format={axisQuota}
      summary={t('dashboard.costAndMargin.summary', { cost: quota(cost), margin: quota(margin) })}
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
  const overview = props.query.data;
  const classes = [...(overview?.error_classes ?? [])]
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return (
    <ChartCard
      {...cardOf(props.query)}
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
