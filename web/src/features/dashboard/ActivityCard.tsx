import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Loaded, Loading } from '../../components/layout/list-states.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { dashboardKeys } from '../../lib/api/query-keys.ts';
import { readOverview } from './calls.ts';
import type { DashboardQuery } from './range.ts';

const Activity = lazy(async () => ({ default: (await import('./Activity.tsx')).Activity }));

const DAYS = 90;
const DAY_SEC = 86_400;
const FRESH_MS = 300_000;

/** The last three months, regardless of the page's range. */
export function ActivityCard({ filter }: { readonly filter: DashboardQuery }) {
  const { t } = useTranslation();
  const { isAdmin, user } = filter;
  const query = useQuery({
    queryKey: dashboardKeys.part('activity', { isAdmin, user }),
    queryFn: ({ signal }) => {
      const endSec = Math.floor(Date.now() / 1000);
      const startSec = endSec - DAYS * DAY_SEC;
      return readOverview({ isAdmin, user, startSec, endSec, step: 'day' }, signal);
    },
    staleTime: FRESH_MS,
  });
  return (
    <TitledCard title={t('dashboard.activity')}>
      <Loaded query={query}>
        {(overview) => (
          <Suspense fallback={<Loading />}>
            <Activity overview={overview} />
          </Suspense>
        )}
      </Loaded>
    </TitledCard>
  );
}
