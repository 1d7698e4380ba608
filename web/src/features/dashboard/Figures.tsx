import { Anchor, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { countText } from '../../../../src/domain/pricing/quota-text.ts';
import { StatCard } from '../../components/charts/StatCard.tsx';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { outlookQuery } from '../../lib/api/outlook.ts';
import { dashboardKeys } from '../../lib/api/query-keys.ts';
import { linkTo } from '../../lib/browser/page-links.ts';
import { useQuotaText } from '../../lib/pricing/quota-format.ts';
import { useUser } from '../../lib/session/session.ts';
import { durationText } from '../../lib/text/dates.ts';
import { changeOf } from './buckets.ts';
import { allChannels, type Overview, ownAccountQuery, readSums } from './calls.ts';
import { type DashboardQuery, logAddress } from './range.ts';

/** The user's balance; refetched with the rest of the page. */
export function useOwnBalance(refetchMs: number | false) {
  return useQuery({ ...ownAccountQuery, refetchInterval: refetchMs }).data?.quota;
}

interface FiguresProps {
  readonly filter: DashboardQuery;
  readonly overview: Overview | undefined;
  readonly balance: number | undefined;
  /** Loading failed: the cards show a dash. */
  readonly hasFailed: boolean;
  /** Whether to show changes from the previous period. */
  readonly compares: boolean;
  /** Of the whole site, for administrators. */
  readonly isSite: boolean;
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;

/**
 * Key figures in one row: spending, demand and health. The rates of the last minute say little of one
 * user. For administrators of the site four more, in two rows: cost, margin, the spend without a known
 * cost, which add up to the spend, and failing channels.
 */
export function Figures({ filter, overview, balance, hasFailed, compares, isSite }: FiguresProps) {
  const { t } = useTranslation();
  const quota = useQuotaText();
  const { totals, previous, series = [] } = overview ?? {};
  const shown = (value: ReactNode | undefined) => value ?? (hasFailed ? '-' : undefined);
  const change = (now: number | undefined, before: number | undefined) =>
    compares && now !== undefined && before !== undefined ? changeOf(now, before) : undefined;
  return (
    <SimpleGrid
      cols={filter.isAdmin ? { base: 2, xs: 4, lg: isSite ? 6 : 8 } : { base: 2, xs: 3, md: 6 }}
      spacing="sm"
      mb="sm"
    >
      <BalanceFigure balance={balance} />
      <StatCard
        title={t('dashboard.spend')}
        to={logAddress(filter)}
        value={shown(totals && <QuotaText units={totals.quota} />)}
        delta={change(totals?.quota, previous?.quota)}
        hint={hintOf(t('dashboard.before'), previous && quota(previous.quota))}
        trend={series.map((one) => one.quota)}
      />
      <StatCard
        title={t('dashboard.requests')}
        to={logAddress(filter, { type: '2' })}
        value={shown(totals && countText(totals.calls))}
        delta={change(totals?.calls, previous?.calls)}
        hint={hintOf(t('dashboard.before'), previous && countText(previous.calls))}
        trend={series.map((one) => one.calls)}
      />
      <StatCard
        title={t('dashboard.tokens')}
        to={logAddress(filter, { type: '2' })}
        value={shown(totals && countText(totals.tokens))}
        delta={change(totals?.tokens, previous?.tokens)}
        hint={hintOf(t('dashboard.before'), previous && countText(previous.tokens))}
        trend={series.map((one) => one.tokens)}
      />
      {filter.isAdmin && <LastMinute rates={overview} hasFailed={hasFailed} />}
      <StatCard
        title={t('dashboard.errors')}
        to={logAddress(filter, { type: '6' })}
        value={shown(totals && percent(totals.error_rate))}
        delta={change(totals?.error_rate, previous?.error_rate)}
        isBadWhenUp
        hint={t('dashboard.errors.hint')}
        trend={series.map((one) => one.error_rate)}
      />
      <StatCard
        title={t('dashboard.p95')}
        value={shown(
          overview && (overview.latency.p95 === null ? '-' : durationText(overview.latency.p95)),
        )}
        hint={t('dashboard.p95.hint')}
      />
      {isSite && (
        <>
          <CostFigures filter={filter} overview={overview} hasFailed={hasFailed} change={change} />
          <FailingChannels />
        </>
      )}
    </SimpleGrid>
  );
}

/** The own balance; its hint says how long it lasts at the recent rate. */
function BalanceFigure({ balance }: { readonly balance: number | undefined }) {
  const { t } = useTranslation();
  const days = useQuery(outlookQuery(useUser()?.id ?? 0)).data?.days_left;
  return (
    <StatCard
      title={t('dashboard.balance')}
      to="/app/wallet"
      value={balance === undefined ? undefined : <QuotaText units={balance} isPrivate />}
      {...(typeof days === 'number' && { hint: t('dashboard.lasts', { count: days }) })}
    />
  );
}

interface LastMinuteProps {
  readonly rates: { readonly rpm: number; readonly tpm: number } | undefined;
  readonly hasFailed?: boolean;
}

function LastMinute({ rates, hasFailed = false }: LastMinuteProps) {
  const { t } = useTranslation();
  return (
    <>
      {(['rpm', 'tpm'] as const).map((rate) => (
        <StatCard
          key={rate}
          title={t(`dashboard.${rate}`)}
          value={rates ? countText(rates[rate]) : hasFailed ? '-' : undefined}
          hint={t('dashboard.lastMinute')}
        />
      ))}
    </>
  );
}

interface CostFiguresProps {
  readonly filter: DashboardQuery;
  readonly overview: Overview | undefined;
  readonly hasFailed: boolean;
  readonly change: (now: number | undefined, before: number | undefined) => number | undefined;
}

/** What the upstreams charged and what remains, for administrators. */
function CostFigures({ filter, overview, hasFailed, change }: CostFiguresProps) {
  const { t } = useTranslation();
  const { totals, previous, series = [] } = overview ?? {};
  const costs = totals?.costs;
  const none = overview || hasFailed ? '-' : undefined;
  const spend = totals?.quota ?? 0;
  const costed = costs?.costed_quota ?? 0;
  return (
    <>
      <StatCard
        title={t('dashboard.cost')}
        to={costs && logAddress(filter)}
        value={costs ? <QuotaText units={costs.cost} /> : none}
        delta={change(costs?.cost, previous?.costs?.cost)}
        hint={t('dashboard.cost.hint', { share: shareText(costed, spend) })}
        trend={series.map((one) => one.costs?.cost ?? 0)}
      />
      <StatCard
        title={t('dashboard.margin')}
        to={costs && logAddress(filter)}
        value={costs ? <QuotaText units={costs.margin} /> : none}
        delta={change(costs?.margin, previous?.costs?.margin)}
        hint={t('dashboard.margin.hint', { share: shareText(costs?.margin ?? 0, costed) })}
        trend={series.map((one) => one.costs?.margin ?? 0)}
      />
      <StatCard
        title={t('dashboard.uncosted')}
        value={totals ? <QuotaText units={spend - costed} /> : none}
        hint={t('dashboard.uncosted.hint')}
      />
    </>
  );
}

/** How many enabled channels are failing; a press lists them. */
function FailingChannels() {
  const { t } = useTranslation();
  const { data, isError } = useQuery({
    queryKey: dashboardKeys.part('failing-channels'),
    queryFn: async ({ signal }) =>
      (await allChannels.list({ p: 1, page_size: 1, health: 'failing' }, { signal })).total,
  });
  const tone = data === undefined || data === 0 ? 'inherit' : 'var(--tone-red-text)';
  return (
    <StatCard
      title={t('dashboard.failing')}
      value={
        data === undefined ? (
          isError ? (
            '-'
          ) : undefined
        ) : (
          <Anchor
            component={Link}
            to={linkTo('/admin/channels', { status: 'failing' })}
            inherit
            c={tone}
          >
            {countText(data)}
          </Anchor>
        )
      }
      hint={t('dashboard.failing.hint')}
    />
  );
}

function shareText(part: number, whole: number): string {
  return whole <= 0 ? '-' : percent(part / whole);
}

function hintOf(name: string, value: string | undefined): string {
  return value === undefined ? name : `${name} ${value}`;
}

/** The figures available from the log alone, if the site does not collect dashboard statistics. */
export function LogFigures({ filter }: { readonly filter: DashboardQuery }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: dashboardKeys.part('sums', filter),
    queryFn: ({ signal }) => readSums(filter, signal),
    placeholderData: (before) => before,
  });
  const balance = useOwnBalance(false);
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, lg: 6 }} spacing="sm" mb="sm">
      <BalanceFigure balance={balance} />
      <StatCard
        title={t('dashboard.spend')}
        to={logAddress(filter)}
        value={data && <QuotaText units={data.quota} />}
      />
      <StatCard
        title={t('dashboard.requests')}
        to={logAddress(filter, { type: '2' })}
        value={data && countText(data.count)}
      />
      <StatCard
        title={t('dashboard.tokens')}
        to={logAddress(filter, { type: '2' })}
        value={data && countText(data.token_total)}
      />
      {filter.isAdmin && <LastMinute rates={data} />}
    </SimpleGrid>
  );
}
