import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
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
import { readOverview, readUsage } from './calls.ts';
import {
  ErrorsChart,
  LatencyChart,
  MarginChart,
  type OnZoom,
  RequestsChart,
  ShareChart,
  SpendChart,
  TokensChart,
} from './charts.tsx';
import classes from './Dashboard.module.css';
import { DashboardFilters } from './DashboardFilters.tsx';
import { Figures, LogFigures, useOwnBalance } from './Figures.tsx';
import { Onboarding, useOnboarding } from './Onboarding.tsx';
import { RecentErrors } from './RecentErrors.tsx';
import { DASHBOARD_FIELDS, type DashboardQuery, dashboardQuery } from './range.ts';
import { TopChannels, TopModels, TopTokens, TopUsers } from './Tops.tsx';

const LIVE_MS = 15_000;
const MINUTE_SEC = 60;

/** The dashboard: spending, usage and health. */
export function DashboardPage() {
  const { t } = useTranslation();
  const isOff = useStatus()?.enable_data_export === false;
  return (
    <div className={classes.page}>
      <PageHeader title={t('nav.dashboard')} hint={t('dashboard.hint')} />
      {isOff ? <PlainDashboard /> : <FullDashboard />}
    </div>
  );
}

function useAsked() {
  const isAdmin = useIsAdmin();
  const [usualStep] = useStored(STORED.dataGranularity);
  const url = useUrlState(DASHBOARD_FIELDS);
  // Fixed, so that a range up to "now" keeps one query key until the page is reopened. Rounded up
  // to the end of this minute, to include the latest calls.
  const [nowSec] = useState(() => Math.ceil(Date.now() / 1000 / MINUTE_SEC) * MINUTE_SEC);
  const asked = dashboardQuery(url.state, usualStep, isAdmin, nowSec);
  return { ...url, asked, isAdmin };
}

function PlainDashboard() {
  const { t } = useTranslation();
  const { asked } = useAsked();
  return (
    <>
      <LogFigures asked={asked} />
      <FeatureOff name={t('nav.dashboard')} settings="/admin/settings?tab=operation" />
    </>
  );
}

function FullDashboard() {
  const { t } = useTranslation();
  const { state, set, asked, isAdmin } = useAsked();
  const [isLive, setLive] = useState(false);
  const refetchMs = isLive && LIVE_MS;
  const { overview, usage } = useFigures(asked, state, refetchMs);
  const balance = useOwnBalance(refetchMs);
  const isUnused =
    overview.data !== undefined &&
    overview.data.totals.calls + overview.data.totals.errors === 0 &&
    overview.data.previous.calls === 0;
  return (
    <>
      <DashboardFilters
        state={state}
        step={asked.step}
        isAdmin={isAdmin}
        onChange={set}
        updatedAtMs={overview.dataUpdatedAt}
        isLive={isLive}
        onLive={setLive}
      />
      {overview.data?.is_complete === false && (
        <Notice tone="blue">{t('dashboard.incomplete')}</Notice>
      )}
      <Figures
        overview={overview.data}
        balance={balance}
        hasFailed={overview.isError}
        compares={state.compare}
      />
      {isUnused && <FirstCall />}
      <Cards
        overview={overview}
        usage={usage}
        asked={asked}
        refetchMs={refetchMs}
        onZoom={(from, to) => set({ from: String(from), to: String(to) })}
      />
    </>
  );
}

interface CardsProps extends ReturnType<typeof useFigures> {
  readonly asked: DashboardQuery;
  readonly refetchMs: number | false;
  readonly onZoom: OnZoom;
}

/** Everything below the key figures, in rows of three. */
function Cards({ overview, usage, asked, refetchMs, onZoom }: CardsProps) {
  const tasks = useOnboarding();
  const isSite = asked.isAdmin && asked.user === '';
  const part = { query: overview, asked };
  return (
    <div className={classes.grid}>
      <Place size="wide">
        <SpendChart usage={usage} asked={asked} onZoom={onZoom} />
      </Place>
      <Place size="third">
        {tasks ? <Onboarding tasks={tasks} /> : <ShareChart usage={usage} asked={asked} />}
      </Place>
      <Place size="half">
        <RequestsChart {...part} />
      </Place>
      <Place size="half">
        <TokensChart {...part} />
      </Place>
      {overview.data?.totals.costs && (
        <Place size="full">
          <MarginChart {...part} />
        </Place>
      )}
      <Place size="wide">
        <LatencyChart {...part} />
      </Place>
      <Place size="third">
        <ErrorsChart {...part} />
      </Place>
      {tasks && (
        <Place size="third">
          <ShareChart usage={usage} asked={asked} />
        </Place>
      )}
      <Place size="third">
        <TopModels {...part} />
      </Place>
      <Place size="third">
        <TopTokens {...part} />
      </Place>
      {isSite && (
        <>
          <Place size="third">
            <TopUsers {...part} />
          </Place>
          <Place size="third">
            <TopChannels {...part} />
          </Place>
        </>
      )}
      <Place size="third">
        <RecentErrors asked={asked} refetchMs={refetchMs} />
      </Place>
      <Place size={restOf(3 + (tasks ? 1 : 0) + (isSite ? 2 : 0))}>
        <ActivityCard asked={asked} />
      </Place>
    </div>
  );
}

/** Old data stays while new data loads; a live page refetches with a later end. */
function useFigures(
  asked: DashboardQuery,
  state: { readonly to: string },
  refetchMs: number | false,
) {
  const key = { ...asked, to: state.to };
  const moved = (): DashboardQuery => {
    if (state.to !== '') return asked;
    const nowSec = Math.floor(Date.now() / 1000);
    return { ...asked, endSec: Math.max(asked.endSec, nowSec) };
  };
  const shared = { refetchInterval: refetchMs };
  const overview = useQuery({
    queryKey: dashboardKeys.part('overview', key),
    queryFn: ({ signal }) => readOverview(moved(), signal),
    placeholderData: (before) => before,
    ...shared,
  });
  const usage = useQuery({
    queryKey: dashboardKeys.part('usage', key),
    queryFn: ({ signal }) => readUsage(moved(), signal),
    placeholderData: (before) => before,
    ...shared,
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
function restOf(thirds: number): PlaceProps['size'] {
  return (['full', 'wide', 'third'] as const)[thirds % 3] ?? 'full';
}

interface PlaceProps {
  readonly size: 'half' | 'third' | 'wide' | 'full';
  readonly children: ReactNode;
}

function Place({ size, children }: PlaceProps) {
  return <div className={classes[size]}>{children}</div>;
}
