import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Notice } from '../../components/display/Notice.tsx';
import { Empty, FeatureOff } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { dashboardKeys } from '../../lib/api/query-keys.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { ActivityCard } from './ActivityCard.tsx';
import { type Overview, readOverview, readUsage } from './calls.ts';
import {
  ErrorsChart,
  LatencyChart,
  MarginChart,
  type OnZoom,
  RequestsChart,
  SpendChart,
  TokensChart,
} from './charts.tsx';
import classes from './Dashboard.module.css';
import { DashboardFilters, Freshness } from './DashboardFilters.tsx';
import { Figures, LogFigures, useOwnBalance } from './Figures.tsx';
import { Onboarding, useOnboarding } from './Onboarding.tsx';
import { RecentErrors } from './RecentErrors.tsx';
import { DASHBOARD_FIELDS, type DashboardQuery, dashboardQuery } from './range.ts';
import { Tops } from './Tops.tsx';

const LIVE_MS = 15_000;
const MINUTE_SEC = 60;

/** The dashboard: spending, usage and health. */
export function DashboardPage() {
  const isOff = useStatus()?.enable_data_export === false;
  return <div className={classes.page}>{isOff ? <PlainDashboard /> : <FullDashboard />}</div>;
}

function useDashboardFilter() {
  const isAdmin = useIsAdmin();
  const [usualStep] = useStored(STORED.dataGranularity);
  const url = useUrlState(DASHBOARD_FIELDS);
  // Fixed, so that a range up to "now" keeps one query key until the page is reopened. Rounded up
  // to the end of this minute, to include the latest calls.
  const [nowSec] = useState(() => Math.ceil(Date.now() / 1000 / MINUTE_SEC) * MINUTE_SEC);
  const filter = dashboardQuery(url.state, usualStep, isAdmin, nowSec);
  return { ...url, filter, isAdmin };
}

function PlainDashboard() {
  const { t } = useTranslation();
  const { filter } = useDashboardFilter();
  return (
    <>
      <PageHeader title={t('nav.dashboard')} hint={t('dashboard.hint')} />
      <LogFigures filter={filter} />
      <FeatureOff name={t('nav.dashboard')} settings="operation" />
    </>
  );
}

function FullDashboard() {
  const { t } = useTranslation();
  const { state, set, filter, isAdmin } = useDashboardFilter();
  const [isLive, setLive] = useState(false);
  const refetchMs = isLive && LIVE_MS;
  const { overview, usage } = useFigures(filter, state, refetchMs);
  const balance = useOwnBalance(refetchMs);
  const isUnused =
    overview.data !== undefined &&
    overview.data.totals.calls + overview.data.totals.errors === 0 &&
    overview.data.previous.calls === 0;
  return (
    <>
      <PageHeader
        title={t('nav.dashboard')}
        hint={t('dashboard.hint')}
        actions={
          <Freshness updatedAtMs={overview.dataUpdatedAt} isLive={isLive} onLive={setLive} />
        }
      />
      <DashboardFilters state={state} step={filter.step} isAdmin={isAdmin} onChange={set} />
      {overview.data?.is_complete === false && (
        <Notice tone="blue">{t('dashboard.incomplete')}</Notice>
      )}
      <Figures
        filter={filter}
        overview={overview.data}
        balance={balance}
        hasFailed={overview.isError}
        compares={state.compare}
        isSite={isAdmin && filter.user === ''}
      />
      {isUnused && <FirstCall />}
      <Cards
        overview={overview}
        usage={usage}
        filter={filter}
        refetchMs={refetchMs}
        onZoom={(from, to) => set({ from: String(from), to: String(to) })}
      />
    </>
  );
}

interface CardsProps extends ReturnType<typeof useFigures> {
  readonly filter: DashboardQuery;
  readonly refetchMs: number | false;
  readonly onZoom: OnZoom;
}

/** Everything below the key figures, in rows of three. */
function Cards({ overview, usage, filter, refetchMs, onZoom }: CardsProps) {
  const tasks = useTasksBeforeTraffic(overview.data);
  const isSite = filter.isAdmin && filter.user === '';
  const part = { query: overview, filter };
  return (
    <div className={classes.grid}>
      <Cell size={tasks ? 'wide' : 'full'}>
        <SpendChart usage={usage} filter={filter} onZoom={onZoom} />
      </Cell>
      {tasks && (
        <Cell size="third">
          <Onboarding tasks={tasks} />
        </Cell>
      )}
      <Cell size="half">
        <RequestsChart {...part} />
      </Cell>
      <Cell size="half">
        <TokensChart {...part} />
      </Cell>
      {overview.data?.totals.costs && (
        <Cell size="full">
          <MarginChart {...part} />
        </Cell>
      )}
      <Cell size="wide">
        <LatencyChart {...part} />
      </Cell>
      <Cell size="third">
        <ErrorsChart {...part} />
      </Cell>
      <Cell size="third">
        <Tops kind="models" {...part} />
      </Cell>
      <Cell size="third">
        <Tops kind="tokens" {...part} />
      </Cell>
      {isSite && (
        <>
          <Cell size="third">
            <Tops kind="users" {...part} />
          </Cell>
          <Cell size="third">
            <Tops kind="channels" {...part} />
          </Cell>
        </>
      )}
      <Cell size="third">
        <RecentErrors filter={filter} refetchMs={refetchMs} />
      </Cell>
      <Cell size={restSize(isSite ? 5 : 3)}>
        <ActivityCard filter={filter} />
      </Cell>
    </div>
  );
}

/** The onboarding tasks, until the first calls. */
function useTasksBeforeTraffic(overview: Overview | undefined) {
  const tasks = useOnboarding();
  const isUsed = overview === undefined || overview.totals.calls + overview.previous.calls > 0;
  return isUsed ? undefined : tasks;
}

/** Old data stays while new data loads; a live page refetches with a later end. */
function useFigures(
  filter: DashboardQuery,
  state: { readonly to: string },
  refetchMs: number | false,
) {
  const key = { ...filter, to: state.to };
  const moved = (): DashboardQuery => {
    if (state.to !== '') return filter;
    const nowSec = Math.floor(Date.now() / 1000);
    return { ...filter, endSec: Math.max(filter.endSec, nowSec) };
  };
  const overview = useQuery({
    queryKey: dashboardKeys.part('overview', key),
    queryFn: ({ signal }) => readOverview(moved(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
  const usage = useQuery({
    queryKey: dashboardKeys.part('usage', key),
    queryFn: ({ signal }) => readUsage(moved(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
  return { overview, usage };
}

function FirstCall() {
  const { t } = useTranslation();
  return (
    <Empty
      title={t('dashboard.unused')}
      text={t('dashboard.unused.text')}
      action={
        <Button component={Link} to="/app/tokens">
          {t('dashboard.unused.open')}
        </Button>
      }
    />
  );
}

/** The remaining width of a row after this many thirds. */
function restSize(thirds: number): CellProps['size'] {
  return (['full', 'wide', 'third'] as const)[thirds % 3] ?? 'full';
}

interface CellProps {
  readonly size: 'half' | 'third' | 'wide' | 'full';
  readonly children: ReactNode;
}

function Cell({ size, children }: CellProps) {
  return <div className={classes[size]}>{children}</div>;
}
